"""The structural operations, such as reshape and broadcast, which the rules of all others use.

They also implement batches for operations without a batching rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, TypeAlias, overload

import numpy as np

from gradtape._src.compute.axis_sums import add, column_sums
from gradtape._src.compute.formulas import of_arrays
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.compute.raw_value import RawValue
from gradtape._src.core.primitive import Bound, Outputs, Primitive
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.general import (
    BATCHING,
    COMPLEX,
    INEXACT,
    NUMERIC,
    dtype_of_value,
    general,
    shape_of,
)
from gradtape._src.declare.plans import zeros_of_unknown_length
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import NeedsSize, Size, is_unknown, surely_equal
from gradtape._src.declare.xla_kernels import in_float32, pad_xla

ndarray = np.ndarray
Value: TypeAlias = Tensor | RawValue
"""The type of values in a derivative rule: tensors, or raw values if no recorder is active."""
_NOTHING = np.zeros((), np.uint8)
_MOST = 1 << 36
"""The maximum number of elements of a broadcast result."""
_PLAIN = (np.float32, np.float64, np.float16, np.complex64, np.complex128)

# Running operations on batches.


def with_axis(size: int, batched: Sequence[bool], inputs: Sequence[Any]) -> list[Any]:
    """Returns the inputs, repeated along a new batch axis if they have none."""
    return [
        x if b else broadcast_to_p(x, shape=(size, *shape_of(x)))
        for b, x in zip(batched, inputs, strict=True)
    ]


def leading(
    primitive: Primitive, size: int, batched: Sequence[bool], inputs: Sequence[Any], params: Any
) -> Outputs:
    """Runs all examples in one call: the kernel accepts any number of leading axes."""
    return primitive.bind(*with_axis(size, batched, inputs), **params)


def one_by_one(
    primitive: Primitive, size: int, batched: Sequence[bool], inputs: Sequence[Any], params: Any
) -> Outputs:
    """Runs one call per example and stacks the results, if there is no batching rule."""
    if not size:
        return without_examples(primitive, batched, inputs, params)
    outs = []
    for k in range(size):
        row = [take_row(x, k) if b else x for b, x in zip(batched, inputs, strict=True)]
        outs.append(primitive.bind(*row, **params))
    if type(outs[0]) is tuple:
        return tuple(stack_p(*column) for column in zip(*outs, strict=True))
    return stack_p(*outs)


def without_examples(
    primitive: Primitive, batched: Sequence[bool], inputs: Sequence[Any], params: Any
) -> Outputs:
    """Returns the outputs for an empty batch: runs an arbitrary example, and removes its result.

    Only a run determines their shapes and dtypes.
    """
    one = [with_an_example(x) if b else x for b, x in zip(batched, inputs, strict=True)]
    out = primitive.batch(1, batched, one, params)
    if type(out) is tuple:
        return tuple(slice_p(y, begin=(0,), end=(0,)) for y in out)
    return slice_p(out, begin=(0,), end=(0,))


_TURN = 0.618034  # the fractional parts of its multiples look random


def with_an_example(x: Any) -> Tensor:
    """Returns a batch of one example, with values that are in the domain of most functions."""
    shape, dtype = (1, *shape_of(x)[1:]), dtype_of_value(x)
    if dtype.kind == "O":
        example = np.full(shape, b"", object)
    elif dtype.type in INEXACT:
        numbers = np.modf(np.arange(count(shape)) * _TURN)[0] + 0.5
        example = numbers.reshape(shape).astype(dtype)
    else:
        example = np.zeros(shape, dtype)
    return concat_p(x, example, axis=-len(shape))


def take_row(x: Any, k: int) -> Tensor:
    """Returns `x[k]` of a tensor or raw value."""
    row = slice_p(x, begin=(k,), end=(k + 1,))
    return reshape_p(row, shape=shape_of(x)[1:])


BATCHING["leading"], BATCHING["one by one"] = leading, one_by_one


# The structural operations.


def _reshape(x: Any, *, shape: tuple[int, ...]) -> Any:
    try:
        out = x.reshape(shape)
    except ValueError:  # of an array whose length was unknown when the graph was made
        raise invalid(
            f"Input to reshape is a tensor with {x.size} values, but the requested shape has "
            f"{count(shape)} [Op:Reshape] ({shown_shape(x.shape)} to {shown_shape(shape)})"
        ) from None
    return out if shape or out.dtype.kind == "O" else out[()]


reshape_p: Bound = general(
    "Reshape",
    _reshape,
    {"x": lambda g, x_shape: reshape_p(g, shape=x_shape)},
    linear=["x"],
    batching=lambda size, batched, inputs, params: reshape_p(
        inputs[0], shape=(size, *params["shape"])
    ),
    xla=lambda x, *, shape: jnp.reshape(x, shape),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


def aligned(size: int, batched: Sequence[bool], inputs: Sequence[Any]) -> list[Any]:
    """Aligns batched inputs that broadcast, so that the batch axis stays the first axis."""
    ranks = [len(shape_of(x)) - b for x, b in zip(inputs, batched, strict=True)]
    out = []
    for x, b, rank in zip(inputs, batched, ranks, strict=True):
        missing = (1,) * (max(ranks) - rank)
        wide = (size, *missing, *shape_of(x)[1:])
        out.append(reshape_p(x, shape=wide) if b and missing else x)
    return out


def with_lengths_of(x: Tensor, shape: tuple[Any, ...]) -> Tensor:
    """Returns a tensor whose shape has the symbolic lengths of another, equal shape."""
    own = shape_of(x)
    if not is_unknown(own) or surely_equal(own, shape):
        return x
    return reshape_p(x, shape=shape)


def _broadcast_to(x: Any, *, shape: tuple[int, ...]) -> Any:
    if not shape:
        return x
    if prod(shape) > _MOST:  # the result takes no memory, but what is computed from it does
        raise MemoryError(f"Unable to allocate an array with shape {shape}")
    if type(x) in _PLAIN:  # takes a fifth of the time of np.broadcast_to
        return ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
    if type(x) is ndarray and x.dtype.type in _PLAIN and x.flags.c_contiguous:
        out = ndarray(shape, x.dtype, x, 0, _strides(x.shape, x.strides, shape))
        out.flags.writeable = False
        return out
    return np.broadcast_to(x, shape)


@lru_cache(4096)
def _strides(own: tuple[int, ...], strides: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """Returns the strides of a broadcast array."""
    return np.broadcast_to(np.lib.stride_tricks.as_strided(_NOTHING, own, strides), shape).strides


def _batched_broadcast(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    (x,), shape = inputs, params["shape"]
    own = shape_of(x)[1:]
    x = reshape_p(x, shape=(size, *(1,) * (len(shape) - len(own)), *own))
    return broadcast_to_p(x, shape=(size, *shape))


broadcast_to_p: Bound = general(
    "BroadcastTo",
    _broadcast_to,
    {"x": lambda g, x_shape, out_shape: unbroadcast(g, out_shape, x_shape)},
    linear=["x"],
    batching=_batched_broadcast,
    xla=lambda x, *, shape: jnp.broadcast_to(x, shape),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


def _reduce_sum(x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    return add(x, axis, keepdims)


def expand_reduced(
    g: Value, x_shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool
) -> Value:
    """Returns a reduction's cotangent with axes of length one inserted for the reduced axes."""
    if keepdims or len(axis) == len(x_shape):
        return g
    kept = list(x_shape)
    for a in axis:
        kept[a] = 1
    return reshape_p(g, shape=tuple(kept))


