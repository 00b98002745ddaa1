"""The implementations of public functions for values that are not tensors.

Every public function of the rooms of operations is an `Api`. As long as a program uses only
tensors, functions run their original code. When it creates its first ragged or sparse tensor,
functions with implementations for these types get new code: it tries the original implementation,
and if that fails, looks for another one. If a program registers an implementation for its own
types, that one is tried first. See docs/design/0013-composite-types.md.
"""

from __future__ import annotations

import ast
import inspect
import os
import threading
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache, cached_property, partial
from typing import Any, NamedTuple, TypeVar, cast

from gradtape._src.base.parameters import Parameters
from gradtape._src.first_use import loading

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)
Check = Callable[[Any], bool]
Fallback = Callable[..., Any]
_LISTS = (list, tuple)
_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Dispatchable:
    """The base class of types for which functions can have other implementations."""

    __slots__ = ()


def _is_dispatchable(value: Any) -> bool:
    if isinstance(value, _LISTS):
        return any(isinstance(item, Dispatchable) for item in value)
    return isinstance(value, Dispatchable)


def holds(*kinds: type) -> Check:
    """Returns the check that a value is a list or tuple with an element of one of these types."""
    return lambda value: isinstance(value, _LISTS) and any(isinstance(v, kinds) for v in value)


def type_check(annotation: Any) -> Check:
    """Returns the check for an annotation: a type, None, `typing.List` or `typing.Union`.

    Raises:
      ValueError: The annotation has another form.
    """
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Union or isinstance(annotation, types.UnionType):
        options = [type_check(part) for part in parts]
        return lambda value: any(option(value) for option in options)
    if origin is list:
        item = type_check(parts[0])
        return lambda value: isinstance(value, _LISTS) and all(map(item, value))
    if annotation is None:
        return lambda value: value is None
    if isinstance(annotation, type) and origin is None:
        return lambda value: isinstance(value, annotation)
    raise ValueError(
        f"Type annotation {annotation} is not currently supported by dispatch.  Supported "
        f"annotations: type objects,  List[...], and Union[...]"
    )


class Entry(NamedTuple):
    """One signature under which a function has another implementation.

    Attributes:
      checks: By the parameter's place, whether an argument is of the type.
      target: The implementation.
      first: Whether it is looked up before the function's own implementation is tried.
    """

    checks: tuple[tuple[int, Check], ...]
    target: Callable[..., Any]
    first: bool

    def matches(self, values: tuple[Any, ...]) -> bool:
        """Whether the arguments match the signature, and one of them is not a tensor."""
        return all(check(values[i]) for i, check in self.checks) and any(
            _is_dispatchable(values[i]) for i, _ in self.checks
        )


NOT_SUPPORTED = object()  # what a fallback returns for arguments that it does not know
_fallbacks: list[Fallback] = []
_attempts: list[Callable[[], Any]] = []  # at most one, if there was a graph that stays open
_composites_exist = threading.Event()
_deferred: list[Callable[[], None]] = []
_always = threading.Event()  # set if functions only shorten tracebacks
_lock = threading.RLock()  # held while the code of functions is replaced

_TRY_OWN = """
    try:
        return _implementation({given})
    except (TypeError, ValueError):
        _found = _api.find({values})
        if _found is None:
            raise
    return _api.run(_found, {values})
"""
_OWN = """
    return _implementation({given})
"""
_LOOK_FIRST = """
    _found = _api.find({values})
    if _found is not None:
        _out = _api.run(_found, {values})
        if _out is not NotImplemented:
            return _out
    return _implementation({given})
"""
_LAST_RESORT = """
    try:
      {body}
    except (TypeError, ValueError):
      return _api.last_resort({values})
"""
_IN_GRAPH = """
    _attempt = _api.attempt()
    try:
      {body}
    except BaseException as _error:
      if _attempt is None:
        raise
      return _api.as_operation(_attempt, _error, {values})
    finally:
      if _attempt is not None:
        _attempt.end()
"""
_SHORTENING = """
    try:
      {body}
    except Exception as _error:
      _better = _api.better(_error)
      if _better is not None:
        raise _better from _error
      raise
"""
_FUNCTION = """
def outer({free}):
  def run({parameters}):
    _api = "api"
    _implementation = "implementation"
    {free}
    {body}
"""


@cache
def _compiled(template: str, parameters: Parameters, free: tuple[str, ...]) -> types.CodeType:
    """Returns the code of a function, all on one line for tracebacks.

    Args:
      template: Its source.
      parameters: Its parameters.
      free: Its free variables; the code that it replaces has as many.
    """
    body = template.format(given=parameters.given(), values=parameters.values()).strip()
    source = _FUNCTION.format(parameters=parameters.declared(), body=body, free=", ".join(free))
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr, ast.excepthandler, ast.arg)):
            node.lineno = node.end_lineno = 1
            node.col_offset = node.end_col_offset = 0
    (outer,) = filter(inspect.iscode, compile(tree, __file__, "exec").co_consts)
    (code,) = filter(inspect.iscode, outer.co_consts)
    return code


