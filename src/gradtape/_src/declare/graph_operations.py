"""Functions that need the values of tensors, so that a graph calls each as one operation.

A graph has to know the dtypes and ranks of their results, and as many lengths as possible. Each
function declares these.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from gradtape._src.base import nest
from gradtape._src.base.dispatch import APIS, composites_exist, shorten_errors
from gradtape._src.base.errors import OpError
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.recorder import STACK, active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.operation_names import default_name

_F = TypeVar("_F", bound=Callable[..., Any])
R = TypeVar("R")


whole_calls: ExtensionPoint[Callable[..., Any]] = ExtensionPoint("operations of graphs")
"""Makes a call an operation; provided by `graph.whole_calls`."""


deferral: ExtensionPoint[Callable[[Any], Any]] = ExtensionPoint("calls that become operations")
"""Returns what converted code calls in place of a function; `graph.inference` provides it."""
SAMPLE_TEXTS: dict[Any, Callable[..., list[bytes]]] = {}
"""For an operation on strings, makes samples from which the dtypes of its results are inferred."""


RESULTS: dict[Any, Callable[..., Any]] = {}
"""By function, the rule for the specs of results that can't be inferred; see `graph_operation`."""


def result_by(rule: Callable[..., Any]) -> Callable[[_F], _F]:
    """Declares the result of an operation that depends on values which are not known yet.

    Args:
      rule: The rule, like the argument `result` of `graph_operation`.

    Returns:
      A decorator.
    """

    def declare(function: _F) -> _F:
        RESULTS[function] = rule
        return function

    return declare


def sample_text(make: Callable[..., list[bytes]]) -> Callable[[_F], _F]:
    """Declares how to make sample strings for an operation, from which result dtypes are inferred.

    Args:
      make: Makes samples of some of the operation's arguments.

    Returns:
      A decorator.
    """

    def declare(function: _F) -> _F:
        SAMPLE_TEXTS[function] = make
        return function

    return declare


class New(Protocol):
    """Makes a tensor of a shape and a dtype.

    None stands for lengths that depend on values, or for a shape of which nothing is known.
    """

    def __call__(self, shape: Sequence[Any] | None, dtype: Any) -> Tensor: ...


def graph_operation(
    name: str,
    result: Callable[..., Any],
    *,
    stateful: bool = False,
    when: Callable[..., bool] | None = None,
    **options: bool,
) -> Callable[[_F], _F]:
    """Makes a function one operation in graphs.

    Args:
      name: TensorFlow's name of the operation.
      result: `(new, *args, **kwargs)` returns what the function would return, with placeholders
        made by `new` (see `New`) for its tensors. It may check the arguments.
      stateful: Whether the function has side effects or reads state, so that each run of the graph
        calls it, in order.
      when: `(*args, **kwargs) -> bool`: whether the call must be delayed until the graph runs; by
        default, if a tensor of the graph is among the arguments, or if the function is stateful.
      **options: More arguments of `graph.whole_calls`, such as `undone=True` for a function that
        only reads state, which may run again if an unforeseen length stops the graph.

    Returns:
      A decorator.
    """
    waits = when or (_always if stateful else has_symbols)

    def decorate(function: _F) -> _F:
        signature = functools.cache(lambda: inspect.signature(function))

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            if active_tapes() is None:
                tracer = next((r for r in STACK.recorders if getattr(r, "defers", False)), None)
                if tracer is not None and waits(*args, **kwargs):
                    if (own := _for_their_types(run, args, kwargs)) is not None:
                        return own(*args, **kwargs)
                    _check_arguments(function, signature(), args, kwargs)
                    call = (name, function, args, kwargs, result, stateful)
                    return whole_calls.get()(*call, **options)
                if tracer is not None and hasattr(tracer, "ordered"):
                    return tracer.ordered(function(*args, **kwargs))
                if tracer is not None:
                    try:
                        return _made(tracer, name, function.__name__, function(*args, **kwargs))
                    except OpError:
                        return tracer.on_unknown_values(run, args, kwargs)
            return function(*args, **kwargs)

        return run  # type: ignore[return-value]

    return decorate


