"""Joins and splits tensors along an axis: concat, stack, unstack, split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound, BoundOutputs
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.tracebacks import shorten
from gradtape._src.declare.arguments import (
    axis_index,
    integer,
    integers,
    invalid,
    scalar,
    shown_shape,
)
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.graph_operations import Described, New, whole_calls
from gradtape._src.declare.open_graphs import when_run
from gradtape._src.declare.outputs import several
from gradtape._src.declare.structural import (
    concat_p,
    reshape_p,
    stack_p,
    transpose_leading,
    transpose_p,
    with_lengths_of,
)
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import (
    NeedsRank,
    UnknownRank,
    is_unknown,
    may_be_equal,
    surely_equal,
)
from gradtape._src.ops.elementwise.identities import ensure_shape


def like_tensors(values: Sequence[Any]) -> list[Tensor]:
    """Converts a sequence to tensors; Python values get the dtype of the first tensor."""
    for v in values:
        if type(v) is not Tensor:
            break
    else:
        return list(values)
    dtype = next((v.dtype for v in values if isinstance(v, TensorLike)), None)
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


_OUTSIDE = (
    "ConcatOp : Expected concatenating dimensions in the range [-{rank}, {rank}), but got {axis}"
)


@export("concat", direct=True)
@raw_op("ConcatV2")
def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Joins tensors along an axis.

    Args:
      values: A sequence of tensors of one dtype, whose shapes are equal except along the axis.
      axis: The axis.
      name: Accepted for compatibility.

    Returns:
      A tensor of the inputs' rank and dtype; its length along the axis is the sum of the inputs'
      lengths.

    Raises:
      InvalidArgumentError: The ranks, shapes or dtypes differ, or the axis is out of range.

    >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0).numpy()
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)
    """
    if type(axis) is int and (type(values) is list or type(values) is tuple):
        run = _CONCAT_OF.get(len(values), _concat_of_many)
        if len(values) > 1 and type(first := values[0]) is Tensor:
            place = axis - first._value.ndim if axis >= 0 else axis
            found: Tensor | None = run(values, axis=place) if place < 0 else None
            if found is not None:
                return found
    elif not isinstance(values, (list, tuple)):
        values = [values]
    xs = like_tensors(values)
    if len(xs) == 1:
        _concat_axis(axis)
        return reshape_p(xs[0], shape=shape_of(xs[0]))
    if not xs:
        raise invalid("concat: `values` is empty; give at least one tensor [Op:ConcatV2]")
    try:
        return _concatenated(xs, axis)
    except NeedsRank:
        return when_run(concat, xs, axis)


def _if_usual(join: Bound) -> Callable[..., Tensor | None]:
    """Returns a function of many tensors that returns None in unusual cases, like `of_list`."""

    def run(values: Sequence[Any], **params: int) -> Tensor | None:
        usual = active_tapes() is not None and {*map(type, values)} == {Tensor}
        try:
            return join(*values, **params) if usual else None
        except Exception:  # noqa: BLE001 (the public function finds out what is wrong)
            return None

    return run


_CONCAT_OF, _concat_of_many = vars(concat_p)["of_list"], _if_usual(concat_p)
_STACK_OF, _stack_of_many = vars(stack_p)["of_list"], _if_usual(stack_p)


def _concatenated(xs: Any, axis: Any) -> Tensor:
    try:
        first = xs[0]._value.shape
        rank = len(first)
        if not rank:
            raise invalid(
                "ConcatOp : Can't concatenate scalars (use tf.stack instead) [Op:ConcatV2]"
            )
        place = axis if type(axis) is int and 0 <= axis < rank else None
        if place is None:
            place = axis_index(_concat_axis(axis), rank, "ConcatV2", _OUTSIDE)
        for x in xs[1:]:
            if _may_differ(x._value.shape, first):
                _check_joined([shape_of(x) for x in xs], place)
                xs = [with_lengths_of(x, _joined(shape_of(x), first, place)) for x in xs]
                break
        return concat_p(*xs, axis=place - rank)
    except Exception as error:
        shorten(error)
        raise


def _may_differ(own: tuple[int, ...], first: tuple[int, ...]) -> bool:
    """Whether shapes are known to differ; an unknown length is not known to differ."""
    known = type(own) is type(first) is tuple
    return own != first if known else not surely_equal(own, first)


def _joined(own: tuple[int, ...], first: tuple[int, ...], place: int) -> tuple[int, ...]:
    """Returns the shape of the concatenation of two tensors along an axis."""
    return (*first[:place], own[place], *first[place + 1 :])


