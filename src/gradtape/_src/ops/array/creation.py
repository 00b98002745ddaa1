"""Making tensors: constants, ranges, and tensors filled with one value."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import DType, as_dtype, dtype_of, float32, string
from gradtape._src.base.error_messages import allocated, too_large
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.shapes import TensorShape
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor as _convert
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.variable import Variable
from gradtape._src.declare.arguments import extents, integer, invalid, known, shown_shape, sizes
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.structural import broadcast_to_p, concat_p, repeated, reshape_p
from gradtape._src.declare.structural import zeros as zeros_of_shape
from gradtape._src.declare.traits import Traits
from gradtape._src.declare.unknown_sizes import is_unknown
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.comparison import less_p


def zeros_of(x: Any, shape: tuple[int, ...] | None = None) -> Tensor:
    """Zeros of a tensor's or variable's dtype and, unless another is given, shape."""
    value = x._value
    shape = value.shape if shape is None else shape
    if value.dtype.kind == "O":
        return _filled(shape, b"", string)
    return Tensor(zeros_of_shape(shape, value.dtype))


@export("constant")
def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """Makes a tensor of a Python or NumPy value.

    Args:
      value: What `convert_to_tensor` takes, but for lists with tensors in them.
      dtype: The dtype of the result.
      shape: The shape of the result: a single element is repeated, others are reshaped.
      name: Accepted for compatibility.

    Raises:
      TypeError: The value does not fit the dtype or shape.
      ValueError: The value is ragged, mixed, or of a type without a tensor.

    >>> tf.constant([1, 2, 3, 4], shape=(2, 2)).shape
    TensorShape([2, 2])
    """
    if isinstance(value, TensorLike) and dtype is not None and value.dtype is not as_dtype(dtype):  # type: ignore[attr-defined]
        raise TypeError(
            f"Expected tensor {value} with dtype {as_dtype(dtype)!r}, but got dtype "
            f"{value.dtype!r} (tf.cast converts)."  # type: ignore[attr-defined]
        )
    if isinstance(value, Variable):
        value = value.read_value()
    x = _convert(value.as_list() if isinstance(value, TensorShape) else value, dtype)
    if shape is None:
        return x
    wanted = sizes(shape, "Const")
    own = shape_of(x)
    if own == wanted:
        return x
    n, m = math.prod(own), math.prod(wanted)
    if n == m:
        return reshape_p(x, shape=wanted)
    if n == 1:
        return broadcast_to_p(reshape_p(x, shape=()), shape=wanted)
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {x._numpy()} (converted "
        f"from {value}) has {n} elements, but got `shape` {wanted} with {m} elements)."
    )


@export("convert_to_tensor")
def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """Converts a Python, NumPy or tensor-like value to a tensor.

    Python floats become float32 and integers int32; arrays keep their dtype. A variable gives
    its present value as a tensor of its own.

    Args:
      value: A number, string, (nested) sequence of them, array, tensor, variable.
      dtype: The dtype that the result must have.
      dtype_hint: A dtype to try first, given up silently where it does not fit.
      name: Accepted for compatibility.

    Raises:
      ValueError: A tensor has another dtype than asked for, a sequence is ragged or mixed, or
        the type can't be converted.
      TypeError: A Python number does not fit the dtype.
    """
    x = _convert(value, dtype, dtype_hint)
    return value.read_value() if isinstance(value, Variable) else x


def _filled(shape: tuple[int, ...], value: Any, dtype: DType) -> Tensor:
    if dtype is string:
        out = allocated("Fill", shape, np.empty, shape, object)
        out[...] = value
        return Tensor(out)
    if is_unknown(shape):
        return Tensor(repeated(dtype.np_dtype.type(value), shape))
    return Tensor(allocated("Fill", shape, np.full, shape, value, dtype.np_dtype)[()])


@export("zeros")
def zeros(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Makes a tensor of zeros (empty strings for strings).

    Args:
      shape: Integers, scalar tensors among them, a tensor or a TensorShape.
      dtype: The dtype.
      name: Accepted for compatibility.
      layout: Accepted for compatibility.

    Raises:
      InvalidArgumentError: A length is negative.
      TypeError: The shape is not of integers.
    """
    dtype = as_dtype(dtype)
    if dtype is string:
        return _filled(_shape(shape), b"", dtype)
    wanted = _shape(shape)
    if is_unknown(wanted):
        return _filled(wanted, 0, dtype)
    return Tensor(allocated("Fill", wanted, np.zeros, wanted, dtype.np_dtype)[()])


