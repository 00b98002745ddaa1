"""Changes shapes: adds, removes, exchanges and repeats axes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import (
    axis_index,
    integer,
    integers,
    invalid,
    shown_shape,
    sizes,
    unknown_lengths,
)
from gradtape._src.declare.attributes import attribute
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.graph_operations import New, graph_operation, has_symbols, result_by
from gradtape._src.declare.lengths_of_values import dimensions, extents
from gradtape._src.declare.open_graphs import open_graph, when_run
from gradtape._src.declare.structural import (
    broadcast_to_p,
    conj_p,
    count,
    reduce_sum_p,
    reshape_p,
    transpose_p,
)
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import (
    NeedsRank,
    Size,
    UnknownRank,
    is_unknown,
    may_be_equal,
)
from gradtape._src.ops.array.gather import gather_p


def _reshaped(new: New, tensor: Any, shape: Any, name: Any = None) -> Tensor:
    """Returns the result of a reshape to a shape that is partly unknown until a graph runs."""
    x = convert_to_tensor(tensor)._value
    found = dimensions(shape)
    if found is None:
        return new(None, x.dtype)
    dims = [None if n is None or (type(n) is int and n < 0) else n for n in found]
    if dims.count(None) == 1 and type(x.shape) is tuple:
        rest = count([n for n in dims if n is not None])
        if rest and count(x.shape) % rest:
            raise ValueError(
                f"Cannot reshape a tensor with {count(x.shape)} elements to shape "
                f"{shown_shape(found)} ({rest} elements) for {{{{node Reshape}}}} = Reshape"
            )
        dims = [count(x.shape) // rest if n is None and rest else n for n in dims]
    return new(dims, x.dtype)


@export("reshape", direct=True)
@result_by(_reshaped)
@raw_op("Reshape")
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Returns a tensor with the same elements in another shape.

    Args:
      tensor: A tensor.
      shape: The new shape; one length may be -1, and is then inferred.
      name: Accepted for compatibility.

    Returns:
      A tensor of the new shape, with the elements of `tensor` in the same order.

    Raises:
      InvalidArgumentError: The new shape has a different number of elements, or is not a vector of
        integers.

    >>> tf.reshape([[1, 2, 3], [4, 5, 6]], (3, -1)).numpy()
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)
    """
    x = tensor if type(tensor) is Tensor else convert_to_tensor(tensor)
    unknown = type(x._value) is not np.ndarray and open_graph() is not None
    try:
        new = _solved(x._value.shape, sizes(shape, "Reshape"), unknown)
    except NeedsRank:
        return when_run(reshape, x, shape)
    return reshape_p(x, shape=new)


