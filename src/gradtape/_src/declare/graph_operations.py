"""Functions that compute with values, and that a graph calls as one operation.

Of their results a graph has to know the dtypes, the number of axes and what is certain of the
lengths. That is declared beside each of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from gradtape._src.base import nest
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.recorder import STACK, active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable

_F = TypeVar("_F", bound=Callable[..., Any])
R = TypeVar("R")


whole_calls: ExtensionPoint[Callable[..., Any]] = ExtensionPoint("operations of graphs")
"""Makes a call an operation; provided by `graph.whole_calls`."""


deferral: ExtensionPoint[Callable[[Any], Any]] = ExtensionPoint("calls that become operations")
"""Gives what converted code calls in the place of a function; provided by `graph.inference`."""
MADE_UP_TEXTS: dict[Any, Callable[..., list[bytes]]] = {}
"""By function, what makes texts that it takes from its arguments, to learn what it gives."""


def made_up_text(make: Callable[..., list[bytes]]) -> Callable[[_F], _F]:
    """Says what texts an operation takes, of whose results a graph has to know the dtypes.

    Args:
      make: Makes some of the operation's arguments.

    Returns:
      A decorator.
    """

    def declare(function: _F) -> _F:
        MADE_UP_TEXTS[function] = make
        return function

    return declare


class New(Protocol):
    """Makes a tensor of a shape, with None for lengths that depend on values, and of a dtype."""

    def __call__(self, shape: Sequence[Any], dtype: Any) -> Tensor: ...


def graph_operation(
    name: str,
    result: Callable[..., Any],
    *,
    stateful: bool = False,
    when: Callable[..., bool] | None = None,
) -> Callable[[_F], _F]:
    """Makes a function one operation of the graphs of functions that call it.

    Args:
      name: TensorFlow's name of the operation.
      result: `(new, *args, **kwargs)` gives what the function does, with tensors made by `new`
        (see `New`) in the place of what is computed. It may check the arguments.
      stateful: Whether the function reads or changes something besides its arguments, so that it
        is called in order, whenever the graph runs.
      when: `(*args, **kwargs) -> bool`: whether the call has to wait until the graph runs; by
        default that is so if a tensor of the graph is among the arguments, or if it is stateful.

    Returns:
      A decorator.
    """
    waits = when or (_always if stateful else has_symbols)

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            if active_tapes() is None:
                tracer = next((r for r in STACK.recorders if getattr(r, "defers", False)), None)
                if tracer is not None and waits(*args, **kwargs):
                    return whole_calls.get()(name, function, args, kwargs, result, stateful)
            return function(*args, **kwargs)

        return run  # type: ignore[return-value]

    return decorate


def deferrable(function: _F) -> _F:
    """Lets a method become one operation of a graph where it needs values; a decorator.

    Converted code does this for the functions that it calls; operators need it said.
    """

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        if not STACK.recorders:
            return function(*args, **kwargs)
        return deferral.get()(function)(*args, **kwargs)

    return run  # type: ignore[return-value]


def run_whole(name: str, result: Callable[..., Any], function: Callable[..., R], *args: Any) -> R:
    """Calls a function, as one operation of a graph if one is made; see `graph_operation`."""
    return graph_operation(name, result)(function)(*args)


def _always(*_: Any, **__: Any) -> bool:
    return True


def has_symbols(*args: Any, **kwargs: Any) -> bool:
    """Whether a tensor whose value only the run of a graph tells is among the arguments."""
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
      dtype: Of the result; that of the argument by default.
    """

    def result(new: New, x: Any, *_: Any, **__: Any) -> Tensor:
        return new(x._value.shape, x._value.dtype if dtype is None else dtype)

    return result


def of_shape(shape: Sequence[Any], dtype: Any) -> Callable[..., Tensor]:
    """The result of a function that always gives this shape and dtype, None for what is unknown."""
    return lambda new, *_, **__: new(shape, dtype)