@export("ones")
def ones(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Makes a tensor of ones; arguments and errors as `zeros`."""
    dtype = as_dtype(dtype)
    if dtype is string:
        raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
    return _filled(_shape(shape), 1, dtype)


def _shape(shape: Any) -> tuple[int, ...]:
    for n in shape if isinstance(shape, (list, tuple)) else (shape,):
        if isinstance(n, (float, str)):
            raise TypeError(f"Cannot convert {shape!r} to EagerTensor of dtype int32")
    return extents(shape, "Fill")


@export("zeros_like")
@raw_op("ZerosLike", differentiable=False, x="input")
def zeros_like(
    input: Any, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Makes zeros of another tensor's shape and, unless `dtype` says otherwise, dtype."""
    return _like(input, dtype, 0)


@export("ones_like")
@raw_op("OnesLike", differentiable=False, x="input")
def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Makes ones of another tensor's shape and, unless `dtype` says otherwise, dtype."""
    return _like(input, dtype, 1)


def _like(x: Any, dtype: Any, value: int) -> Tensor:
    own = x._value if isinstance(x, (Tensor, Variable)) else _convert(x)._value
    dtype = dtype_of(own) if dtype is None else as_dtype(dtype)
    if dtype is string:
        if value:
            raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
        return _filled(own.shape, b"", dtype)
    return _filled(own.shape, value, dtype)


@export("fill")
@raw_op("Fill")
def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
    """Makes a tensor whose elements all have one value.

    Args:
      dims: The shape.
      value: A scalar; the gradient flows to it.
      name: Accepted for compatibility.
      layout: Accepted for compatibility.

    Raises:
      InvalidArgumentError: A length is negative, or the value has more than one element.
    """
    x = tensor(value)
    if shape_of(x):
        if math.prod(shape_of(x)) != 1:
            raise invalid(f"value must be a scalar, got shape {shown_shape(shape_of(x))} [Op:Fill]")
        x = reshape_p(x, shape=())
    return broadcast_to_p(x, shape=extents(dims, "Fill", "dims"))


@export("eye", "linalg.eye")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Makes an identity matrix, or a batch of them.

    Args:
      num_rows: The number of rows.
      num_columns: The number of columns. Defaults to the number of rows.
      batch_shape: The axes in front.
      dtype: The dtype.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: A length is negative.
    """
    rows = integer(num_rows, "Eye", "num_rows")
    columns = rows if num_columns is None else integer(num_columns, "Eye", "num_columns")
    extents((rows, columns), "Fill", "num_rows, num_columns")
    kind = as_dtype(dtype).np_dtype
    matrix = allocated("Eye", (rows, columns), np.eye, rows, columns, 0, kind)
    if batch_shape is not None:
        lead = extents(batch_shape, "Eye", "batch_shape")
        matrix = allocated("Eye", (*lead, rows, columns), np.tile, matrix, (*lead, 1, 1))
    return Tensor(matrix)


_RANKS = ("int32", "int64", "float16", "bfloat16", "float32", "float64")


def range_dtype(bounds: Sequence[Tensor]) -> DType:
    """The dtype of a range: the widest of its bounds' and its step's."""
    dtypes = [x.dtype for x in bounds]
    return max(dtypes, key=lambda d: _RANKS.index(d.name) if d.name in _RANKS else -1)


@export("range")
@raw_op("Range", differentiable=False)
def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Tensor:
    """Makes the numbers from `start` up to but not including `limit`.

    Args:
      start: The first number, or, without `limit`, the limit of a range that begins at 0.
      limit: The bound.
      delta: The distance of neighbours.
      dtype: The dtype. Defaults to the widest of the arguments'.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: `delta` is zero, leads away from the limit, or one is no scalar.

    >>> tf.range(3, 18, 5).numpy().tolist()
    [3, 8, 13]
    """
    if limit is None:
        start, limit = 0, start
    given = {"start": start, "limit": limit, "delta": delta}
    if dtype is None:
        dtype = range_dtype([_convert(v) for v in given.values()])
    dtype = as_dtype(dtype)
    for k, v in given.items():
        x = v if isinstance(v, TensorLike) else _convert(v)
        if len(shape_of(x)):
            raise invalid(f"{k} must be a scalar, not shape {shown_shape(shape_of(x))} [Op:Range]")
    begin, end, step = [
        (np.asarray(tensor(v)._numpy()) if isinstance(v, TensorLike) else np.asarray(v)).astype(
            dtype.np_dtype
        )[()]
        for v in given.values()
    ]
    if not step:
        raise invalid(f"Requires delta != 0: {step} [Op:Range]")
    if (end - begin) * np.sign(step) < 0:
        sign, order = (">", "<=") if step > 0 else ("<", ">=")
        raise invalid(f"Requires start {order} limit when delta {sign} 0: {begin}/{end} [Op:Range]")
    if dtype.is_integer:
        n = -((int(begin) - int(end)) // int(step))
        return Tensor(_counted(n, int(begin), int(end), int(step), dtype.np_dtype))
    n = int(np.ceil(abs((end - begin) / step)))  # rounded as the dtype rounds
    out = begin + _numbers_below(n).astype(dtype.np_dtype) * step
    return Tensor(out.astype(dtype.np_dtype))


def _counted(n: int, begin: int, end: int, step: int, kind: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The `n` numbers from `begin` to below `end`; NumPy makes none of them where n is 2⁶³ - 1."""
    if n > sys.maxsize // kind.itemsize:
        raise too_large("Range", "it has more bytes than memory can have", (n,))
    return allocated("Range", (n,), np.arange, begin, end, step, kind)


def _numbers_below(n: int) -> np.ndarray[Any, Any]:
    """The numbers from 0 to below `n`, in 64 bits on every platform."""
    return _counted(n, 0, max(n, 0), 1, np.dtype(np.int64))


@export("linspace")
@raw_op("LinSpace", differentiable=False)
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """Makes evenly spaced numbers from `start` to `stop`, both included.

    Args:
      start: The first, a real tensor; integers are taken as float64, or float32 if of
        8 or 16 bits.
      stop: The last, of the same shape and dtype.
      num: How many.
      name: Accepted for compatibility.
      axis: Where the new axis stands.

    Raises:
      InvalidArgumentError: `num` is negative, or the dtypes differ.
    """
    a = tensor(start)
    b = _convert(stop, None if isinstance(stop, TensorLike) else a.dtype)
    n = integer(num, "LinSpace", "num")
    if a.dtype.is_integer:
        wide = np.float32 if a._value.dtype.itemsize <= 2 else np.float64
        a, b = (Tensor(x._value.astype(wide)) for x in (a, b))
    try:
        full = np.broadcast_shapes(shape_of(a), shape_of(b))
    except ValueError:
        raise invalid(
            f"Incompatible shapes: {shown_shape(shape_of(a))} vs. {shown_shape(shape_of(b))} "
            f"[Op:LinSpace] (`start` and `stop` must broadcast)"
        ) from None
    place = axis if axis >= 0 else axis + len(full) + 1
    split = (*full[:place], 1, *full[place:])
    a = reshape_p(broadcast_to_p(a, shape=full), shape=split)
    b = reshape_p(broadcast_to_p(b, shape=full), shape=split)
    if n <= 0:
        return Tensor(np.empty((*full[:place], 0, *full[place:]), a._value.dtype))
    if n == 1:
        return a
    parts = _numbers_below(n - 1).astype(a._value.dtype)
    parts = parts.reshape(n - 1, *(1,) * (len(full) - place))
    step = (b - a) / (n - 1)
    return concat_p(a + step * parts, b, axis=place - len(full) - 1)


def _one_hot(indices: Any, on: Any, off: Any, *, depth: int, axis: int) -> Any:
    hit = np.expand_dims(indices, axis) == np.arange(depth).reshape(depth, *(1,) * (-1 - axis))
    return np.where(hit, on, off)[()]


def _one_hot_xla(indices: Any, on: Any, off: Any, *, depth: int, axis: int) -> Any:
    places = np.arange(depth, dtype=np.int32).reshape(depth, *(1,) * (-1 - axis))
    return jnp.where(jnp.expand_dims(indices, axis) == places, on, off)


def _one_hot_batched(size: int, batched: Any, inputs: Any, params: dict[str, Any]) -> Any:
    """The values, if they are an example's own, get axes of length one for the indices'."""
    rank = len(shape_of(inputs[0])) - int(batched[0]) + 1
    spread = [
        x if i == 0 or not own else reshape_p(x, shape=(size, *(1,) * rank))
        for i, (x, own) in enumerate(zip(inputs, batched, strict=True))
    ]
    return one_hot_p(*spread, **params)


one_hot_p: Bound = general(
    "OneHot", _one_hot, batching=_one_hot_batched, xla=_one_hot_xla, traits=Traits(passes_on=True)
)


@export("one_hot")
@raw_op("OneHot")
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Makes vectors that are "on" at one place each.

    Args:
      indices: An integer tensor: the places; one out of range makes a vector all "off".
      depth: The length of the vectors.
      on_value: The value there. Defaults to 1.
      off_value: The value elsewhere. Defaults to 0.
      axis: Where the new axis stands. Defaults to the last place.
      dtype: The dtype; that of the values, or float32.
      name: Accepted for compatibility.

    Raises:
      TypeError: The values' dtypes differ from each other or from `dtype`.
      InvalidArgumentError: `depth` is negative, or the indices are no integers.
    """
    x = tensor(indices)
    if not x.dtype.is_integer:
        raise invalid(
            f"Value for attr 'TI' of {x.dtype.name} is not in the list of allowed values: uint8, "
            f"int8, int32, int64 [Op:OneHot] (`indices` must be integers)"
        )
    n = integer(depth, "OneHot", "depth")
    if n < 0:
        raise invalid(f"depth must be non-negative, got: {n} [Op:OneHot]")
    on, off, wanted = on_value, off_value, None if dtype is None else as_dtype(dtype)
    for what, value in (("on_value", on), ("off_value", off)):
        if value is not None:
            got = _convert(value, dtype_hint=wanted).dtype
            if wanted is not None and got is not wanted:
                raise TypeError(f"dtype {got} of {what} does not match dtype parameter {wanted}")
            wanted = wanted or got
    wanted = wanted or float32
    on = _convert(1 if not wanted.is_bool else True, wanted) if on is None else _convert(on, wanted)
    off = (
        _convert(0 if not wanted.is_bool else False, wanted)
        if off is None
        else _convert(off, wanted)
    )
    rank = x._value.ndim
    place = -1 if axis is None or axis == -1 else int(axis) - rank - 1
    return one_hot_p(x, on, off, depth=n, axis=place)


@export("is_tensor")
def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, a variable or another of the library's tensor-like values."""
    known = isinstance(x, (TensorLike, CompositeTensor))
    return known or getattr(x, "is_tensor_like", False) is True


@export("get_static_value")
def get_static_value(
    tensor: Any, partial: bool = False
) -> np.ndarray[Any, Any] | np.generic | None:
    """Gives a tensor's value as a NumPy array; None for a variable, whose value can change."""
    if isinstance(tensor, Tensor):
        value: np.ndarray[Any, Any] | np.generic = tensor.numpy()
        return value
    return None if isinstance(tensor, TensorLike) else tensor


@export("meshgrid")
def meshgrid(*args: Any, indexing: str = "xy", **kwargs: Any) -> list[Tensor]:
    """Makes coordinate arrays of the grid that vectors span.

    Args:
      *args: Vectors.
      indexing: "xy" (the first vector runs along columns) or "ij".
      **kwargs: `name`, accepted for compatibility; TypeError for anything else.

    Raises:
      ValueError: `indexing` is neither.
    """
    for word in kwargs:
        if word != "name":
            raise TypeError(f"{word!r} is an invalid keyword argument for meshgrid()")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    vectors = [reshape_p(x, shape=(math.prod(shape_of(x)),)) for x in map(tensor, args)]
    n = len(vectors)
    places = np.arange(n).tolist()
    if indexing == "xy" and n > 1:
        places[0], places[1] = 1, 0
    lengths: list[int] = [0] * n
    for vector, place in zip(vectors, places, strict=True):
        lengths[place] = shape_of(vector)[0]
    grids = []
    for vector, place in zip(vectors, places, strict=True):
        own = [1] * n
        own[place] = shape_of(vector)[0]
        grids.append(broadcast_to_p(reshape_p(vector, shape=tuple(own)), shape=tuple(lengths)))
    return grids


@export("sequence_mask")
def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = "bool", name: str | None = None
) -> Tensor:
    """Marks the first `lengths[...]` places of each row.

    Args:
      lengths: An integer tensor.
      maxlen: The rows' length. Defaults to the greatest of `lengths`.
      dtype: The dtype of the mask.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `lengths.shape + (maxlen,)`.
    """
    counted, kind = tensor(lengths), as_dtype(dtype).np_dtype
    most = None if maxlen is None else tensor(maxlen)
    if most is not None and most._value.ndim:
        raise ValueError(
            f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen}"
        )
    if most is not None and not known(counted):
        places = Tensor(_numbers_below(math.ceil(most._numpy())))
        ends = reshape_p(cast_p(counted, dtype=np.dtype(np.int64)), shape=(*shape_of(counted), 1))
        return cast_p(less_p(places, ends), dtype=kind)
    x = counted._numpy()
    longest = (np.max(x) if np.size(x) else 0) if most is None else most._numpy()
    n = math.ceil(longest)
    mask = _numbers_below(n) < np.expand_dims(x, -1)
    return Tensor(mask.astype(kind))


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether a tensor has no value yet: False, except inside a compiled function."""
    value = getattr(tensor, "_value", None)
    return value is not None and not isinstance(value, (np.ndarray, np.generic))