def _with_code(function: types.FunctionType, code: types.CodeType) -> types.FunctionType:
    """Returns a copy of a function with other code."""
    copied = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copied.__kwdefaults__ = function.__kwdefaults__
    return copied


def _around(implementation: types.FunctionType, template: str, api: object) -> types.CodeType:
    """Returns the code of a function that calls the implementation.

    Args:
      implementation: A function with the original code.
      template: The source of the new code.
      api: The object that the template calls `_api`.
    """
    written = implementation.__code__
    parameters = Parameters.of(written)
    names = written.co_varnames[
        : parameters.positional + len(parameters.keywords) + sum(parameters.variadic)
    ]
    code = _compiled(template, parameters, written.co_freevars)
    known = {"implementation": implementation, "api": api}
    return code.replace(
        co_consts=tuple(known.get(c, c) if type(c) is str else c for c in code.co_consts),
        co_varnames=names + code.co_varnames[len(names) :],
        co_posonlyargcount=written.co_posonlyargcount,
        co_filename=written.co_filename,
        co_firstlineno=written.co_firstlineno,
        co_name=written.co_name,
        co_qualname=written.co_qualname,
    )


_SOURCES = __file__.partition(f"_src{os.sep}")[0]


def _raises_from_below(code: types.CodeType) -> bool:
    """Whether the tracebacks of a function's errors show all lines of the library.

    They do unless the function shortens them in an `except` clause, or only calls an operation,
    which does so.
    """
    if code.co_flags & _SUSPENDED or not code.co_filename.startswith(_SOURCES):
        return False
    names = code.co_names
    only_calls = len(names) == 1 and names[0].endswith("_of")
    return not only_calls and not {"shorten", "better"} & set(names)


def shorten_errors(function: F) -> F:
    """Gives a function code that removes the library's lines below it from tracebacks.

    Args:
      function: A function that is not an `Api`. It is left unchanged if it shortens tracebacks
        itself.

    Returns:
      The same function.
    """
    if isinstance(function, types.FunctionType) and _raises_from_below(function.__code__):
        shortening = _SHORTENING.replace("{body}", _indented(_OWN))
        implementation = _with_code(function, function.__code__)
        function.__code__ = _around(implementation, shortening, errors_of_functions)
    return function


def _indented(template: str) -> str:
    return template.strip().replace("\n", "\n  ")


