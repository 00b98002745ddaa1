"""The shape, size and rank of tensors, as tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, int32
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import index_dtype, invalid, shown_shape, sizes
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.named_results import named
from gradtape._src.declare.open_graphs import ordered, when_run
from gradtape._src.declare.unknown_sizes import NeedsRank, NeedsSize, Size, is_unknown, surely_equal

if TYPE_CHECKING:
    from gradtape._src.declare.named_results import BroadcastAxes

shape_p = general(
    "Shape",
    lambda x, *, kind: np.array(x.shape, kind),
    xla=lambda x, *, kind: jnp.array(x.shape, kind),
)
size_p = general(
    "Size", lambda x, *, kind: kind.type(x.size), xla=lambda x, *, kind: jnp.array(x.size, kind)
)
"""The shape and size of a tensor with unknown lengths, as operations of a graph."""


def _of_lengths(x: Tensor, lengths: Any) -> Tensor:
    """Returns a tensor of lengths, and records which of them are unknown."""
    x._value.consists_of(np.array(lengths, object))
    return x


@export("shape", direct=True)
@raw_op("Shape", differentiable=False)
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Returns a tensor's shape as a vector of integers.

    The shape of a ragged tensor is a `DynamicRaggedShape`.

    Args:
      input: A tensor.
      out_type: int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A vector with the length of each axis, of dtype `out_type`.

    >>> tf.shape([[1, 2, 3], [4, 5, 6]]).numpy()
    array([2, 3], dtype=int32)
    """
    dims = _dims(input)
    kind = _index_type(out_type)
    if is_unknown(dims):
        return _of_lengths(shape_p(tensor(input), kind=kind), dims)
    try:
        return ordered(Tensor(np.array(dims, kind)), name or "Shape")
    except OverflowError:
        raise _too_long("Shape", dims, kind) from None


@export("shape_n")
@raw_op("ShapeN", differentiable=False)
def shape_n(input: Sequence[Any], out_type: Any = int32, name: str | None = None) -> list[Tensor]:
    """Returns the shapes of several tensors.

    Args:
      input: A list of tensors.
      out_type: int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A list with a vector of lengths for each tensor, of dtype `out_type`.

    >>> [s.numpy().tolist() for s in tf.shape_n([[1, 2], [[3], [4]]])]
    [[2], [2, 1]]
    """
    return [shape(x, out_type) for x in input]


@export("size", direct=True)
@raw_op("Size", differentiable=False)
def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Returns the number of elements of a tensor.

    Args:
      input: A tensor.
      out_type: int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A scalar tensor of dtype `out_type`.

    >>> tf.size([[1, 2, 3], [4, 5, 6]]).numpy()
    np.int32(6)
    """
    try:
        n: Any = math.prod(_dims(input))
    except NeedsRank:
        return when_run(size, input, out_type)
    kind = np.dtype(np.int32) if out_type is None else as_dtype(out_type).np_dtype
    if type(n) is Size:
        return _of_lengths(size_p(tensor(input), kind=kind), n)
    try:
        return ordered(Tensor(kind.type(n)), name or "Size")
    except OverflowError:
        raise _too_long("Size", n, kind) from None


def _too_long(op: str, found: Any, kind: np.dtype[Any]) -> InvalidArgumentError:
    return InvalidArgumentError(
        None,
        None,
        f"{op} output type is {kind.itemsize * 8}-bit but the {op.lower()} is {found} [Op:{op}] "
        "(pass out_type=tf.int64)",
    )


@export("rank", direct=True)
@raw_op("Rank", differentiable=False)
def rank(input: Any, name: str | None = None) -> Tensor:
    """Returns the number of axes of a tensor.

    Args:
      input: A tensor.
      name: Accepted for compatibility.

    Returns:
      A scalar int32 tensor.

    >>> tf.rank([[1, 2, 3], [4, 5, 6]]).numpy()
    np.int32(2)
    """
    try:
        return ordered(Tensor(np.int32(len(_dims(input)))), name or "Rank")
    except NeedsRank:
        return when_run(rank, input)


def _dims(x: Any) -> tuple[int, ...]:
    if type(x) is Tensor:
        out: tuple[int, ...] = x._value.shape
        return out
    if isinstance(x, IndexedSlices) and x.dense_shape is not None:
        return tuple(x.shape)
    return shape_of(tensor(x))


def _index_type(dtype: Any) -> np.dtype[Any]:
    return index_dtype(dtype, int32, "Shape").np_dtype


@export("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """Computes the shape that two shapes broadcast to, as a vector of integers.

    Args:
      shape_x: A vector of integers.
      shape_y: A vector of integers.

    Returns:
      A vector of integers: the shape to which both broadcast.

    Raises:
      InvalidArgumentError: The shapes do not broadcast.

    >>> tf.broadcast_dynamic_shape([2, 1], [1, 3]).numpy()
    array([2, 3], dtype=int32)
    """
    x, y = sizes(shape_x, "BroadcastArgs"), sizes(shape_y, "BroadcastArgs")
    try:
        return ordered(Tensor(np.array(np.broadcast_shapes(x, y), np.int32)), "BroadcastArgs")
    except NeedsSize:
        return when_run(broadcast_dynamic_shape, shape_x, shape_y)
    except ValueError:
        raise invalid(
            f"Incompatible shapes: {shown_shape(x)} vs. {shown_shape(y)} [Op:BroadcastArgs]"
        ) from None


def _is_one(n: Any) -> bool:
    return type(n) is not Size and n == 1


def _is_broadcast_known(one: Any, two: Any) -> bool:
    """Whether it is known along which axes two shapes with unknown lengths are broadcast."""
    pairs = zip(one.tolist()[::-1], two.tolist()[::-1], strict=False)
    return all(
        surely_equal([a], [b]) or _is_one(a) or _is_one(b) or Size not in (type(a), type(b))
        for a, b in pairs
    )


@raw_op("BroadcastGradientArgs", differentiable=False)
def _broadcast_gradient_args(s0: Any, s1: Any, name: str | None = None) -> BroadcastAxes:
    """Returns, for two operands that were broadcast, the axes over which gradients are summed.

    Args:
      s0: The shape of the first operand, a vector of integers.
      s1: The shape of the second operand.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: The shapes do not broadcast.
    """
    given = [convert_to_tensor(s, dtype_hint="int32") for s in (s0, s1)]
    known: list[Any] = [getattr(s._value, "elements", None) for s in given]
    if any(s is None for s in known) or not _is_broadcast_known(*known):
        known = [np.asarray(s) for s in given]
    one, two = (s.tolist() for s in known)
    rank = max(len(one), len(two))
    one, two = ([1] * (rank - len(s)) + s for s in (one, two))
    pairs = list(zip(one, two, strict=True))
    if any(not surely_equal([a], [b]) and not _is_one(a) and not _is_one(b) for a, b in pairs):
        raise invalid(
            f"Incompatible shapes: {known[0].tolist()} vs. {known[1].tolist()} "
            "[Op:BroadcastGradientArgs]",
        )
    same = len(known[0]) == len(known[1]) and surely_equal(one, two)
    axes = [[i for i, n in enumerate(s) if _is_one(n) and not same] for s in (one, two)]
    kind = given[0].dtype.np_dtype
    found: BroadcastAxes = named("BroadcastGradientArgs", [Tensor(np.array(a, kind)) for a in axes])
    return found