@lru_cache(4096)
def _solved(
    old: tuple[int, ...], new: tuple[int, ...], is_checked_in_run: bool = False
) -> tuple[int, ...]:
    """Returns a shape with its -1 replaced.

    Args:
      old: The tensor's shape.
      new: The requested shape.
      is_checked_in_run: Whether any unknown length may fit, as in TensorFlow 1 graphs.
    """
    open_ = [i for i, n in enumerate(new) if n == -1]
    for i, n in enumerate(new):
        if n < -1:
            raise invalid(f"Size {i} must be non-negative, not {n} [Op:Reshape]")
    if len(open_) > 1:
        raise invalid(
            f"Only one input size may be -1, not both {open_[0]} and {open_[1]} [Op:Reshape]"
        )
    total: Any = count(old)
    is_open = is_checked_in_run and type(total) is Size
    if open_:
        rest = count([n for n in new if n != -1])
        if not rest:
            # For empty tensors, -1 keeps the length of the old axis.
            left = count([n for n in old if n]) // max(count([n for n in new if n > 0]), 1)
            return tuple(left if n == -1 else n for n in new)
        if not is_open and total % rest:
            raise invalid(
                f"Input to reshape is a tensor with {total} values, but the requested shape "
                f"requires a multiple of {rest} [Op:Reshape] ({shown_shape(old)} to "
                f"{shown_shape(new)})"
            )
        return tuple(total // rest if n == -1 else n for n in new)
    if not is_open and count(new) != total:
        raise invalid(
            f"Input to reshape is a tensor with {total} values, but the requested shape has "
            f"{count(new)} [Op:Reshape] ({shown_shape(old)} to {shown_shape(new)})"
        )
    return new


def _transposed(
    new: New, a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose"
) -> Tensor:
    """Returns the result of a transposition if the order is known only when a graph runs."""
    x = convert_to_tensor(a)
    count = None if perm is None else convert_to_tensor(perm)._value.size
    return new([None] * count if type(count) is int else None, x._value.dtype)


@export("transpose", direct=True)
@result_by(_transposed)
@raw_op("Transpose", x="a")
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """Permutes the axes.

    Args:
      a: A tensor.
      perm: The axis of `a` for each axis of the result. Defaults to the reverse order.
      conjugate: Whether complex elements are also conjugated.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `a`, whose axis i is the axis `perm[i]` of `a`.

    Raises:
      InvalidArgumentError: `perm` is not a permutation of the axes.

    >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy()
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)
    """
    x = a if type(a) is Tensor else convert_to_tensor(a)
    try:
        rank = x._value.ndim
    except NeedsRank:
        return when_run(transpose, x, perm, conjugate)
    if perm is None:
        order = _REVERSED[rank]
    else:
        order = _permutation(sizes(perm, "Transpose", "perm"), rank)
    out = transpose_p(x, perm=order)
    return conj_p(out) if conjugate and out._value.dtype.kind == "c" else out


_REVERSED = [tuple(reversed(range(rank))) for rank in range(65)]


@lru_cache(4096)
def _permutation(given: tuple[int, ...], rank: int) -> tuple[int, ...]:
    if len(given) != rank:
        raise invalid(
            f"transpose expects a vector of size {rank}. But input(1) is a vector of size "
            f"{len(given)} [Op:Transpose] (`perm` must name each axis once)"
        )
    for p in given:
        if not -rank <= p < rank:
            raise invalid(f"{p} is out of range [0 .. {rank}) [Op:Transpose]")
    order = tuple(p % rank for p in given)
    for p in range(rank):
        if p not in order:
            names = ",".join(map(str, given))
            raise invalid(f"{p} is missing from {{{names}}}. [Op:Transpose]", About.VALUES)
    return order


@export("expand_dims", direct=True)
@raw_op("ExpandDims")
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """Inserts an axis of length one.

    Args:
      input: A tensor.
      axis: The position of the new axis; negative positions count from the end of the result. A
        list or tensor of one number counts as that number.
      name: Accepted for compatibility.

    Returns:
      A tensor with one additional axis.

    Raises:
      InvalidArgumentError: The axis is out of range.

    >>> tf.expand_dims([1, 2, 3], axis=1).shape
    TensorShape([3, 1])
    """
    x = tensor(input)
    shape = shape_of(x)
    try:
        rank = len(shape)
    except NeedsRank:
        return when_run(expand_dims, x, axis)
    message = f"Tried to expand dim index {{axis}} for tensor with {rank} dimensions."
    if type(axis) is not int:
        given = integers(convert_to_tensor(axis) if axis is None else axis, "ExpandDims", "dim")
        if given.size != 1:
            raise invalid("'dim' must be a tensor with a single value [Op:ExpandDims]")
        axis = int(given.reshape(()))
    place = axis_index(axis, len(shape) + 1, "ExpandDims", message)
    return reshape_p(x, shape=(*shape[:place], 1, *shape[place:]))


@export("squeeze", direct=True)
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Removes axes of length one.

    Args:
      input: A tensor.
      axis: The axes to remove. Defaults to all axes of length one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the elements of `input`, without these axes.

    Raises:
      InvalidArgumentError: A named axis is out of range or longer than one.
      InvalidArgumentError: An axis is not of length one, or is out of range.

    >>> tf.squeeze(tf.zeros((1, 3, 1))).shape
    TensorShape([3])
    >>> tf.squeeze(tf.zeros((1, 3, 1)), axis=0).shape
    TensorShape([3, 1])
    """
    x = tensor(input)
    shape = shape_of(x)
    try:
        rank = len(shape)
    except NeedsRank:
        return when_run(squeeze, x, axis)
    message = f"Tried to squeeze dim index {{axis}} for tensor with {rank} dimensions."
    if axis is None or (isinstance(axis, (list, tuple)) and not axis):
        gone = {i for i, n in enumerate(shape) if n == 1}
    else:
        given = axis if isinstance(axis, (list, tuple)) else (axis,)
        axes = [a if type(a) is int else attribute("int", "axis", a) for a in given]
        gone = {axis_index(a, len(shape), "Squeeze", message) for a in axes}
    for i in sorted(gone):
        if shape[i] != 1:
            raise invalid(
                f"Can not squeeze dim[{i}], expected a dimension of 1, got {shape[i]} [Op:Squeeze]"
            )
    return reshape_p(x, shape=tuple(n for i, n in enumerate(shape) if i not in gone))


@export("broadcast_to", direct=True)
@raw_op("BroadcastTo")
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Repeats a tensor along axes of length one, and along new axes in front of it.

    Args:
      input: A tensor.
      shape: The shape to which `input` broadcasts.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `shape`.

    Raises:
      InvalidArgumentError: The tensor does not broadcast to the shape.
      InvalidArgumentError: `input` does not broadcast to the shape.

    >>> tf.broadcast_to([1, 2, 3], (2, 3)).numpy()
    array([[1, 2, 3],
           [1, 2, 3]], dtype=int32)
    """
    x = tensor(input)
    try:
        own, new = shape_of(x), extents(shape, "BroadcastTo")
    except NeedsRank:
        return when_run(broadcast_to, x, shape)
    if len(own) > len(new):
        raise invalid(
            f"Rank of input ({len(own)}) must be no greater than rank of output shape "
            f"({len(new)}). [Op:BroadcastTo]"
        )
    for n, m in zip(reversed(own), reversed(new), strict=False):
        if not is_unknown((n, m)) and n not in (1, m):
            raise invalid(
                f"Incompatible shapes: {shown_shape(own)} vs. {shown_shape(new)} [Op:BroadcastTo]"
            )
    return broadcast_to_p(x, shape=new)


def _tile(x: Any, *, multiples: tuple[int, ...]) -> Any:
    return np.tile(x, multiples)


def _tile_vjp(g: Any, x_shape: tuple[int, ...], multiples: tuple[int, ...]) -> Any:
    from_pairs = [n for pair in zip(multiples, x_shape, strict=True) for n in pair]
    g = reshape_p(g, shape=tuple(from_pairs))
    return reduce_sum_p(g, axis=tuple(range(-2 * len(multiples), 0, 2)), keepdims=False)


tile_p: Bound = general(
    "Tile",
    _tile,
    {"x": _tile_vjp},
    linear=["x"],
    batching=lambda size, batched, inputs, params: tile_p(
        inputs[0], multiples=(1, *params["multiples"])
    ),
    xla=lambda x, *, multiples: jnp.tile(x, multiples),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


@export("tile", direct=True)
@raw_op("Tile")
def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Repeats a tensor along its axes.

    Args:
      input: A tensor.
      multiples: The number of repetitions along each axis.
      name: Accepted for compatibility.

    Returns:
      A tensor whose length along axis i is `input.shape[i] * multiples[i]`.

    Raises:
      InvalidArgumentError: There are not as many multiples as axes, or one is negative.

    >>> tf.tile([[1, 2], [3, 4]], [1, 2]).numpy()
    array([[1, 2, 1, 2],
           [3, 4, 3, 4]], dtype=int32)
    """
    x = tensor(input)
    lengths = unknown_lengths(multiples)
    if lengths is not None:
        return tile_p(x, multiples=lengths)
    try:
        repeats = integers(multiples, "Tile", "multiples")
    except NeedsRank:
        return when_run(tile, x, multiples)
    if repeats.ndim != 1:
        raise invalid(
            f"Expected multiples to be 1-D, but got shape {shown_shape(repeats.shape)} [Op:Tile]"
        )
    if len(repeats) != len(shape_of(x)):
        raise invalid(
            f"Expected multiples argument to be a vector of length {len(shape_of(x))} but got "
            f"length {len(repeats)} [Op:Tile] (one multiple for each axis of the input)"
        )
    for i, n in enumerate(repeats):
        if n < 0:
            # TensorFlow takes -1 for an unknown length while it makes a graph.
            about = About.VALUES if n == -1 else About.SHAPES
            raise invalid(f"Expected multiples[{i}] >= 0, but got {n} [Op:Tile]", about)
    return tile_p(x, multiples=tuple(repeats.tolist()))


def _repeat_result(
    new: New, input: Any, repeats: Any, axis: Any = None, name: str | None = None
) -> Tensor:
    if type(shape_of(tensor(input))) is UnknownRank:
        return new(None if axis is not None else [None], tensor(input).dtype)
    x, _, place = _to_repeat(input, repeats, axis)
    shape = shape_of(x)
    return new([*shape[:place], None, *shape[place + 1 :]], x.dtype)


def _to_repeat(input: Any, repeats: Any, axis: Any) -> tuple[Tensor, Tensor, int]:
    """Returns the arguments of `repeat` if their dtypes and shapes fit, and the axis."""
    x, counts = tensor(input), tensor(repeats)
    if axis is None:
        x, axis = reshape_p(x, shape=(count(shape_of(x)),)), 0
    shape, lengths = shape_of(x), shape_of(counts)
    rank, place = len(shape), integer(axis, "Repeat")
    if not -rank <= place < rank:
        raise ValueError(f"axis={place} out of bounds: expected {-rank}<=axis<{rank}")
    place %= rank
    if not counts.dtype.is_integer:
        raise TypeError(f"repeats must be an integer tensor, got {counts.dtype.name}")
    if type(lengths) is not UnknownRank:
        if len(lengths) > 1:
            raise ValueError(f"Shape {shown_shape(lengths)} must have rank at most 1")
        if lengths and not any(may_be_equal(lengths, (m,)) for m in (1, shape[place])):
            raise ValueError(f"Dimensions {shape[place]} and {lengths[0]} are not compatible")
    return x, counts, place


def _unknown_repeats(input: Any, repeats: Any, *_: Any, **__: Any) -> bool:
    return has_symbols(repeats)


@export("repeat")
@graph_operation("Repeat", _repeat_result, when=_unknown_repeats)
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Repeats each element along an axis.

    Args:
      input: A tensor.
      repeats: The number of repetitions: one integer, or one for each element along the axis.
      axis: The axis. By default the tensor is flattened first.
      name: Accepted for compatibility.

    Returns:
      A tensor; along `axis` its length is the sum of the repeats.

    Raises:
      TypeError: `repeats` is not of integers.
      ValueError: `repeats` has more than one axis, or its length is not the length of the axis.
      InvalidArgumentError: `repeats` is negative.

    >>> tf.repeat([[1, 2], [3, 4]], [2, 1], axis=0).numpy()
    array([[1, 2],
           [1, 2],
           [3, 4]], dtype=int32)
    """
    x, counts, place = _to_repeat(input, repeats, axis)
    shape = shape_of(x)
    n = shape[place]
    times = integers(counts, "Repeat", "repeats")
    if times.size == 1:
        m = int(times.reshape(()))
        if m < 0:
            raise invalid(f"repeats = {m} is not in [0, {1 << 31}) [Op:Repeat]", About.VALUES)
        x = reshape_p(x, shape=(*shape[: place + 1], 1, *shape[place + 1 :]))
        x = broadcast_to_p(x, shape=(*shape[: place + 1], m, *shape[place + 1 :]))
        return reshape_p(x, shape=(*shape[:place], n * m, *shape[place + 1 :]))
    rows = Tensor(repeated(np.arange(n), times))
    return gather_p(x, rows, axis=place, batch_dims=0)


@raw_op("Squeeze")
def raw_squeeze(input: Any, axis: Any = (), name: str | None = None) -> Tensor:
    """Returns a tensor without the given axes of length one; by default, without all of them."""
    return squeeze(input, list(axis) or None)


@raw_op("ConjugateTranspose")
def _conjugate_transpose(x: Any, perm: Any, name: str | None = None) -> Tensor:
    """Returns the complex conjugate with its axes in another order."""
    return transpose(x, perm, conjugate=True)
