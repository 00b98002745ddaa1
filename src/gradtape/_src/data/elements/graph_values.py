"""Symbols that datasets use; they have values while the graph iterates over the dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, TypeVar

from gradtape._src.base.dtypes import int64
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.graph.tracing.tracer import tracing

T = TypeVar("T")
Raw = Any
Values = Mapping[Any, Any]  # values by symbol, or by key of `bound_also`
_present: ContextVar[Values] = ContextVar("the values of symbols", default=MappingProxyType({}))


def in_graph(operation: str) -> bool:
    """Returns whether an iteration is being recorded as an operation of a graph.

    Args:
      operation: The name of the operation, for the message.

    Raises:
      UnimplementedError: An XLA program is being traced, which does not support this.
    """
    compiler = active_compiler()
    if compiler is None:
        return False
    if not compiler.defers or compiler.for_xla:
        compiler.refuse(operation)
    return True


def held(value: T) -> T:
    """Records that a dataset uses a value if it is a symbol, and returns the value."""
    if isinstance(value, Symbol):
        value.owner.held[value] = None
    return value


def number_of(value: Any) -> int | Symbol:
    """Returns an integer argument, or the symbol that stands for it in a graph.

    Args:
      value: An integer, or a tensor of one.
    """
    found: Any = convert_to_tensor(value, int64)._value
    return held(found) if type(found) is Symbol else int(found)


def held_symbols() -> list[Symbol]:
    """Returns the symbols that datasets use, in the function that is traced or around it."""
    found: list[Symbol] = []
    tracer = tracing()
    while tracer is not None:
        found += tracer.held
        tracer = tracer.outer or tracer.around
    return found


def present(value: Any) -> Raw:
    """Returns the value of a raw value or symbol in the current run of a graph."""
    return _present.get()[value] if type(value) is Symbol else value


def of_run(symbols: Sequence[Symbol], inputs: Sequence[Tensor]) -> Values:
    """Returns the values of symbols in a graph's run, in addition to the values known outside."""
    given = zip(symbols, [x._value for x in inputs], strict=True)
    return {**_present.get(), **dict(given)} if symbols else _present.get()


def in_thread(function: Callable[..., None]) -> Callable[..., None]:
    """Wraps a function for a new thread, so that symbols keep their current values."""
    values = _present.get()

    def run(*args: Any) -> None:
        _present.set(values)
        function(*args)

    return run


class Bound(Iterator[Any]):
    """An iteration for which some symbols have values.

    Args:
      produce: A function that starts the iteration.
      values: The values.
    """

    __slots__ = ("_elements", "_values")

    def __init__(self, produce: Callable[[], Iterator[Any]], values: Values) -> None:
        self._values = values
        token = _present.set(values)
        try:
            self._elements = produce()
        finally:
            _present.reset(token)

    def __next__(self) -> Any:
        token = _present.set(self._values)
        try:
            return next(self._elements)
        finally:
            _present.reset(token)


def bound_also(
    produce: Callable[[], Iterator[Any]], values: Mapping[object, Any]
) -> Callable[[], Iterator[Any]]:
    """Returns a function that starts iterations in which the given keys have values, too."""
    return lambda: Bound(produce, {**_present.get(), **values})


def value_of(key: object) -> object:
    """Returns the value of a key in the current iteration, or None."""
    return _present.get().get(key)


def bound(produce: Callable[[], Iterator[Any]], values: Values) -> Callable[[], Iterator[Any]]:
    """Returns a function that starts iterations for which some symbols have values."""
    return (lambda: Bound(produce, values)) if values else produce