def _check_joined(shapes: Sequence[tuple[int, ...]], place: int) -> None:
    """Raises InvalidArgumentError if shapes differ in an axis other than the given one."""
    first, rank = shapes[0], len(shapes[0])
    for i, own in enumerate(shapes):
        pair = f"shape[0] = {shown_shape(first)} vs. shape[{i}] = {shown_shape(own)}"
        if len(own) != rank:
            raise invalid(
                f"ConcatOp : Ranks of all input tensors should match: {pair} [Op:ConcatV2]"
            )
        others = [a for a in range(rank) if a != place]
        bad = next((a for a in others if not may_be_equal(own[a : a + 1], first[a : a + 1])), None)
        if bad is not None:
            raise invalid(
                f"ConcatOp : Dimension {bad} in both shapes must be equal: {pair} [Op:ConcatV2]"
            )


def _concat_axis(axis: Any) -> int:
    """Returns the axis as an integer; like TensorFlow, it accepts a list of one integer."""
    return scalar(axis, "ConcatV2", or_vector=True)


def _place(axis: Any, rank: int, op: str) -> int:
    """Returns a non-negative axis; raises the ValueError of `stack` if it is out of range."""
    i = integer(axis, op)
    low = -rank if rank else 0
    if not low <= i < rank:
        raise ValueError(f"Argument `axis` = {i} not in range [{low}, {rank})")
    return i % rank


_ONE = (str, bytes, int, float, complex, np.generic)


def _alone(value: Any, axis: Any) -> Tensor:
    """Returns a value that is not in a list, which is what stacking along the first axis gives."""
    if scalar(axis, "Pack"):
        if isinstance(value, (str, bytes)):
            raise ValueError(f"Argument `axis` = {axis} not in range [-1, 1)")
        raise TypeError(f"stack: `values` must be a list of tensors, got {value!r}")
    return convert_to_tensor(value)