_NOT_PLAIN = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Api:
    """A public function that can have other implementations for other types.

    Attributes:
      function: The public function. Its code is replaced rather than the function itself, since
        other modules have imported it.
      paths: Its public names.
      direct: Whether the functions that it calls shorten tracebacks.
      entries: The other implementations.
    """

    def __init__(
        self, function: types.FunctionType, paths: tuple[str, ...], *, direct: bool | None = None
    ) -> None:
        assert not function.__code__.co_flags & _NOT_PLAIN, f"{paths[0]} must be a plain function"
        self.function = function
        self.paths = paths
        below = _raises_from_below(function.__code__)
        self.direct = not below if direct is None else direct
        self.entries: tuple[Entry, ...] = ()
        self._before: Callable[..., Any] | None = None
        self._fallbacks: list[Fallback] = []
        self._written = function.__code__

    @cached_property
    def implementation(self) -> types.FunctionType:
        """A function with the original code of `function`."""
        return _with_code(self.function, self._written)

    def settle(self, composites_exist: bool) -> None:
        """Gives the function code that looks up its entries and shortens tracebacks."""
        template = None
        if self._before is not None or any(entry.first for entry in self.entries):
            template = _LOOK_FIRST
        elif self.entries and composites_exist:
            template = _TRY_OWN
        elif _always.is_set() or not self.direct or self._fallbacks or _fallbacks:
            template = _OWN
        if template is not None and (self._fallbacks or _fallbacks):
            template = _LAST_RESORT.replace("{body}", _indented(template))
        if _attempts:
            template = _IN_GRAPH.replace("{body}", _indented(template or _OWN))
        if template is not None:
            self.function.__code__ = self._code(template)
        elif self.function.__code__ is not self._written:
            self.function.__code__ = self._written

    @cache  # noqa: B019 (functions are not many, and stay)
    def _code(self, template: str) -> types.CodeType:
        shortening = _SHORTENING.replace("{body}", _indented(template))
        return _around(cast("types.FunctionType", self.implementation), shortening, self)

    def better(self, error: BaseException) -> Exception | None:
        """Returns the error to raise instead of an exception; or shortens its traceback."""
        return errors_of_functions.better(error, f"tf.{self.paths[0]}")

    def values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Returns the values of all parameters in a call; empty if the arguments don't match."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return ()
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    @cached_property
    def signature(self) -> inspect.Signature:
        """The function's signature."""
        return inspect.signature(self.function)

    @cached_property
    def _defaults(self) -> list[tuple[str, Any]]:
        return [(p.name, p.default) for p in self.signature.parameters.values()]

    def register(
        self, signature: Mapping[Any, Any], target: Callable[..., Any], *, first: bool = True
    ) -> None:
        """Makes `target` run if arguments are of the types in a signature.

        Args:
          signature: Type annotations by the names or places of parameters.
          target: Called with the arguments that differ from the function's defaults.
          first: Whether it is looked up before the function's own implementation is tried.

        Raises:
          TypeError, ValueError: The signature is not such a mapping, or names an unknown parameter.
        """
        entry = Entry(self.checks(signature), target, first)
        with _lock:
            self.entries += (entry,)
            self.settle(_composites_exist.is_set())

    def checks(self, signature: Mapping[Any, Any]) -> tuple[tuple[int, Check], ...]:
        """Returns the positions and checks of a signature; see `register` for the errors."""
        if not isinstance(signature, dict) or not all(isinstance(k, (str, int)) for k in signature):
            raise TypeError(
                "signatures must be dictionaries mapping parameter names to type annotations."
            )
        names = [name for name, _ in self._defaults]
        checks = []
        for key, annotation in signature.items():
            name = names[key] if isinstance(key, int) and key < len(names) else key
            if name not in names:
                raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
            plain = callable(annotation) and not isinstance(annotation, type)
            own = plain and typing.get_origin(annotation) is None
            checks.append((names.index(name), annotation if own else type_check(annotation)))
        return tuple(checks)

    def unregister(self, target: Callable[..., Any]) -> None:
        """Removes an implementation."""
        with _lock:
            self.entries = tuple([e for e in self.entries if e.target is not target])
            self.settle(_composites_exist.is_set())

    def put_before(self, target: Callable[..., Any]) -> None:
        """Makes `target` run for all arguments for which there is no other implementation."""
        with _lock:
            self._before = target
            self.settle(_composites_exist.is_set())

    def fall_back(self, handle: Fallback) -> None:
        """Calls `handle(args, kwargs)` for arguments that the function refuses."""
        with _lock:
            self._fallbacks.append(handle)
            self.settle(_composites_exist.is_set())

    def last_resort(self, values: tuple[Any, ...]) -> object:
        """Returns the first result of a fallback that knows the arguments; or raises again."""
        for handle in (*self._fallbacks, *[partial(h, self.function) for h in _fallbacks]):
            out = self.run(lambda *args, ask=handle, **kwargs: ask(args, kwargs), values)
            if out is not NOT_SUPPORTED:
                return out
        raise  # noqa: PLE0704 (it is called while an exception is handled)

    @staticmethod
    def attempt() -> object:
        """Returns the attempt to call a function in a graph that stays open; None elsewhere."""
        return _attempts[0]()

    def as_operation(self, attempt: Any, error: BaseException, values: tuple[Any, ...]) -> object:
        """Makes a call that failed one operation of the graph, or raises the error again."""
        return self.run(partial(attempt.as_operation, error, self.function), values)

    def find(self, values: tuple[Any, ...]) -> Callable[..., Any] | None:
        """Returns the function that is registered for the types of these arguments, or None.

        Raises:
          ValueError: Two implementations match.
        """
        if not any(map(_is_dispatchable, values)):
            return self._before
        found: Callable[..., Any] | None = None
        for entry in self.entries:
            if entry.target is not found and entry.matches(values):
                if found is not None:
                    raise ValueError(
                        f"Multiple dispatch targets that were registered with tf.dispatch_for "
                        f"({found} and {entry.target}) match the arguments to "
                        f"{self.function.__name__}"
                    )
                found = entry.target
        return self._before if found is None else found

    def run(self, target: Callable[..., Any], values: tuple[Any, ...]) -> object:
        """Calls an implementation with the arguments that differ from the defaults."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for value, (name, default) in zip(values, self._defaults, strict=True):
            if value is default:
                continue
            if len(args) + len(kwargs) == len(args) == self._place(name):
                args.append(value)
            else:
                kwargs[name] = value
        return target(*args, **kwargs)

    def _place(self, name: str) -> int:
        return next(i for i, (own, _) in enumerate(self._defaults) if own == name)


APIS: dict[Any, Api] = {}
"""All functions that support dispatch."""
Listener = Callable[[Api], None]
_listeners: list[Listener] = []


def on_each_api(listener: Listener) -> None:
    """Calls a function with each existing API, and with each one that is made later."""
    for api in list(APIS.values()):
        listener(api)
    _listeners.append(listener)


def make_api(
    function: types.FunctionType, paths: tuple[str, ...], *, direct: bool | None = None
) -> bool:
    """Lets a public function have other implementations, and returns whether it can have any.

    Functions with keyword-only or variadic parameters can't; but a decorator may wrap such a
    function around one with ordinary parameters.
    """
    code = inspect.unwrap(function).__code__
    if code.co_flags & _VARIADIC or code.co_kwonlyargcount or not code.co_argcount:
        return False
    api = APIS[function] = Api(function, paths, direct=direct)
    for listener in _listeners:
        listener(api)
    if _always.is_set() or not api.direct or _fallbacks or _attempts:
        api.settle(_composites_exist.is_set())
    return True


Explanation = Callable[[BaseException, str, str], Exception | None]


class ErrorsOfFunctions:
    """Handles errors of public functions whose code was replaced."""

    def __init__(self) -> None:
        self._shorten: Callable[[BaseException], None] = lambda error: None
        self._explained: Explanation = lambda error, name, ours: None

    def provide(self, shorten: Callable[[BaseException], None], explained: Explanation) -> None:
        """Sets the functions that shorten tracebacks, and that find better errors."""
        self._shorten, self._explained = shorten, explained

    def better(self, error: BaseException, name: str = "") -> Exception | None:
        """Returns the error to raise instead of an exception; or shortens its traceback.

        Args:
          error: The exception that a function caught, and raises again if there is no other error.
          name: The function's name, if it is public.
        """
        trace = error.__traceback__
        name = name or ("" if trace is None else trace.tb_frame.f_code.co_qualname)
        found = self._explained(error, name, _SOURCES)
        self.shorten(error)
        return found

    def shorten(self, error: BaseException) -> None:
        """Removes the library's lines below the function, and those of this module."""
        trace = error.__traceback__
        below = None if trace is None else trace.tb_next
        if trace is None or below is None or below.tb_frame.f_code.co_filename == __file__:
            self._shorten(error)  # the name of a type's implementation may differ
            return
        error.__traceback__ = below
        self._shorten(error)
        if error.__traceback__ is below:  # no lines are to be removed
            error.__traceback__ = trace


