"""Making tensors: constants, ranges, and tensors filled with one value."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.display import in_its_graph
from gradtape._src.base.dtypes import DType, as_dtype, dtype_of, float32, resource, string
from gradtape._src.base.error_messages import allocated, too_large
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor as _convert
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.tracebacks import shorten
from gradtape._src.core.variable import Variable
from gradtape._src.declare.arguments import integer, invalid, scalar, shown_shape, sizes
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, deferrable, graph_operation
from gradtape._src.declare.lengths_of_values import extents, static_value
from gradtape._src.declare.open_graphs import open_graph, ordered, when_run
from gradtape._src.declare.structural import broadcast_to_p, concat_p, repeated, reshape_p
from gradtape._src.declare.structural import zeros as zeros_of_shape
from gradtape._src.declare.unknown_sizes import NeedsRank, is_unknown


def zeros_of(x: Any, shape: tuple[int, ...] | None = None) -> Tensor:
    """Returns zeros of a tensor's or variable's dtype.

    Their shape defaults to the tensor's shape.
    """
    value = x._value
    shape = value.shape if shape is None else shape
    if value.dtype.kind == "O":
        return _filled(shape, b"", string, "zeros_like")
    return Tensor(zeros_of_shape(shape, value.dtype))


@export("constant", direct=True)
def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """Makes a tensor of a Python or NumPy value.

    Args:
      value: A value that `convert_to_tensor` takes, except lists that contain tensors.
      dtype: The dtype of the result.
      shape: The shape of the result: a single element is repeated, others are reshaped.
      name: Accepted for compatibility.

    Returns:
      A tensor of the value's shape, or of `shape`. Its dtype is `dtype`. By default, arrays keep
      their dtype, Python floats become float32 and Python integers int32.

    Raises:
      TypeError: The value does not fit the dtype or shape, or it is a tensor of a graph.
      ValueError: The value is ragged, mixed, or of a type that cannot be converted to a tensor.

    >>> tf.constant([1, 2, 3, 4], shape=(2, 2)).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    if isinstance(value, TensorLike) and dtype is not None and value.dtype is not as_dtype(dtype):
        raise TypeError(
            f"Expected tensor {value} with dtype {as_dtype(dtype)!r}, but got dtype "
            f"{value.dtype!r} (tf.cast converts)."
        )
    if isinstance(value, Variable):
        value = value.read_value()
    try:
        x = _shaped(value.as_list() if isinstance(value, TensorShape) else value, dtype, shape)
    except Exception as error:
        shorten(error)
        if "out-of-range" in str(error) and active_compiler() is not None:
            raise TypeError(f"Failed to convert elements of {value!r} to Tensor: {error}") from None
        raise
    graph = open_graph()
    return ordered(x, name, "Const") if graph is None else graph.constant(x, name)


def _shaped(value: Any, dtype: Any, shape: Any) -> Tensor:
    """Returns a value as a tensor of a shape."""
    x = _convert(value, dtype)
    if hasattr(x._value, "owner"):
        raise TypeError(
            "Expected any non-tensor type, but got a tensor instead: a constant needs a value that "
            "is known while the graph is made (tf.convert_to_tensor and tf.identity take tensors)."
        )
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


@export("convert_to_tensor", direct=True)
def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """Converts a Python, NumPy or tensor-like value to a tensor.

    Python floats become float32 and integers int32; arrays keep their dtype. A variable gives its
    current value as a new tensor.

    Args:
      value: A number, string, (nested) sequence of them, array, tensor, variable.
      dtype: The dtype that the result must have.
      dtype_hint: The preferred dtype. It is ignored if the value does not fit it.
      name: Accepted for compatibility.

    Returns:
      A tensor of the value's shape. A tensor is returned unchanged.

    Raises:
      ValueError: The dtype of a tensor differs from `dtype`, a sequence is ragged or mixes types,
        or the type can't be converted.
      TypeError: A Python number does not fit the dtype, or a dtype is not one.

    >>> tf.convert_to_tensor([[1.0, 2.0], [3.0, 4.0]]).shape
    TensorShape([2, 2])
    >>> tf.convert_to_tensor(np.arange(3), dtype=tf.int64).dtype
    tf.int64
    """
    if dtype_hint is not None:
        dtype_hint = as_dtype(dtype_hint)
    x = _convert(value, dtype, dtype_hint)
    if isinstance(value, Variable):
        return value.read_value()
    if (graph := open_graph()) is not None:
        return graph.constant(x, name or "Const")
    return x if x is value else ordered(x, name or "Const", "Const")


