"""Lengths that the value of a tensor tells when a graph runs, as in `tf.zeros([n, 2])`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.recorder import STACK, active_tapes
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import lengths_checked, sizes, unknown_lengths
from gradtape._src.declare.graph_operations import of_shape, whole_calls
from gradtape._src.declare.unknown_sizes import Size, UnforeseenLength


def extents(value: Any, op: str, what: str = "shape") -> tuple[int, ...]:
    """Returns a shape argument as a tuple of lengths that a tensor can have.

    Args:
      value: The argument.
      op: The operation, for messages.
      what: The argument's name.

    Raises:
      InvalidArgumentError: A length is negative, or it is not a vector of integers.
      ResourceExhaustedError: No memory could hold so many elements.
    """
    open_ = lengths_of_values(value) if active_tapes() is None else None
    return lengths_checked(sizes(value, op, what) if open_ is None else open_, op, what)


def lengths_of_values(shape: Any) -> tuple[Any, ...] | None:
    """Returns a shape argument as a tuple with unknown lengths for what only a run tells.

    A negative value ends that run.

    Args:
      shape: A sequence of integers and tensors, or a tensor.

    Returns:
      None if all of it is known, or if nothing is traced that could take such lengths.
    """
    found = unknown_lengths(shape)
    if found is not None and not any(map(_is_open, found)):
        return found
    tracer: Any = next((r for r in STACK.recorders if getattr(r, "defers", False)), None)
    if tracer is None or tracer.for_xla or tracer.open_graph is not None:
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
    """Whether something is a tensor of integers whose value only a run tells."""
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
    count = shape[0] if rank else 1
    result = of_shape([None] * count, np.dtype(bool))
    made = whole_calls.get()("LengthsOf", _of_lengths, (x,), {}, result, False, True, True)
    lengths: tuple[Any, ...] = made._value.shape
    return lengths


def _of_lengths(x: Tensor) -> Tensor:
    """Returns a tensor of such lengths, which takes no memory."""
    lengths = np.atleast_1d(x._numpy())
    if lengths.size and lengths.min() < 0:
        raise UnforeseenLength("a negative length")
    return convert_to_tensor(np.broadcast_to(np.zeros((), bool), tuple(lengths.tolist())))