errors_of_functions = ErrorsOfFunctions()


def shorten_tracebacks(*, always: bool) -> None:
    """Sets whether all functions get code that shortens tracebacks, which is slightly slower."""
    with _lock:
        if always:
            _always.set()
        else:
            _always.clear()
        for api in list(APIS.values()):
            api.settle(_composites_exist.is_set())


def fall_back_everywhere(handle: Fallback) -> None:
    """Calls `handle(function, args, kwargs)` for arguments that any function refuses."""
    with _lock:
        _fallbacks.append(handle)
        for api in list(APIS.values()):
            api.settle(_composites_exist.is_set())


def expect_open_graphs(attempt: Callable[[], Any]) -> None:
    """From now on, a call in a graph that stays open becomes one operation if it needs values.

    Args:
      attempt: Returns an object for the call of a function that begins now, or None outside of such
        graphs. If the call fails, `as_operation(error, function, *args, **kwargs)` of the object
        returns the result, or raises the error that is handled. `end()` is called in any case.
    """
    with _lock:
        if not _attempts:
            _attempts.append(attempt)
            for api in list(APIS.values()):
                api.settle(_composites_exist.is_set())


def expect_composites() -> None:
    """From now on, functions look for implementations for ragged and sparse tensors."""
    if _composites_exist.is_set():
        return
    # Not under the lock, for which a module that another thread imports may wait.
    loading.implementations()
    with _lock:
        for register in _deferred:  # after an interrupt, a call may run again
            register()
        for api in list(APIS.values()):
            api.settle(composites_exist=True)
        _composites_exist.set()
        _deferred.clear()


def once_composites_exist(register: Callable[[], None]) -> None:
    """Calls a function when the first ragged or sparse tensor is made, or now if there is one.

    Registering their implementations takes a twentieth of the import time; so it is delayed.
    """
    with _lock:
        if _composites_exist.is_set():
            register()
        else:
            _deferred.append(register)


def composites_exist() -> bool:
    """Whether there are ragged or sparse tensors."""
    return _composites_exist.is_set()


def implements(
    function: Callable[..., Any], *signatures: dict[Any, Any], **types_: Any
) -> Callable[[F], F]:
    """Makes the decorated function the implementation of a public function for some types.

    Args:
      function: The public function.
      *signatures: Mappings from parameters to type annotations, for several ways to call the
        function.
      **types_: Type annotations by parameter, for a single signature.
    """

    def declare(target: F) -> F:
        def register() -> None:
            for signature in signatures or (types_,):
                APIS[function].register(signature, target, first=False)

        once_composites_exist(register)
        return target

    return declare
