"""Moves elements: rolling and reversing."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import axis_index, integers, invalid, known, sizes
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.declare.structural import reshape_p, transpose_p
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.index_errors import failing
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.comparison import less_equal_p
from gradtape._src.ops.elementwise.selection import select_p


def _roll(x: Any, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Any:
    return np.roll(x, shift, axis)


roll_p: Bound = general(
    "Roll",
    _roll,
    {"x": lambda g, shift, axis: roll_p(g, shift=tuple(-s for s in shift), axis=axis)},
    linear=["x"],
    batching="leading",  # axes are counted from the end
    xla=lambda x, *, shift, axis: jnp.roll(x, shift, axis),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


@export("roll")
@raw_op("Roll")
@deferrable
def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Rolls elements along axes: elements that move past the end reappear at the beginning.

    Args:
      input: A tensor of rank one or more.
      shift: The number of positions to shift by, an integer or one integer for each axis.
      axis: The axis or axes; an axis that occurs twice is rolled twice.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `input`.

    Raises:
      InvalidArgumentError: An axis is out of range, or the numbers of shifts and axes differ.

    >>> tf.roll([1, 2, 3, 4], shift=1, axis=0).numpy()
    array([4, 1, 2, 3], dtype=int32)
    """
    x = tensor(input)
    rank = len(shape_of(x))
    if not rank:
        raise invalid("input must be 1-D or higher [Op:Roll]")
    shifts, axes = sizes(shift, "Roll", "shift"), sizes(axis, "Roll", "axis")
    scalars = not np.ndim(shift), not np.ndim(axis)
    if len(shifts) != len(axes) or scalars[0] != scalars[1]:
        raise invalid("shift and axis must have the same size [Op:Roll]")
    for a in axes:
        if not -rank <= a < rank:
            return failing("Roll", x, f"axis {a} is out of range [Op:Roll]", shape_of(x))
    return roll_p(x, shift=shifts, axis=tuple(a % rank - rank for a in axes))


reverse_p: Bound = general(
    "ReverseV2",
    lambda x, *, axis: np.flip(x, axis),
    {"x": lambda g, axis: reverse_p(g, axis=axis)},
    linear=["x"],
    batching="leading",  # axes are counted from the end
    xla=lambda x, *, axis: jnp.flip(x, axis),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


@export("reverse")
@raw_op("ReverseV2")
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Reverses the order along axes.

    Args:
      tensor: A tensor.
      axis: A sequence of axes.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `tensor`.

    Raises:
      InvalidArgumentError: An axis is out of range or occurs twice, or `axis` is not a sequence.

    >>> tf.reverse([[1, 2], [3, 4]], axis=[1]).numpy()
    array([[2, 1],
           [4, 3]], dtype=int32)
    """
    x = convert_to_tensor(tensor)
    given = integers(axis, "ReverseV2", "axis")
    rank = len(shape_of(x))
    if given.ndim != 1:
        raise invalid(
            f"'dims' must be 1-dimension, not {given.ndim} [Op:ReverseV2] (`axis` is a list)"
        )
    if not rank:  # TensorFlow's kernel does not look at the axes then
        return x
    places: list[int] = []
    for i, a in enumerate(given.tolist()):
        if not -rank <= a < rank:
            raise invalid(f"'axis'[{i}] = {a} is out of valid range [0, {rank - 1}] [Op:ReverseV2]")
        if a % rank - rank in places:
            raise invalid(f"axis {a % rank} specified more than once. [Op:ReverseV2]")
        places.append(a % rank - rank)
    return reverse_p(x, axis=tuple(places)) if places else reshape_p(x, shape=shape_of(x))


def _lengths(value: Any) -> Any:
    return integers(value, "ReverseSequence", "seq_lengths").reshape(-1)


def _turned(x: Any, ends: Any, along: int) -> Any:
    """Returns the source index of each element, for unknown lengths."""
    places = Tensor(np.arange(shape_of(x)[along], dtype=np.int64))
    last = reshape_p(cast_p(ends, dtype=np.dtype(np.int64)), shape=(*shape_of(ends), 1)) - 1
    return select_p(less_equal_p(places, last), last - places, places)


def _turned_by(lengths: np.ndarray[Any, Any], size: int) -> Tensor:
    """Returns the source index of each element, for known lengths."""
    if np.any(lengths > size):
        bad = int(np.argmax(lengths > size))
        raise invalid(f"seq_lens({bad}) > input.dims({size}) [Op:ReverseSequence]", About.VALUES)
    if np.any(lengths < 0):
        raise invalid("seq_lens must not be negative [Op:ReverseSequence]", About.VALUES)
    places = np.arange(size)
    return Tensor(np.where(places < lengths[:, None], lengths[:, None] - 1 - places, places))


@export("reverse_sequence")
@raw_op("ReverseSequence", seq_dim="seq_axis", batch_dim="batch_axis")
@deferrable
def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
) -> Tensor:
    """Reverses the first `seq_lengths[i]` elements of each example i.

    Args:
      input: A tensor.
      seq_lengths: An integer vector, one length per example.
      seq_axis: The axis to reverse along.
      batch_axis: The axis of the examples. Defaults to 0.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `input`.

    Raises:
      InvalidArgumentError: A length is too large, or the numbers of lengths and examples differ.
      TypeError: `seq_axis` is not given.

    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy()
    array([[2, 1, 3],
           [6, 5, 4]], dtype=int32)
    """
    x = tensor(input)
    shape = shape_of(x)
    if seq_axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None.")
    message = "ReverseSequence: axis {axis} is out of range for rank {rank}"
    along = axis_index(seq_axis, len(shape), "ReverseSequence", message)
    batch = axis_index(batch_axis or 0, len(shape), "ReverseSequence", message)
    ends = tensor(seq_lengths)
    count = shape_of(ends)
    if not may_be_equal(count, shape[batch : batch + 1]):
        raise invalid(
            f"Length of seq_lengths != input.dims({batch}), ({count[0]} vs. {shape[batch]}) "
            "[Op:ReverseSequence]"
        )
    rows = (
        _turned_by(_lengths(seq_lengths), shape[along]) if known(ends) else _turned(x, ends, along)
    )
    rest = [a for a in range(len(shape)) if a not in (batch, along)]
    order = (batch, along, *rest)
    out = gather_p(transpose_p(x, perm=order), rows, axis=1, batch_dims=1)
    return transpose_p(out, perm=tuple(np.argsort(order).tolist()))
