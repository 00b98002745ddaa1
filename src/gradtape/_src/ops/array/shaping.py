"""Changing shapes: axes made, dropped, exchanged, repeated, joined and split."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.compute.repeat_rows import repeated
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import (
    axis_index,
    extents,
    integer,
    integers,
    invalid,
    shown_shape,
    sizes,
)
from gradtape._src.declare.families import (
    broadcast_to_p,
    concat_p,
    count,
    general,
    reduce_sum_p,
    reshape_p,
    shape_of,
    stack_p,
    transpose_leading,
    transpose_p,
)
from gradtape._src.declare.pointwise import conjugate
from gradtape._src.declare.row_partitions import RaggedRows
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.ops.array.gather_rows import gather_p


@export("reshape")
@raw_op("Reshape")
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Gives the same elements another shape.

    Args:
      tensor: A tensor.
      shape: The new shape; one length may be -1, to be worked out.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: The numbers of elements differ, or `shape` is no vector of integers.
    """
    x = tensor if type(tensor) is Tensor else convert_to_tensor(tensor)
    new = _solved(x._value.shape, sizes(shape, "Reshape"))
    return reshape_p(x, shape=new)  # type: ignore[no-any-return]


@lru_cache(4096)
def _solved(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
    """A shape with its -1 worked out."""
    open_ = [i for i, n in enumerate(new) if n == -1]
    for i, n in enumerate(new):
        if n < -1:
            raise invalid(f"Size {i} must be non-negative, not {n} [Op:Reshape]")
    if len(open_) > 1:
        raise invalid(
            f"Only one input size may be -1, not both {open_[0]} and {open_[1]} [Op:Reshape]"
        )
    total = count(old)
    if open_:
        rest = count([n for n in new if n != -1])
        if not rest:
            # The lengths of old axes stand for themselves where everything is empty.
            left = count([n for n in old if n]) // max(count([n for n in new if n > 0]), 1)
            return tuple(left if n == -1 else n for n in new)
        if total % rest:
            raise invalid(
                f"Input to reshape is a tensor with {total} values, but the requested shape "
                f"requires a multiple of {rest} [Op:Reshape] ({shown_shape(old)} to "
                f"{shown_shape(new)})"
            )
        return tuple(total // rest if n == -1 else n for n in new)
    if count(new) != total:
        raise invalid(
            f"Input to reshape is a tensor with {total} values, but the requested shape has "
            f"{count(new)} [Op:Reshape] ({shown_shape(old)} to {shown_shape(new)})"
        )
    return new


@export("transpose")
@raw_op("Transpose", x="a")
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """Permutes the axes.

    Args:
      a: A tensor.
      perm: The axis of `a` that stands at each place of the result; reversed unless said.
      conjugate: Whether to conjugate complex elements too.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: `perm` is no permutation of the axes.
    """
    x = a if type(a) is Tensor else convert_to_tensor(a)
    rank = x._value.ndim
    if perm is None:
        order = _REVERSED[rank]
    else:
        order = _permutation(sizes(perm, "Transpose", "perm"), rank)
    out = transpose_p(x, perm=order)
    return _conjugate(out) if conjugate else out  # type: ignore[no-any-return]


_conjugate = conjugate
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
            raise invalid(f"{p} is missing from {{{names}}}. [Op:Transpose]")
    return order


@export("expand_dims")
@raw_op("ExpandDims")
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """Puts in an axis of length one.

    Args:
      input: A tensor.
      axis: Where it stands; negative places count from the end of the result.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: The axis is out of range.
    """
    if type(input) is not Tensor and isinstance(input, RaggedRows):
        return input._run("expand_dims", input, axis)
    x = tensor(input)
    shape = shape_of(x)
    message = f"Tried to expand dim index {{axis}} for tensor with {len(shape)} dimensions."
    place = axis_index(axis, len(shape) + 1, "ExpandDims", message)
    return reshape_p(x, shape=(*shape[:place], 1, *shape[place:]))


@export("squeeze")
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """Drops axes of length one: all of them, or those named.

    Raises:
      InvalidArgumentError: A named axis is out of range or longer than one.
    """
    if type(input) is not Tensor and isinstance(input, RaggedRows):
        return input._run("squeeze", input, axis)
    x = tensor(input)
    shape = shape_of(x)
    message = f"Tried to squeeze dim index {{axis}} for tensor with {len(shape)} dimensions."
    if axis is None or (isinstance(axis, (list, tuple)) and not axis):
        gone = {i for i, n in enumerate(shape) if n == 1}
    else:
        gone = {
            axis_index(a, len(shape), "Squeeze", message) for a in sizes(axis, "Squeeze", "axis")
        }
    for i in sorted(gone):
        if shape[i] != 1:
            raise invalid(
                f"Can not squeeze dim[{i}], expected a dimension of 1, got {shape[i]} [Op:Squeeze]"
            )
    return reshape_p(x, shape=tuple(n for i, n in enumerate(shape) if i not in gone))


@export("broadcast_to")
@raw_op("BroadcastTo")
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Repeats a tensor along axes of length one, and along new ones in front.

    Raises:
      InvalidArgumentError: The shape is not one that the tensor broadcasts to.
    """
    x = tensor(input)
    own, new = shape_of(x), extents(shape, "BroadcastTo")
    if len(own) > len(new):
        raise invalid(
            f"Rank of input ({len(own)}) must be no greater than rank of output shape "
            f"({len(new)}). [Op:BroadcastTo]"
        )
    for n, m in zip(reversed(own), reversed(new), strict=False):
        if n not in (1, m):
            raise invalid(
                f"Incompatible shapes: {shown_shape(own)} vs. {shown_shape(new)} [Op:BroadcastTo]"
            )
    return broadcast_to_p(x, shape=new)  # type: ignore[no-any-return]


def _tile(x: Any, *, multiples: tuple[int, ...]) -> Any:
    return np.tile(x, multiples)


def _tile_pull(g: Any, x_shape: tuple[int, ...], multiples: tuple[int, ...]) -> Any:
    from_pairs = [n for pair in zip(multiples, x_shape, strict=True) for n in pair]
    g = reshape_p(g, shape=tuple(from_pairs))
    return reduce_sum_p(g, axis=tuple(range(-2 * len(multiples), 0, 2)), keepdims=False)


tile_p: Bound = general(
    "Tile",
    _tile,
    {"x": _tile_pull},
    linear=["x"],
    batching=lambda size, batched, inputs, params: tile_p(
        inputs[0], multiples=(1, *params["multiples"])
    ),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


@export("tile")
@raw_op("Tile")
def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Repeats a tensor `multiples[i]` times along axis i.

    Raises:
      InvalidArgumentError: There are not as many multiples as axes, or one is negative.
    """
    if type(input) is not Tensor and isinstance(input, RaggedRows):
        return input._run("tile", input, multiples)
    x = tensor(input)
    repeats = integers(multiples, "Tile", "multiples")
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
            raise invalid(f"Expected multiples[{i}] >= 0, but got {n} [Op:Tile]")
    return tile_p(x, multiples=tuple(repeats.tolist()))


# Joining and splitting.


def like_tensors(values: Sequence[Any]) -> list[Tensor]:
    """A sequence as tensors; Python values take the dtype of the first that has one."""
    for v in values:
        if type(v) is not Tensor:
            break
    else:
        return list(values)
    dtype = next((v.dtype for v in values if isinstance(v, TensorLike)), None)  # type: ignore[attr-defined]
    if dtype is None:
        made = [convert_to_tensor(v) for v in values]
        dtype = made[0].dtype if made else None
        wider = [m.dtype for m in made if m.dtype.is_floating]
        if dtype is not None and dtype.is_integer and wider:
            dtype = wider[0] if all(not m._value.ndim for m in made) else dtype
    return [
        v
        if type(v) is Tensor
        else convert_to_tensor(v, None if isinstance(v, TensorLike) else dtype)
        for v in values
    ]


def _ragged(values: Any) -> list[RaggedRows]:
    return [v for v in values if type(v) is not Tensor and isinstance(v, RaggedRows)]


def _concat_ragged(values: Any, axis: Any) -> Any:
    if ragged := _ragged(values):
        return ragged[0]._run("concat", values, axis)
    raise invalid("concat: `values` is empty; give at least one tensor [Op:ConcatV2]")


_OUTSIDE = (
    "ConcatOp : Expected concatenating dimensions in the range [-{rank}, {rank}), but got {axis}"
)


@export("concat")
@raw_op("ConcatV2")
def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Joins tensors along an axis.

    Args:
      values: A sequence of tensors of one dtype and rank, equal but for the axis' length.
      axis: The axis.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: The ranks, shapes or dtypes differ, or the axis is out of range.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    xs = values
    for x in xs:
        if type(x) is not Tensor:
            xs = like_tensors(values) if not _ragged(values) else ()
            break
    if len(xs) == 1:
        integer(axis, "ConcatV2")
        return reshape_p(xs[0], shape=shape_of(xs[0]))
    if not xs:
        return _concat_ragged(values, axis)
    first = xs[0]._value.shape
    rank = len(first)
    if not rank:
        raise invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead) [Op:ConcatV2]")
    place = axis if type(axis) is int and 0 <= axis < rank else None
    if place is None:
        place = axis_index(axis, rank, "ConcatV2", _OUTSIDE)
    for x in xs:
        if x._value.shape != first:
            _check_joined([shape_of(x) for x in xs], place)
            break
    return concat_p(*xs, axis=place - rank)


def _check_joined(shapes: Sequence[tuple[int, ...]], place: int) -> None:
    """Raises InvalidArgumentError unless shapes are equal but for one axis."""
    first, rank = shapes[0], len(shapes[0])
    for i, own in enumerate(shapes):
        pair = f"shape[0] = {shown_shape(first)} vs. shape[{i}] = {shown_shape(own)}"
        if len(own) != rank:
            raise invalid(
                f"ConcatOp : Ranks of all input tensors should match: {pair} [Op:ConcatV2]"
            )
        bad = next((a for a in range(rank) if a != place and own[a] != first[a]), None)
        if bad is not None:
            raise invalid(
                f"ConcatOp : Dimension {bad} in both shapes must be equal: {pair} [Op:ConcatV2]"
            )


def _place(axis: Any, rank: int, op: str) -> int:
    """An axis from the front; ValueError, as `stack` and `unstack` raise, if out of range."""
    i = integer(axis, op)
    low = -rank if rank else 0
    if not low <= i < rank:
        raise ValueError(f"Argument `axis` = {i} not in range [{low}, {rank})")
    return i % rank


@export("stack")
@raw_op("Pack")
def stack(values: Any, axis: Any = 0, name: str = "stack") -> Any:
    """Puts tensors of one shape side by side along a new axis.

    Args:
      values: A sequence of tensors of one shape and dtype.
      axis: Where the new axis stands.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: The shapes or dtypes differ.
      ValueError: The axis is out of range.
    """
    if isinstance(values, TensorLike):
        values = unstack(values)
    xs = list(values)
    for x in xs:
        if type(x) is not Tensor and isinstance(x, RaggedRows):
            return x._run("stack", xs, axis)
    if not any(isinstance(x, TensorLike) for x in xs):
        xs = _by_all(xs)
    xs = like_tensors(xs)
    if not xs:
        return convert_to_tensor([])
    first = shape_of(xs[0])
    place = _place(axis, len(first) + 1, "Pack")
    for i, x in enumerate(xs):
        if shape_of(x) != first:
            raise invalid(
                f"Shapes of all inputs must match: values[0].shape = {shown_shape(first)} != "
                f"values[{i}].shape = {shown_shape(shape_of(x))} [Op:Pack]"
            )
    out = stack_p(*xs)
    if not place:
        return out
    return transpose_p(out, perm=(*range(1, place + 1), 0, *range(place + 1, len(first) + 1)))


def _by_all(values: list[Any]) -> list[Any]:
    """Python values as tensors of the dtype that all of them together ask for."""
    try:
        return unstack(convert_to_tensor(values)) if values else values
    except (TypeError, ValueError):
        return values


def _unstack(x: Any) -> tuple[Any, ...]:
    if x.ndim > 1 or x.dtype.kind != "O":
        return tuple(x)
    return tuple([x[k : k + 1].reshape(()) for k in range(x.shape[0])])


unstack_p: Bound = general(
    "Unpack",
    _unstack,
    {"x": lambda g: stack_p(*g)},
    linear=["x"],
    batching=lambda size, batched, inputs, params: unstack_p(transpose_leading(inputs[0])),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


@export("unstack")
@raw_op("Unpack")
def unstack(value: Any, num: Any = None, axis: Any = 0, name: str = "unstack") -> list[Tensor]:
    """Takes a tensor apart along an axis.

    Args:
      value: A tensor.
      num: How many parts are expected.
      axis: The axis.
      name: Accepted for compatibility.

    Returns:
      A list of tensors without that axis.

    Raises:
      ValueError: The axis is out of range.
      InvalidArgumentError: The axis has another length than `num`.
    """
    x = tensor(value)
    shape = shape_of(x)
    place = _place(axis, len(shape), "Unpack")
    if num is not None and shape[place] != num:
        raise invalid(
            f"Input shape axis {place} must equal {num}, got shape {shown_shape(shape)} [Op:Unpack]"
        )
    if place:
        rest = [a for a in range(len(shape)) if a != place]
        x = transpose_p(x, perm=(place, *rest))
    return list(unstack_p(x)) if shape[place] else []


def _split(x: Any, *, lengths: tuple[int, ...], axis: int) -> tuple[Any, ...]:
    parts, at = [], 0
    rest = (slice(None),) * (-1 - axis)
    for n in lengths:
        parts.append(x[(..., slice(at, at + n), *rest)])
        at += n
    return tuple(parts)


split_p = general(
    "SplitV",
    _split,
    {"x": lambda g, axis: concat_p(*g, axis=axis)},
    linear=["x"],
    batching="leading",  # the axis counts from the end
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


@export("split")
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str = "split"
) -> Any:
    """Splits a tensor along an axis.

    Args:
      value: A tensor.
      num_or_size_splits: The number of equal parts, or the parts' lengths, one of which may be
        -1 for what remains.
      axis: The axis.
      num: The number of parts, checked where lengths are given.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: The parts do not make up the whole, or the axis is out of range.
      ValueError: The number of parts is a scalar tensor.
    """
    if type(value) is not Tensor and isinstance(value, RaggedRows):
        return value._run("split", value, num_or_size_splits, axis)
    x = tensor(value)
    shape = shape_of(x)
    rank = len(shape)
    given = num_or_size_splits
    if isinstance(given, TensorLike) and not given.ndim:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {given}"
        )
    equal = not isinstance(given, (list, tuple, np.ndarray, TensorLike))
    op = "Split" if equal else "SplitV"
    message = f"-input rank({-rank}) <= split_dim < input rank ({rank}), but got {{axis}}"
    place = axis_index(axis, rank, op, message)
    whole = shape[place]
    if equal:
        n = integer(given, op, "num_or_size_splits")
        if n < 1:
            raise invalid(
                f"Value for attr 'num_split' of {n} must be at least minimum 1 [Op:Split]"
            )
        if whole % n:
            raise invalid(
                "Number of ways to split should evenly divide the split dimension, but got "
                f"split_dim {place} (size = {whole}) and num_split {n} [Op:Split]"
            )
        lengths = [whole // n] * n
    else:
        lengths = _lengths(integers(given, op, "num_or_size_splits"), whole)
        if num is not None and num != len(lengths):
            raise invalid(
                "size of the split_tensor must be 1-D and have the same elements as outputs got "
                f"1 -D and {len(lengths)} elements, where `num` is {num} [Op:SplitV]"
            )
    return list(split_p(x, lengths=tuple(lengths), axis=place - rank))


def _lengths(given: np.ndarray[Any, Any], whole: int) -> list[int]:
    """The lengths of parts, with -1 worked out."""
    if given.ndim != 1:
        raise invalid(
            "size of the split_tensor must be 1-D and have the same elements as outputs got "
            f"{given.ndim} -D and {given.size} elements [Op:SplitV]"
        )
    lengths = given.tolist()
    open_ = [i for i, n in enumerate(lengths) if n == -1]
    if len(open_) > 1:
        raise invalid("There can only be one -1 in the input. [Op:SplitV]")
    for i, n in enumerate(lengths):
        if n < -1:
            raise invalid(f"Split size at index {i} must be >= 0. Got: {n} [Op:SplitV]")
    known = sum(n for n in lengths if n != -1)
    if known > whole or (not open_ and known != whole):
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {known} [Op:SplitV] (the axis has length {whole})"
        )
    return [whole - known if n == -1 else n for n in lengths]


@export("repeat")
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Repeats each element along an axis.

    Args:
      input: A tensor.
      repeats: How often, one number or one for each element along the axis.
      axis: The axis; unless said, the tensor is flattened first.
      name: Accepted for compatibility.

    Raises:
      ValueError: `repeats` has more than one axis or another length than the axis.
    """
    x = tensor(input)
    if axis is None:
        x, axis = reshape_p(x, shape=(count(shape_of(x)),)), 0
    shape = shape_of(x)
    place = axis_index(axis, len(shape), "Repeat", "`axis` {axis} not in range for rank {rank}")
    times = integers(repeats, "Repeat", "repeats")
    if times.ndim > 1:
        raise ValueError(f"Shape {times.shape} must have rank at most 1")
    n = shape[place]
    if times.size not in (1, n):
        raise ValueError(f"Dimensions {n} and {times.size} are not compatible")
    if times.size == 1:
        m = int(times.reshape(()))
        x = reshape_p(x, shape=(*shape[: place + 1], 1, *shape[place + 1 :]))
        x = broadcast_to_p(x, shape=(*shape[: place + 1], m, *shape[place + 1 :]))
        return reshape_p(x, shape=(*shape[:place], n * m, *shape[place + 1 :]))  # type: ignore[no-any-return]
    rows = Tensor(repeated(np.arange(n), times))
    return gather_p(x, rows, axis=place, batch_dims=0)  # type: ignore[no-any-return]


# Copies.

identity_p = general(
    "Identity",
    lambda x: x,
    {"x": lambda g: g},
    linear=["x"],
    batching="leading",
    sparse=True,
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True),
)


@export("identity")
@raw_op("Identity")
def identity(input: Any, name: str | None = None) -> Any:
    """Gives a tensor of the same value, a tensor of its own to a tape; rows stay rows."""
    if isinstance(input, IndexedSlices):
        return IndexedSlices(identity(input.values), input.indices, input.dense_shape)
    if type(input) is not Tensor and isinstance(input, RaggedRows):
        return input._over_values(identity)
    return identity_p(tensor(input))


@export("identity_n")
@raw_op("IdentityN")
def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Gives tensors of the same values as several others."""
    return [identity(x) for x in input]