@export("stack", direct=True)
@raw_op("Pack")
def stack(values: Any, axis: Any = 0, name: str = "stack") -> Tensor:
    """Stacks tensors of one shape along a new axis.

    Args:
      values: A sequence of tensors of one shape and dtype.
      axis: The position of the new axis.
      name: Accepted for compatibility.

    Returns:
      A tensor of the inputs' dtype, with one more axis than the inputs.

    Raises:
      InvalidArgumentError: The shapes or dtypes differ.
      ValueError: The axis is out of range.

    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    if type(axis) is int and not axis and type(values) is list:
        found: Tensor | None = _STACK_OF.get(len(values), _stack_of_many)(values)
        if found is not None:
            return found
    if isinstance(values, TensorLike):
        values = unstack(values)
    elif isinstance(values, _ONE) or getattr(values, "ndim", 1) == 0:
        return _alone(values, axis)
    return _stacked(values, axis)


def _stacked(values: Any, axis: Any) -> Tensor:
    xs = list(values)
    for x in xs:
        if type(x) is not Tensor:
            xs = _tensors_to_stack(xs)
            break
    if not xs:
        return convert_to_tensor([])
    first = shape_of(xs[0])
    place = _place(axis, len(first) + 1, "Pack")
    for x in xs[1:]:
        if _may_differ(x._value.shape, first):
            shapes = [shape_of(x) for x in xs]
            bad = next((i for i, own in enumerate(shapes) if not may_be_equal(own, first)), None)
            if bad is not None:
                pair = f"{shown_shape(first)} != values[{bad}].shape = {shown_shape(shapes[bad])}"
                raise invalid(
                    f"Shapes of all inputs must match: values[0].shape = {pair} [Op:Pack]"
                )
            xs = [with_lengths_of(x, first) for x in xs]
            break
    out = stack_p(*xs)
    if not place:
        return out
    return transpose_p(out, perm=(*range(1, place + 1), 0, *range(place + 1, len(first) + 1)))


def _tensors_to_stack(values: list[Any]) -> list[Tensor]:
    """Converts values to tensors; if there is no tensor among them, to their common dtype."""
    known = any(isinstance(x, TensorLike) for x in values)
    return like_tensors(values if known else _by_all(values))


def _by_all(values: list[Any]) -> list[Any]:
    """Converts Python values to tensors of their common dtype."""
    try:
        return unstack(convert_to_tensor(values)) if values else values
    except (TypeError, ValueError):
        return values


def _unstack(x: Any) -> tuple[Any, ...]:
    if x.ndim > 1 or x.dtype.kind != "O":
        return tuple(x)
    return tuple([x[k : k + 1].reshape(()) for k in range(x.shape[0])])


unstack_p: BoundOutputs[tuple[Tensor, ...]] = several(
    None,
    general(
        "Unpack",
        _unstack,
        {"x": lambda g: stack_p(*g)},
        linear=["x"],
        batching=lambda size, batched, inputs, params: unstack_p(transpose_leading(inputs[0])),
        xla=lambda x: tuple(x[k] for k in range(x.shape[0])),
        traits=Traits(pattern=Pattern.MOVED, passes_on=True),
    ),
)


@export("unstack")
@raw_op("Unpack")
def unstack(value: Any, num: Any = None, axis: Any = 0, name: str = "unstack") -> list[Tensor]:
    """Splits a tensor into its slices along an axis.

    Args:
      value: A tensor.
      num: The expected number of parts.
      axis: The axis.
      name: Accepted for compatibility.

    Returns:
      A list of tensors without that axis.

    Raises:
      ValueError: The axis is out of range.
      InvalidArgumentError: The length of the axis is not `num`.

    >>> [x.numpy().tolist() for x in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    x = tensor(value)
    shape = shape_of(x)
    if type(shape) is UnknownRank and num is not None:
        return _parts_at_run(x, num, axis)
    place = _place(axis, len(shape), "Unpack")
    if is_unknown(shape[place : place + 1]):
        if num is None:
            known = x.shape
            raise ValueError(f"Cannot infer argument `num` from shape {known} (give `num`)")
        x = ensure_shape(x, [num if i == place else None for i in range(len(shape))])
        shape = shape_of(x)
    if num == 0 and type(num) is int:  # as many results as were asked for, in TensorFlow, too
        return []
    if num is not None and not may_be_equal(shape[place : place + 1], (num,)):
        raise invalid(
            f"Input shape axis {place} must equal {num}, got shape {shown_shape(shape)} [Op:Unpack]"
        )
    if place:
        rest = [a for a in range(len(shape)) if a != place]
        x = transpose_p(x, perm=(place, *rest))
    return list(unstack_p(x)) if shape[place] else []


def _parts_at_run(x: Tensor, num: int, axis: Any) -> list[Tensor]:
    """Returns the parts of a tensor of unknown rank, as one operation of a graph."""
    described = Described(
        "Unpack", lambda y: unstack(y, num, axis), {"num": int(num), "axis": int(axis)}
    )

    def result(new: New, _: Tensor) -> list[Tensor]:
        return [new(None, x._value.dtype) for _ in range(num)]

    parts: list[Tensor] = whole_calls.get()("Unpack", described, (x,), {}, result, False)
    return parts


def _split(x: Any, *, lengths: tuple[int, ...], axis: int) -> tuple[Any, ...]:
    parts, at = [], 0
    rest = (slice(None),) * (-1 - axis)
    for n in lengths:
        parts.append(x[(..., slice(at, at + n), *rest)])
        at += n
    if at > x.shape[axis] or min(lengths, default=0) < 0:
        raise invalid(f"Sizes {lengths} to split axis of length {x.shape[axis]} [Op:SplitV]")
    return tuple(parts)


split_p = several(
    None,
    general(
        "SplitV",
        _split,
        {"x": lambda g, axis: concat_p(*g, axis=axis)},
        linear=["x"],
        batching="leading",  # the axis counts from the end
        xla=lambda x, *, lengths, axis: tuple(jnp.split(x, np.cumsum(lengths)[:-1].tolist(), axis)),
        traits=Traits(pattern=Pattern.MOVED, passes_on=True),
    ),
)


@export("split", direct=True)
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str = "split"
) -> list[Tensor]:
    """Splits a tensor along an axis.

    Args:
      value: A tensor.
      num_or_size_splits: The number of equal parts, or the parts' lengths, one of which may be -1
        for the rest.
      axis: The axis.
      num: The number of parts, checked if lengths are given.
      name: Accepted for compatibility.

    Returns:
      A list of tensors of the rank and dtype of `value`.

    Raises:
      InvalidArgumentError: The lengths of the parts do not add up to the length of the axis, or the
        axis is out of range.
      ValueError: The number of parts is a scalar tensor.

    >>> first, second = tf.split([1, 2, 3, 4, 5], [2, 3])
    >>> first.numpy(), second.numpy()
    (array([1, 2], dtype=int32), array([3, 4, 5], dtype=int32))
    """
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
    place = axis_index(scalar(axis, op), rank, op, message)
    whole = shape[place]
    if equal:
        if isinstance(given, (float, str, bytes)):
            raise ValueError(f"`num_or_size_splits` must be an integer or a list, got {given!r}")
        n = integer(given, op, "num_or_size_splits")
        if n < 1:
            raise invalid(
                f"Value for attr 'num_split' of {n} must be at least minimum 1 [Op:Split]",
                About.ATTRIBUTES,
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
    """Returns the lengths of parts, with -1 replaced."""
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


@raw_op("Concat")
def raw_concat(concat_dim: Any, values: Any, name: str | None = None) -> Tensor:
    """Concatenates tensors along an axis."""
    return concat(values, concat_dim)


@raw_op("Split")
def raw_split(axis: Any, value: Any, num_split: Any, name: str | None = None) -> list[Tensor]:
    """Splits a tensor into `num_split` equal parts along an axis."""
    return split(value, num_split, axis)


@raw_op("SplitV")
def raw_split_v(
    value: Any, size_splits: Any, axis: Any, num_split: Any, name: str | None = None
) -> list[Tensor]:
    """Splits a tensor into parts of given lengths along an axis."""
    return split(value, tensor(size_splits), axis, num_split)