def spread(g: Any, x_shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool) -> Tensor:
    """Returns a reduction's cotangent, repeated for each reduced element."""
    if axis and axis[-1] == len(axis) - 1 - len(x_shape):  # broadcasting inserts the first axes
        return broadcast_to_p(g, shape=x_shape)
    return broadcast_to_p(expand_reduced(g, x_shape, axis, keepdims), shape=x_shape)


reduce_sum_p: Bound = general(
    "Sum",
    _reduce_sum,
    {"x": spread},
    linear=["x"],
    batching="leading",
    dtypes=NUMERIC,
    same=slice(1),
    xla=in_float32(lambda x, *, axis, keepdims: jnp.sum(x, axis, x.dtype, keepdims=keepdims)),
    traits=Traits(pattern=Pattern.REDUCED),
)


def inverse_permutation(perm: Sequence[int]) -> tuple[int, ...]:
    """Returns the permutation that undoes `perm`."""
    back = [0] * len(perm)
    for i, p in enumerate(perm):
        back[p] = i
    return tuple(back)


transpose_p: Bound = general(
    "Transpose",
    lambda x, *, perm: x.transpose(perm),
    {"x": lambda g, perm: transpose_p(g, perm=inverse_permutation(perm))},
    linear=["x"],
    batching=lambda size, batched, inputs, params: transpose_p(
        inputs[0], perm=(0, *(p + 1 for p in params["perm"]))
    ),
    xla=lambda x, *, perm: jnp.transpose(x, perm),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


def swap_last(x: Any) -> Tensor:
    """Returns the transpose of a matrix, or of each matrix in a stack."""
    n = len(shape_of(x))
    return transpose_p(x, perm=(*range(n - 2), n - 1, n - 2))


def _slice(x: Any, *, begin: tuple[int, ...], end: tuple[int, ...]) -> Any:
    return x[tuple(slice(b, e) for b, e in zip(begin, end, strict=True))]


def _slice_vjp(g: Any, x_shape: Any, begin: Any, end: Any) -> Any:
    after = [n - e for n, e in zip(x_shape, end, strict=False)]
    rest = len(x_shape) - len(begin)
    return pad_p(g, before=(*begin, *(0,) * rest), after=(*after, *(0,) * rest))


slice_p: Bound = general(
    "Slice",
    _slice,
    {"x": _slice_vjp},
    linear=["x"],
    batching=lambda size, batched, inputs, params: slice_p(
        inputs[0], begin=(0, *params["begin"]), end=(size, *params["end"])
    ),
    xla=_slice,
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


def _pad(x: Any, *, before: tuple[int, ...], after: tuple[int, ...]) -> Any:
    shape = tuple(b + n + a for b, n, a in zip(before, x.shape, after, strict=True))
    out = np.zeros(shape, x.dtype) if x.dtype.kind != "O" else np.full(shape, b"", object)
    out[tuple(slice(b, b + n) for b, n in zip(before, x.shape, strict=True))] = x
    return out


pad_p: Bound = general(
    "Pad",
    _pad,
    {
        "x": lambda g, x_shape, before: slice_p(
            g, begin=before, end=tuple(b + n for b, n in zip(before, x_shape, strict=True))
        )
    },
    linear=["x"],
    batching=lambda size, batched, inputs, params: pad_p(
        inputs[0], before=(0, *params["before"]), after=(0, *params["after"])
    ),
    xla=lambda x, **lengths: pad_xla(x, 0, **lengths),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


def _stack(*xs: Any) -> Any:
    dtype = xs[0].dtype
    if dtype.kind == "O" or dtype.names:  # objects, quantized numbers and handles
        return np.stack(xs)
    return np.array(xs, dtype)  # takes a quarter of the time of np.stack


stack_p: Bound = general(
    "Pack",
    _stack,
    {"xs": lambda g: [take_row(g, k) for k in range(shape_of(g)[0])]},
    linear=["xs"],
    batching=lambda size, batched, inputs, params: transpose_leading(
        stack_p(*with_axis(size, batched, inputs))
    ),
    same=slice(None),
    xla=lambda *xs: jnp.stack(xs),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


def transpose_leading(x: Any) -> Tensor:
    """Returns `x` with its first two axes exchanged."""
    return transpose_p(x, perm=(1, 0, *range(2, len(shape_of(x)))))


@lru_cache(4096)
def _reduced_axes(full: tuple[Any, ...], own: tuple[Any, ...]) -> tuple[int, ...]:
    """Returns the axes, counted from the end, along which `own` was broadcast to `full`.

    An axis of unknown length is among them if it may have been broadcast from 1.

    Raises:
      NeedsSize: That depends on an unknown length of `own`.
    """
    padded = (1,) * (len(full) - len(own)) + own
    axes = []
    for i, (n, m) in enumerate(zip(full, padded, strict=True)):
        if type(m) is Size:
            if not surely_equal((n,), (m,)):
                raise NeedsSize(f"whether the length {m} was broadcast to {n}")
        elif m == 1 and (type(n) is Size or n != 1 or i < len(full) - len(own)):
            axes.append(i - len(full))
    return tuple(axes)


@lru_cache(4096)
def _summing(full: tuple[int, ...], own: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Returns the function that sums an array of shape `full` and a dtype to shape `own`."""
    axes = _reduced_axes(full, own)
    if not axes:
        return lambda g: g
    of_columns = axes == (-2,) and len(full) == 2 and len(own) == 1
    if of_columns and (sums := column_sums(full, dtype)) is not None:
        return sums

    def summed(g: Any) -> Any:
        out: Any = add(g, axes)
        return out if out.shape == own else out.reshape(own)[()]

    return summed


def unbroadcast(g: Value, full: tuple[int, ...], own: tuple[int, ...]) -> Value:
    """Returns the cotangent of a value of shape `own` that was broadcast to `full`."""
    if type(g) is ndarray:
        if g.shape == own:
            return g
        found: RawValue = _summing(g.shape, own, g.dtype)(g)
        return found
    if own is full:
        return g
    try:
        axes = _reduced_axes(full, own)
    except NeedsSize:  # only a run tells
        return sum_to_p(g, shape=own)
    if not axes:
        return g
    missing = len(full) - len(own)
    if len(axes) == missing:  # the first axes alone
        return reduce_sum_p(g, axis=axes, keepdims=False)
    g = reduce_sum_p(g, axis=axes, keepdims=True)
    return reshape_p(g, shape=own) if missing else g


def _sum_to(g: Any, *, shape: tuple[int, ...]) -> Any:
    return unbroadcast(g, g.shape, shape)


sum_to_p: Bound = general(
    "SumTo",
    _sum_to,
    {"g": lambda d, g_shape: broadcast_to_p(d, shape=g_shape)},
    linear=["g"],
    batching="one by one",
    xla=in_float32(
        lambda g, *, shape: jnp.sum(g, _reduced_axes(g.shape, shape), g.dtype).reshape(shape)
    ),
)


def _number(x: Any, *, n: Any) -> Any:
    return x.dtype.type(n)


number_p: Bound = general("Number", _number, xla=_number)


def merged(x: np.ndarray[Any, Any], kept: int) -> np.ndarray[Any, Any]:
    """Merges all axes but the last `kept` of an array, which may be empty."""
    lead = x.ndim - kept
    return x.reshape(prod(x.shape[:lead]), *x.shape[lead:])


def repeated(value: RawValue, shape: tuple[int, ...]) -> RawValue:
    """Returns a raw value filled with one number or string, also for a symbolic shape."""
    if not is_unknown(shape):
        filled: np.ndarray[Any, Any] = np.full(shape, value)
        return filled if filled.dtype == object else filled[()]
    placeholder: RawValue = broadcast_to_p(Tensor(value), shape=shape)._value
    return placeholder


def number(n: Any, dtype: np.dtype[Any]) -> RawValue:
    """Returns a count as a raw scalar, also one that depends on a symbolic length."""
    if type(n) is not Size:
        known: RawValue = dtype.type(n)
        return known
    placeholder: RawValue = number_p(Tensor(dtype.type(0)), n=n)._value
    return placeholder


def zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> RawValue:
    """Returns zeros, or empty strings if the dtype is object, as a raw value."""
    if dtype.kind == "O":
        return repeated(np.array(b"", object), shape)
    if is_unknown(shape):
        return repeated(dtype.type(0), shape)
    out: RawValue = np.zeros(shape, dtype)[()]
    return out


zeros_of_unknown_length.provide(lambda shape, dtype: Tensor(zeros(shape, dtype)))


def count(shape: Sequence[int]) -> int:
    """Returns the number of elements of a shape."""
    return prod(shape)


def _concat_vjp(g: Any, xs_shape: Sequence[tuple[int, ...]], axis: int) -> list[Any]:
    rank, at, parts = len(xs_shape[0]), 0, []
    for shape in xs_shape:
        begin = [0] * rank
        end = list(shape)
        begin[axis], end[axis] = at, at + shape[axis]
        at = end[axis]
        parts.append(slice_p(g, begin=tuple(begin), end=tuple(end)))
    return parts


_concatenate = of_arrays(np.concatenate)
concat_p: Bound = general(
    "ConcatV2",
    lambda *xs, axis: _concatenate(xs, axis),
    {"xs": _concat_vjp},
    linear=["xs"],
    batching="leading",  # the axis counts from the end
    same=slice(None),
    xla=lambda *xs, axis: jnp.concatenate(xs, axis),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


conj_p: Bound = general(
    "Conj",
    lambda x: np.conjugate(x),
    {"x": lambda g: conj_p(g)},
    linear=["x"],
    batching="leading",
    xla=lambda x: jnp.conj(x),
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True),
)
_REAL_SCALARS = frozenset({float, np.float32, np.float64})


@overload
def conjugate(x: Tensor) -> Tensor: ...
@overload
def conjugate(x: RawValue) -> Value: ...
def conjugate(x: Any) -> Value:
    """Returns the conjugate of a complex value; a real value is returned unchanged.

    TensorFlow's gradient of a holomorphic f is g * conj(f'(x)).
    """
    out: Value = x
    if type(x) in _REAL_SCALARS:
        return out
    return conj_p(x) if dtype_of_value(x).type in COMPLEX else out
