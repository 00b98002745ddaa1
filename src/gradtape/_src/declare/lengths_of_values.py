"""Lengths that are known only when a graph runs, as in `tf.zeros([n, 2])`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.recorder import STACK, active_tapes
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import lengths_checked, sizes, unknown_lengths
from gradtape._src.declare.graph_operations import of_shape, whole_calls
from gradtape._src.declare.unknown_sizes import NegativeLength, Size

values_in_graphs: ExtensionPoint[Callable[[Any], Any]] = ExtensionPoint("values of symbols")
"""Returns a symbol's integers as an array, with None for unknown ones.

Provided by graphs.
"""


def dimensions(shape: Any) -> list[Any] | None:
    """Returns a shape argument as a list, with None for lengths that are known only at run time.

    Args:
      shape: A sequence of integers and tensors, or a tensor.

    Returns:
      None if even the number of lengths is unknown.
    """
    if type(shape) not in (list, tuple):
        shape = [shape]
        if not isinstance(shape[0], TensorLike):
            return list(sizes(shape[0], "Shape"))
    found: list[Any] = []
    for x in shape:
        if not isinstance(x, TensorLike):
            found.append(x if type(x) is Size else int(x))
            continue
        value: Any = tensor(x)._value
        if type(value.shape) is not tuple:
            return None
        known = values_in_graphs.get()(value) if hasattr(value, "owner") else np.asarray(value)
        found += known.reshape(-1).tolist()
    return found


def static_value(symbol: Any, partial: bool) -> np.ndarray[Any, Any] | np.generic | None:
    """Returns the value of a symbol, if it is the same in every run of its graph, else None.

    Args:
      symbol: The symbol.
      partial: Whether the value may be known in part, with None for unknown elements.
    """
    known: np.ndarray[Any, Any] | np.generic | None = symbol.owner.known_value(symbol)
    if known is not None or type(symbol.shape) is not tuple or symbol.dtype.kind not in "iu":
        return known
    parts: np.ndarray[Any, Any] = values_in_graphs.get()(symbol).copy()
    numbers = [type(n) is int for n in parts.ravel()]
    if all(numbers):
        found: np.ndarray[Any, Any] | np.generic = parts.astype(symbol.dtype)[()]
        return found
    if not partial or not any(numbers):
        return None
    parts[~np.reshape(numbers, parts.shape)] = None
    return parts


def extents(value: Any, op: str, what: str = "shape") -> tuple[int, ...]:
    """Returns a shape argument as a tuple of lengths that a tensor can have.

    Args:
      value: The argument.
      op: The operation, for messages.
      what: The argument's name.

    Raises:
      InvalidArgumentError: A length is negative, or the argument is not a vector of integers.
      ResourceExhaustedError: There is not enough memory for the elements.
    """
    open_ = lengths_of_values(value) if active_tapes() is None else None
    return lengths_checked(sizes(value, op, what) if open_ is None else open_, op, what)


def lengths_of_values(shape: Any) -> tuple[Any, ...] | None:
    """Returns a shape argument as a tuple, in which lengths known only at run time are unknown.

    If such a length turns out negative, that run fails.

    Args:
      shape: A sequence of integers and tensors, or a tensor.

    Returns:
      None if all lengths are known, or if no trace that supports unknown lengths is active.
    """
    found = unknown_lengths(shape)
    if found is not None and not any(map(_is_open, found)):
        return found
    tracer: Any = next((r for r in STACK.recorders if getattr(r, "defers", False)), None)
    if tracer is None or tracer.for_xla:
        return None
    if isinstance(shape, TensorLike):
        return _lengths(tensor(shape), 1) if _is_open(shape) else None
    if type(shape) not in (list, tuple) or not any(map(_is_open, shape)):
        return None
    each = shape if found is None else found
    return tuple([n for x in each for n in (_entry(x) if _is_open(x) else (_known(x),))])


def _known(n: Any) -> Any:
    return n if type(n) is Size else int(n)


def _is_open(x: Any) -> bool:
    """Whether an object is a tensor of integers whose value is known only at run time."""
    if not isinstance(x, TensorLike):
        return False
    value: Any = tensor(x)._value
    if not hasattr(value, "owner") or value.elements is not None or value.dtype.kind not in "iu":
        return False
    return type(value.shape) is tuple


def _entry(x: Any) -> Sequence[Any]:
    return _lengths(tensor(x), 0) or (x,)


def _lengths(x: Tensor, rank: int) -> tuple[Any, ...] | None:
    shape: Any = x._value.shape
    if len(shape) != rank:
        return None
    known = [n if n is None or n >= 0 else None for n in dimensions(x) or []]
    result = of_shape(known, np.dtype(bool))
    made = whole_calls.get()("LengthsOf", _of_lengths, (x,), {}, result, False, True, True)
    lengths: tuple[Any, ...] = made._value.shape
    return lengths


def _of_lengths(x: Tensor) -> Tensor:
    """Returns a tensor whose shape has unknown lengths; it takes no memory."""
    lengths = np.atleast_1d(x._numpy())
    if lengths.size and lengths.min() < 0:
        raise NegativeLength(f"Dimension {lengths.min()} must be >= 0")
    return convert_to_tensor(np.broadcast_to(np.zeros((), bool), tuple(lengths.tolist())))