def _filled(shape: tuple[int, ...], value: Any, dtype: DType, label: str) -> Tensor:
    if dtype is resource:
        raise TypeError(f"Cannot convert {value} to EagerTensor of dtype resource")
    if dtype is string:
        out = allocated("Fill", shape, np.empty, shape, object)
        out[...] = value
        return ordered(Tensor(out), label)
    if is_unknown(shape):
        return Tensor(repeated(dtype.np_dtype.type(value), shape))
    out = allocated("Fill", shape, np.full, shape, value, dtype.np_dtype)
    return ordered(Tensor(out[()]), label)


@export("zeros", direct=True)
def zeros(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Makes a tensor of zeros, or of empty strings if the dtype is string.

    Args:
      shape: A sequence of integers or scalar tensors, an integer tensor, or a TensorShape.
      dtype: The dtype.
      name: Accepted for compatibility.
      layout: Accepted for compatibility.

    Returns:
      A tensor of shape `shape` and dtype `dtype`.

    Raises:
      InvalidArgumentError: A length is negative.
      TypeError: The shape has elements that are not integers.

    >>> tf.zeros((2, 3)).numpy()
    array([[0., 0., 0.],
           [0., 0., 0.]], dtype=float32)
    """
    dtype = as_dtype(dtype)
    try:
        wanted = _shape(shape)
    except NeedsRank:
        return when_run(zeros, shape, dtype)
    if dtype is string:
        return _filled(wanted, b"", dtype, name or "zeros")
    if is_unknown(wanted) or dtype is resource:
        return _filled(wanted, 0, dtype, name or "zeros")
    out = allocated("Fill", wanted, np.zeros, wanted, dtype.np_dtype)
    return ordered(Tensor(out[()]), name or "zeros")


@export("ones", direct=True)
def ones(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Makes a tensor of ones.

    Args:
      shape: A sequence of integers or scalar tensors, an integer tensor, or a TensorShape.
      dtype: The dtype.
      name: Accepted for compatibility.
      layout: Accepted for compatibility.

    Returns:
      A tensor of shape `shape` and dtype `dtype`.

    Raises:
      InvalidArgumentError: A length is negative.
      TypeError: The shape is not of integers, or the dtype is string.

    >>> tf.ones([2, 2], tf.int32).numpy()
    array([[1, 1],
           [1, 1]], dtype=int32)
    """
    dtype = as_dtype(dtype)
    if dtype is string:
        raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
    try:
        return _filled(_shape(shape), 1, dtype, name or "ones")
    except NeedsRank:
        return when_run(ones, shape, dtype)


def _shape(shape: Any) -> tuple[int, ...]:
    for n in shape if isinstance(shape, (list, tuple)) else (shape,):
        if isinstance(n, (float, str)):
            raise TypeError(f"Cannot convert {shape!r} to EagerTensor of dtype int32")
    return extents(shape, "Fill")


@export("zeros_like", direct=True)
@raw_op("ZerosLike", differentiable=False, x="input")
def zeros_like(
    input: Any, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Makes a tensor of zeros with the shape of another tensor.

    Args:
      input: A tensor, or a value that is convertible to one.
      dtype: The dtype of the result. Defaults to the dtype of `input`.
      name: Accepted for compatibility.
      layout: Accepted for compatibility.

    Returns:
      A tensor of shape `input.shape`; empty strings if the dtype is string.

    >>> tf.zeros_like([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[0., 0.],
           [0., 0.]], dtype=float32)
    """
    return _like(input, dtype, 0, name or "zeros_like")


@export("ones_like", direct=True)
@raw_op("OnesLike", differentiable=False, x="input")
def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Makes a tensor of ones with the shape of another tensor.

    Args:
      input: A tensor, or a value that is convertible to one.
      dtype: The dtype of the result. Defaults to the dtype of `input`.
      name: Accepted for compatibility.
      layout: Accepted for compatibility.

    Returns:
      A tensor of shape `input.shape`.

    Raises:
      TypeError: The dtype is string.

    >>> tf.ones_like([1, 2, 3]).numpy()
    array([1, 1, 1], dtype=int32)
    """
    return _like(input, dtype, 1, name or "ones_like")


def _like(x: Any, dtype: Any, value: int, label: str) -> Tensor:
    own = x._value if type(x) in (Tensor, Variable) else _convert(x)._value
    dtype = dtype_of(own) if dtype is None else as_dtype(dtype)
    if dtype is string:
        if value:
            raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
        return _filled(own.shape, b"", dtype, label)
    return _filled(own.shape, value, dtype, label)


@export("fill", direct=True)
@raw_op("Fill")
def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
    """Makes a tensor whose elements all have one value.

    Args:
      dims: The shape.
      value: A scalar; the gradient flows to it.
      name: Accepted for compatibility.
      layout: Accepted for compatibility.

    Returns:
      A tensor of shape `dims` and of the dtype of `value`.

    Raises:
      InvalidArgumentError: A length is negative, or the value has more than one element.

    >>> tf.fill([2, 2], 7.0).numpy()
    array([[7., 7.],
           [7., 7.]], dtype=float32)
    """
    x = tensor(value)
    if shape_of(x):
        if math.prod(shape_of(x)) != 1:
            raise invalid(f"value must be a scalar, got shape {shown_shape(shape_of(x))} [Op:Fill]")
        x = reshape_p(x, shape=())
    try:
        shape = extents(dims, "Fill", "dims")
    except NeedsRank:
        return when_run(fill, dims, x)
    return broadcast_to_p(x, shape=shape)


@export("eye", "linalg.eye")
@deferrable
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
      batch_shape: The lengths of the batch axes, which come first.
      dtype: The dtype.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `(*batch_shape, num_rows, num_columns)`.

    Raises:
      InvalidArgumentError: A length is negative.

    >>> tf.eye(2, 3).numpy()
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)
    """
    rows = integer(num_rows, "Eye", "num_rows")
    columns = rows if num_columns is None else integer(num_columns, "Eye", "num_columns")
    extents((rows, columns), "Fill", "num_rows, num_columns")
    kind = as_dtype(dtype).np_dtype
    matrix = allocated("Eye", (rows, columns), np.eye, rows, columns, 0, kind)
    if batch_shape is not None:
        lead = extents(batch_shape, "Eye", "batch_shape")
        matrix = allocated("Eye", (*lead, rows, columns), np.tile, matrix, (*lead, 1, 1))
    return ordered(Tensor(matrix), name or "eye")


_RANKS = ("int32", "int64", "float16", "bfloat16", "float32", "float64")


def range_dtype(bounds: Sequence[Tensor]) -> DType:
    """Returns the dtype of a range: the widest dtype of its bounds and its step."""
    dtypes = [x.dtype for x in bounds]
    return max(dtypes, key=lambda d: _RANKS.index(d.name) if d.name in _RANKS else -1)


def _range_result(
    new: New, start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Tensor:
    if limit is None:
        start, limit = 0, start
    bounds = [_convert(v) for v in (start, limit, delta)]
    found = [getattr(x._value, "elements", None) for x in bounds[:2]]
    begin: Any = None if found[0] is None else found[0].item()
    end: Any = None if found[1] is None else found[1].item()
    if begin is None and type(start) is int:
        begin = start
    plain = type(delta) is int and delta == 1 and begin is not None and end is not None
    return new([end - begin if plain else None], as_dtype(dtype or range_dtype(bounds)))


@export("range")
@raw_op("Range", differentiable=False)
@graph_operation("Range", _range_result, has_gradient=False)
def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Tensor:
    """Makes the numbers from `start` up to but not including `limit`.

    Args:
      start: The first number. The first number; if `limit` is not given, it is the limit, and the
        range begins at 0. Each of the three numbers may also be a tensor of shape (1,).
      limit: The bound.
      delta: The difference between consecutive numbers.
      dtype: The dtype. Defaults to the widest dtype of the arguments.
      name: Accepted for compatibility.

    Returns:
      A vector of ceil((limit - start) / delta) elements.

    Raises:
      InvalidArgumentError: `delta` is zero or has the wrong sign, or an argument is not a scalar.

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
        if shape_of(x) not in ((), (1,)):
            raise invalid(f"{k} must be a scalar, not shape {shown_shape(shape_of(x))} [Op:Range]")
    begin, end, step = [
        (np.asarray(tensor(v)._numpy()) if isinstance(v, TensorLike) else np.asarray(v))
        .astype(dtype.np_dtype)
        .reshape(())[()]
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
    n = int(np.ceil(abs((end - begin) / step)))  # Rounded to the precision of the dtype.
    out = begin + numbers_below(n).astype(dtype.np_dtype) * step
    return Tensor(out.astype(dtype.np_dtype))


def _counted(n: int, begin: int, end: int, step: int, kind: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Returns the `n` numbers from `begin` up to `end`.

    NumPy's `arange` returns an empty array if n is 2⁶³ - 1.
    """
    if n > sys.maxsize // kind.itemsize:
        raise too_large("Range", "it would have more bytes than any memory", (n,))
    return allocated("Range", (n,), np.arange, begin, end, step, kind)


def numbers_below(n: int) -> np.ndarray[Any, Any]:
    """Returns the integers 0, ..., n - 1 as int64 on every platform."""
    return _counted(n, 0, max(n, 0), 1, np.dtype(np.int64))


@export("linspace")
@raw_op("LinSpace", differentiable=False)
@deferrable
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """Makes evenly spaced numbers from `start` to `stop`, both included.

    Args:
      start: The first number, a real tensor. Integers of 8 or 16 bits are converted to float32,
        others to float64.
      stop: The last number, of the shape and dtype of `start`.
      num: The number of values.
      name: Accepted for compatibility.
      axis: The position of the new axis.

    Returns:
      A tensor of the dtype of `start`, with one additional axis of length `num`.

    Raises:
      InvalidArgumentError: `num` is negative, or the dtypes differ.

    >>> tf.linspace(0.0, 1.0, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    a = tensor(start)
    b = _convert(stop, a.dtype)
    n, axis = integer(num, "LinSpace", "num"), scalar(axis, "LinSpace")
    if n < 0:
        raise invalid(f"Requires start <= limit when delta > 0, `num` is {n} [Op:LinSpace]")
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
    if not -len(full) <= axis + 1 <= len(full) + 1:
        raise invalid(
            f"Tried to expand dim index {axis} for tensor with {len(full)} dimensions [Op:LinSpace]"
        )
    place = axis if axis >= 0 else axis + len(full) + 1
    split = (*full[:place], 1, *full[place:])
    a = reshape_p(broadcast_to_p(a, shape=full), shape=split)
    b = reshape_p(broadcast_to_p(b, shape=full), shape=split)
    if n <= 0:
        return Tensor(np.empty((*full[:place], 0, *full[place:]), a._value.dtype))
    if n == 1:
        return a
    parts = numbers_below(n - 1).astype(a._value.dtype)
    parts = parts.reshape(n - 1, *(1,) * (len(full) - place))
    step = (b - a) / (n - 1)
    return concat_p(a + step * parts, b, axis=place - len(full) - 1)


@export("is_tensor")
def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, a variable or another tensor-like value of this library.

    Args:
      x: Any object.

    Returns:
      True for a tensor, a variable, and composite tensors such as ragged and sparse ones.

    >>> tf.is_tensor(tf.constant(1.0)), tf.is_tensor(1.0)
    (True, False)
    """
    known = isinstance(x, TensorLike) or (
        isinstance(x, CompositeTensor) and not x._is_known_by_spec
    )
    return known or getattr(x, "is_tensor_like", False) is True


@export("get_static_value")
def get_static_value(
    tensor: Any, partial: bool = False
) -> np.ndarray[Any, Any] | np.generic | None:
    """Returns a tensor's value as a NumPy array, or None for a variable, whose value can change.

    Args:
      tensor: A tensor, or a value that can become one.
      partial: Whether a vector of which only some elements are known is returned, too, with None
        for the others.

    Returns:
      The value as a NumPy array or scalar; None for a variable, whose value can change, and for a
      value that is known only when a traced function runs.

    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    """
    if isinstance(tensor, Tensor):
        symbolic = hasattr(tensor._value, "owner")
        found: Any = static_value(tensor._value, partial) if symbolic else tensor.numpy()
        made = tensor._value if symbolic else tensor._in_graph
        return found if found is None or made is None or made.is_static else None
    return None if is_tensor(tensor) else tensor


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Returns whether a tensor has no value yet, which is only possible inside a traced function.

    Args:
      tensor: A tensor.

    Returns:
      True if the value will be computed later, when the graph runs.
    """
    value = in_its_graph(tensor) if hasattr(tensor, "_value") else None
    return value is not None and not isinstance(value, (np.ndarray, np.generic))
