"""Converts functions, and the calls of other functions in them."""

from __future__ import annotations

import functools
import logging
import threading
import weakref
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeVar, cast

from gradtape._src.autograph import rules
from gradtape._src.autograph.features import STANDARD, Options
from gradtape._src.autograph.python_functions import FRAME_FUNCTIONS, OVERLOADS, in_frame
from gradtape._src.declare.graph_operations import deferral

F = TypeVar("F", bound=Callable[..., Any])
Call = Callable[[Any], Any]
"""Maps a function to the function that converted code calls in its place."""
_log = logging.getLogger("tensorflow")
_lock = threading.RLock()  # malt's analysis is not thread-safe


class _Codes:
    """The converted form of each code object, or None for one that was left as it is.

    Code objects are compared by identity, since equal ones may come from different files.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[CodeType], dict[Options, Any]]] = {}

    def of(self, code: CodeType) -> dict[Options, Any]:
        """Returns the converted forms of a code object, as a dictionary whose keys are options."""
        known = self._known.get(id(code))
        if known is None:
            forget = functools.partial(self._forget, id(code))
            known = self._known[id(code)] = weakref.ref(code, forget), {}
        return known[1]

    def _forget(self, number: int, _: Any) -> None:
        self._known.pop(number, None)

    def __len__(self) -> int:
        return len(self._known)


_codes = _Codes()


def converted(function: F, options: Options = STANDARD, libraries: bool = True) -> F:
    """Returns a converted function, whose control flow may depend on tensors, if possible.

    Methods, partial functions and instances with a `__call__` are converted, too, and so are the
    functions that the function calls. Classes, generators and functions marked by `do_not_convert`
    are not converted. A function without source runs as it is, with a warning.

    Args:
      function: The function.
      options: The features to convert, and whether called functions are converted, too.
      libraries: Whether a function of a library such as Keras is converted. It is if a user passes
        it to `tf.function`, but not if converted code calls it.
    """
    if not rules.enabled.get():
        return function
    if isinstance(function, functools.partial):
        inner = converted(function.func, options, libraries)
        whole = functools.partial(inner, *function.args, **function.keywords)
        return cast("F", function if inner is function.func else whole)
    owner, plain = rules.target(function, libraries)
    if plain is None:
        return function
    new = _instance(plain, options)
    if new is None:
        return function
    return cast("F", new if owner is None else MethodType(new, owner))


def traceable(function: F, options: Options, libraries: bool = True) -> F:
    """Returns a converted function; one of gradtape becomes one operation if it needs values.

    Args:
      function: The function.
      options: See `converted`.
      libraries: See `converted`.
    """
    new = converted(function, options, libraries)
    if new is function and deferral.provided is not None:
        new = cast("F", deferral.get()(function))
    return new


def _instance(function: FunctionType, options: Options) -> FunctionType | None:
    """Returns the converted form of a function; None if it cannot be converted."""
    forms = _codes.of(function.__code__)
    if options not in forms:
        with _lock:
            if options not in forms:
                forms[options] = _form(function, options)
    form = forms[options]
    if form is None:
        return None
    made: FunctionType = form.instance(function)
    return made


def _form(function: FunctionType, options: Options) -> Any:
    from gradtape._src.autograph.conversion import convert  # loads malt

    try:
        form = convert(function, options, call_of(options))
    except Exception as error:  # noqa: BLE001 (malt may fail in any way; the function still runs)
        _log.warning(
            "AutoGraph could not transform %s and will run it as-is.\nCause: %s\nTo silence this "
            "warning, decorate the function with @tf.autograph.experimental.do_not_convert",
            function,
            error,
        )
        return None
    rules.verbosity.tell(1, f"Converted {function}")
    return form


@functools.cache
def call_of(options: Options) -> Call:
    """Returns the function through which converted code calls others, for some options."""
    return functools.partial(_called, options)


def _called(options: Options, function: Any) -> Any:
    """Returns the function that converted code calls in place of another one.

    Converted code then calls the result, so that there is no frame of gradtape between two of the
    user's functions.
    """
    kind = type(function)
    if kind in _HASHED:
        overload = OVERLOADS.get(function)
        if overload is not None:
            return overload
        if function in FRAME_FUNCTIONS:
            return functools.partial(in_frame, function)
    if not options.recursive or not rules.enabled.get():
        return function
    if rules.calls_back(function):
        return _with_callbacks(function, options)
    return traceable(function, options, libraries=False)


_HASHED = (type, type(len))


def _with_callbacks(function: Callable[..., Any], options: Options) -> Callable[..., Any]:
    """Wraps one of gradtape's functions so that functions among its arguments are converted."""

    def call(*args: Any, **kwargs: Any) -> object:
        named = {name: _callback(x, options) for name, x in kwargs.items()}
        return function(*[_callback(x, options) for x in args], **named)

    return call


def _callback(value: Any, options: Options) -> Any:
    if type(value) in (list, tuple):
        return type(value)([_callback(x, options) for x in value])
    if type(value) is dict:
        return {key: _callback(x, options) for key, x in value.items()}
    return converted(value, options, libraries=False) if callable(value) else value