def _made(tracer: Any, name: str, function: str, out: Any) -> object:
    """Returns the known result of an operation, after a tracer has noted its tensors."""
    for x in out if isinstance(out, tuple) else (out,):
        if type(x) is Tensor:
            tracer.known_made(x, default_name(function, name), name)
    return out


def _check_arguments(
    function: Callable[..., Any],
    signature: inspect.Signature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> None:
    """Raises TypeError if a function doesn't take these arguments, as a call would do."""
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{function.__name__}() {error}") from None


def _for_their_types(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[..., Any] | None:
    """Returns the implementation registered for the types of a function's arguments, or None."""
    api = APIS.get(function) if composites_exist() else None
    return None if api is None else api.find(api.values(args, kwargs))


def deferrable(function: _F) -> _F:
    """A decorator that lets a method become one operation of a graph if it needs values.

    Converted code does this for the functions that it calls, but not for operators.
    """

    @functools.wraps(function)
    @shorten_errors
    def run(*args: Any, **kwargs: Any) -> Any:
        if not STACK.recorders:
            return function(*args, **kwargs)
        return deferral.get()(function)(*args, **kwargs)

    return run  # type: ignore[return-value]


class Described:
    """A function of tensors, with the raw operation's other inputs and attributes by name.

    Args:
      function: The function; its arguments are the raw operation's inputs that are not in
        `attributes`, in the raw operation's order.
      attributes: The values from which the function was made.
    """

    __slots__ = ("__name__", "attributes", "function")

    def __init__(self, name: str, function: Callable[..., Any], attributes: dict[str, Any]) -> None:
        self.__name__, self.function, self.attributes = name, function, attributes

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


def run_whole(
    name: str, result: Callable[..., Any], function: Callable[..., R], *args: Any, **attributes: Any
) -> R:
    """Calls a function, as one operation of a graph if one is made; see `graph_operation`.

    Args:
      name: TensorFlow's name of the operation.
      result: See `graph_operation`.
      function: The function that computes it.
      *args: The operation's inputs.
      **attributes: The raw operation's other inputs and attributes, by name.
    """
    tracer: Any = None
    if active_tapes() is None:
        tracer = next((r for r in STACK.recorders if getattr(r, "defers", False)), None)
    if tracer is None:
        return function(*args)
    made: R
    if has_symbols(*args):
        described = Described(name, function, attributes)
        made = whole_calls.get()(name, described, args, {}, result, False)
        return made
    try:
        return function(*args)
    except OpError:
        again = functools.partial(run_whole, name, result, function, **attributes)
        made = tracer.on_unknown_values(again, args, {})
        return made


def _always(*_: Any, **__: Any) -> bool:
    return True


def has_symbols(*args: Any, **kwargs: Any) -> bool:
    """Whether a symbolic tensor is among the arguments."""
    for x in (*args, *kwargs.values()):
        if type(x) is Tensor:
            if hasattr(x._value, "owner"):
                return True
        elif type(x) not in _PLAIN:
            for part in nest.flatten(x, expand_composites=True):
                if isinstance(part, Variable) or (
                    type(part) is Tensor and hasattr(part._value, "owner")
                ):
                    return True
    return False


_PLAIN = {int, float, bool, str, bytes, type(None)}


def like_input(dtype: Any = None) -> Callable[..., Tensor]:
    """Returns the result of a function that keeps the shape of its first argument, a tensor.

    Args:
      dtype: The dtype of the result. Defaults to the argument's.
    """

    def result(new: New, x: Any, *_: Any, **__: Any) -> Tensor:
        return new(x._value.shape, x._value.dtype if dtype is None else dtype)

    return result


def of_shape(shape: Sequence[Any] | None, dtype: Any) -> Callable[..., Tensor]:
    """Returns a function for results of a fixed shape, with None for unknown lengths, and dtype."""
    return lambda new, *_, **__: new(shape, dtype)
