"""Arithmetic on tensors of quantized dtypes, as quantized models of TensorFlow contain it.

A tensor is passed with the limits of its range. Its levels include 0, as in the mode MIN_FIRST of
`quantize`: products are computed from the differences of levels to that of 0. Products and sums are
of dtype qint32; models convert them to 8 bits, with the range that is in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import as_dtype, qint32, quint8
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integers, invalid
from gradtape._src.declare.registered import opaque
from gradtape._src.ops.array.shaping import reshape

Levels = np.ndarray[Any, Any]
_ROOM = 1 << 17
"""The range of a sum is that of its terms times this number."""


class _Result(NamedTuple):
    """A quantized tensor and the limits of its range."""

    output: Tensor
    min_output: Tensor
    max_output: Tensor


class _Range:
    """The levels of a quantized dtype in a range.

    Args:
      dtype: The dtype.
      low: The lower limit of the range.
      high: The upper limit of the range.
    """

    def __init__(self, dtype: Any, low: Any, high: Any) -> None:
        self.dtype = as_dtype(dtype)
        self.storage = np.dtype(self.dtype.np_dtype[0])
        self.ends = np.iinfo(self.storage)
        self.low, self.high = np.float32(low), np.float32(high)
        count = 2.0**self.ends.bits
        self._size = np.float64(self.high - self.low) * (count / (count - 1)) / count

    @property
    def step(self) -> np.float32:
        """The distance of two levels."""
        return (self.high - self.low) / np.float32(int(self.ends.max) - int(self.ends.min))

    def unbounded(self, x: Any) -> Levels:
        """Returns the levels of numbers, which the dtype need not have."""
        if not self._size:
            return np.zeros(np.shape(x))
        first = _rounded(self.low / self._size)
        return np.asarray(_rounded(np.float64(x) / self._size) - first + float(self.ends.min))

    def levels(self, x: Any) -> Levels:
        """Returns the nearest levels of numbers, as integers."""
        return np.clip(self.unbounded(x), self.ends.min, self.ends.max).astype(self.storage)

    def numbers(self, levels: Any) -> Levels:
        """Returns the numbers of levels."""
        if not self._size:
            return np.full(np.shape(levels), self.low)
        step = np.float32(self._size)
        first = _rounded(self.low / step) * step
        places = np.asarray(levels, np.float64) - float(self.ends.min)
        return np.asarray(np.float64(first) + places * self._size).astype(np.float32)

    def centred(self, x: Any) -> Levels:
        """Returns the differences of a quantized array's levels to that of 0."""
        return np.asarray(_levels(x).astype(np.int64) - int(self.unbounded(0.0)))

    def result(self, levels: Any) -> tuple[Any, np.float32, np.float32]:
        """Returns levels as a quantized array, with the limits of the range."""
        held = np.asarray(levels).astype(self.storage).view(self.dtype.np_dtype)
        return held, self.low, self.high


def _rounded(x: Any) -> Any:
    """Rounds to the nearest integer, halves away from zero."""
    whole = np.trunc(x)
    return whole + np.where(abs(x - whole) >= 0.5, np.sign(x), 0)


def _levels(value: Any) -> Any:
    """Returns a quantized array's levels as integers."""
    return value[value.dtype.names[0]]


def _product(a: _Range, b: _Range, dtype: Any) -> _Range:
    """Returns the range of products, whose levels are the products of levels."""
    made = _Range(dtype, 0, 0)
    step = a.step * b.step
    return _Range(dtype, step * np.float32(made.ends.min), step * np.float32(made.ends.max))


def _added(x: Any, y: Any, low_x: Any, high_x: Any, low_y: Any, high_y: Any, *, dtype: Any) -> Any:
    first, second = _Range(x.dtype, low_x, high_x), _Range(y.dtype, low_y, high_y)
    size = np.float32(max(high_x, -low_x, high_y, -low_y) * np.float32(_ROOM))
    out = _Range(dtype, -size, size)
    terms = [
        out.levels(of.numbers(_levels(value))).astype(np.int64)
        for of, value in ((first, x), (second, y))
    ]
    return out.result(terms[0] + terms[1])


def _multiplied(
    x: Any, y: Any, low_x: Any, high_x: Any, low_y: Any, high_y: Any, *, dtype: Any
) -> Any:
    first, second = _Range(x.dtype, low_x, high_x), _Range(y.dtype, low_y, high_y)
    return _product(first, second, dtype).result(first.centred(x) * second.centred(y))


def _matmul(
    a: Any, b: Any, low_a: Any, high_a: Any, low_b: Any, high_b: Any,
    *, dtype: Any, flip_a: bool, flip_b: bool,
) -> Any:  # fmt: skip
    first, second = _Range(a.dtype, low_a, high_a), _Range(b.dtype, low_b, high_b)
    x, y = first.centred(a), second.centred(b)
    product = _exact_product(x.T if flip_a else x, y.T if flip_b else y)
    return _product(first, second, dtype).result(product)


def _exact_product(x: Any, y: Any) -> Any:
    """Returns the product of two matrices of small integers; float64 is exact and fast."""
    return np.matmul(x.astype(np.float64), y.astype(np.float64))


def _windows(
    x: Any, size: Sequence[int], strides: Sequence[int], dilations: Any, padding: str, fill: Any
) -> Any:
    """Returns the windows of images, of shape (batch, rows, columns, channels, height, width)."""
    for axis, (n, stride, spread) in enumerate(zip(size, strides, dilations, strict=True), 1):
        whole = (n - 1) * spread + 1
        if padding == "SAME":
            length = x.shape[axis]
            missing = max((-(-length // stride) - 1) * stride + whole - length, 0)
            around = [(0, 0)] * 4
            around[axis] = (missing // 2, missing - missing // 2)
            x = np.pad(x, around, constant_values=fill)
    spans = [(n - 1) * spread + 1 for n, spread in zip(size, dilations, strict=True)]
    if any(n < span for n, span in zip(x.shape[1:3], spans, strict=True)):
        raise invalid(f"Computed output size would be negative: windows {spans} in {x.shape[1:3]}")
    found = np.lib.stride_tricks.sliding_window_view(x, spans, (1, 2))
    (down, along), (high, wide) = strides, dilations
    return found[:, ::down, ::along, :, ::high, ::wide]


def _conv(
    x: Any, w: Any, low_x: Any, high_x: Any, low_w: Any, high_w: Any,
    *, dtype: Any, strides: Sequence[int], padding: str, dilations: Sequence[int],
) -> Any:  # fmt: skip
    first, second = _Range(x.dtype, low_x, high_x), _Range(w.dtype, low_w, high_w)
    size = w.shape[:2]
    windows = _windows(first.centred(x), size, strides, dilations, padding, 0)
    n, rows, columns = windows.shape[:3]
    kernel = second.centred(w).transpose(2, 0, 1, 3).reshape(-1, w.shape[3])
    found = _exact_product(windows.reshape(n * rows * columns, -1), kernel)
    return _product(first, second, dtype).result(found.reshape(n, rows, columns, -1))


def _pool(
    x: Any, low: Any, high: Any,
    *, size: Sequence[int], strides: Sequence[int], padding: str, largest: bool,
) -> Any:  # fmt: skip
    of = _Range(x.dtype, low, high)
    levels = _levels(x).astype(np.int64)
    fill = int(of.ends.min) if largest else 0
    windows = _windows(levels, size, strides, (1, 1), padding, fill)
    if largest:
        return of.result(windows.max((-2, -1)))
    ones = _windows(np.ones_like(levels), size, strides, (1, 1), padding, 0).sum((-2, -1))
    return of.result(np.trunc(windows.sum((-2, -1)) / ones))


def _relu(x: Any, low: Any, high: Any, *, most: float | None, dtype: Any) -> Any:
    of = _Range(x.dtype, low, high)
    levels = np.maximum(_levels(x), of.levels(0.0))
    if most is not None:
        levels = np.minimum(levels, of.levels(most))
    return _Range(dtype, low, high).result(levels)


def _range_in_use(x: Any, low: Any, high: Any) -> Any:
    of, levels = _Range(x.dtype, low, high), _levels(x)
    least, most = of.numbers(np.array([levels.min(), levels.max()]))
    return np.minimum(least, np.float32(0)), most


def _requantized(x: Any, low: Any, high: Any, least: Any, most: Any, *, dtype: Any) -> Any:
    out = _Range(dtype, least, most)
    if x.dtype == qint32.np_dtype and out.dtype is quint8:
        return out.result(_in_fixed_point(_levels(x), low, high, least, most))
    return out.result(out.levels(_Range(x.dtype, low, high).numbers(_levels(x))))


def _in_fixed_point(levels: Any, low: Any, high: Any, least: Any, most: Any) -> Any:
    """Converts levels of 32 bits to levels of 8 bits, by integers with 16 bits of fraction."""
    size, wanted = np.float32(high - low), np.float32(most - least)
    if not wanted:
        return np.zeros_like(levels)
    one = 1 << 16
    scale = int(255.0 * one * size / wanted)
    middle = int(np.float32((low + high) / 2) * np.float32(255.0 / wanted) * one)
    first = int(one * (least * 255.0) / wanted)
    found = ((levels.astype(np.int64) * scale) >> 32) + middle - first
    return np.clip((found + one // 2) >> 16, 0, 255)


def _shrunk(x: Any, low: Any, high: Any, *, dtype: Any) -> Any:
    return _requantized(x, low, high, *_range_in_use(x, low, high), dtype=dtype)


_bias_add_p = opaque("QuantizedBiasAdd", _added)
_mul_p = opaque("QuantizedMul", _multiplied)
_matmul_p = opaque("QuantizedMatMul", _matmul)
_conv_p = opaque("QuantizedConv2D", _conv)
_max_pool_p = opaque("QuantizedMaxPool", _pool)
_avg_pool_p = opaque("QuantizedAvgPool", _pool)
_relu_p = opaque("QuantizedRelu", _relu)
_relu6_p = opaque("QuantizedRelu6", _relu)
_range_p = opaque("RequantizationRange", _range_in_use)
_requantize_p = opaque("Requantize", _requantized)
_shrink_p = opaque("QuantizeDownAndShrinkRange", _shrunk)


def _run(primitive: Any, *inputs: Any, **how: Any) -> _Result:
    """Runs an operation on quantized tensors, and on limits, which may have one element."""
    given = [convert_to_tensor(x) for x in inputs]
    limits = [x if x.dtype.is_quantized or x.shape.rank == 0 else reshape(x, ()) for x in given]
    return _Result(*primitive(*limits, **how))


def _inner(given: Any, op: str) -> tuple[int, int]:
    """Returns the lengths along height and width of an attribute with four numbers."""
    flat = [int(n) for n in integers(given, op)]
    if len(flat) != 4 or flat[0] != 1 or flat[3] != 1:
        raise invalid(
            f"the lengths along the batch and the channels must be 1, got {flat} [Op:{op}]"
        )
    return flat[1], flat[2]


@raw_op("QuantizedMul", differentiable=False)
def quantized_mul(
    x: Any,
    y: Any,
    min_x: Any,
    max_x: Any,
    min_y: Any,
    max_y: Any,
    Toutput: Any = qint32,
    name: str | None = None,
) -> _Result:
    """Multiplies two quantized tensors, which are broadcast.

    Args:
      x: A tensor of a quantized dtype.
      y: The other tensor.
      min_x: The lower limit of the range of `x`.
      max_x: The upper limit of the range of `x`.
      min_y: The lower limit of the range of `y`.
      max_y: The upper limit of the range of `y`.
      Toutput: The dtype of the product.
      name: Accepted for compatibility.

    Returns:
      The product, and the limits of its range.
    """
    ranges = (min_x, max_x, min_y, max_y)
    return _run(_mul_p, x, y, *ranges, dtype=as_dtype(Toutput).np_dtype)


@raw_op("QuantizedBiasAdd", differentiable=False)
def quantized_bias_add(
    input: Any,
    bias: Any,
    min_input: Any,
    max_input: Any,
    min_bias: Any,
    max_bias: Any,
    out_type: Any,
    name: str | None = None,
) -> _Result:
    """Adds a quantized vector along the last axis of a quantized tensor.

    Args:
      input: A tensor of a quantized dtype.
      bias: A vector with the length of the last axis of `input`.
      min_input: The lower limit of the range of `input`.
      max_input: The upper limit of the range of `input`.
      min_bias: The lower limit of the range of `bias`.
      max_bias: The upper limit of the range of `bias`.
      out_type: The dtype of the sum.
      name: Accepted for compatibility.

    Returns:
      The sum, and the limits of its range.
    """
    ranges = (min_input, max_input, min_bias, max_bias)
    return _run(_bias_add_p, input, bias, *ranges, dtype=as_dtype(out_type).np_dtype)


@raw_op("QuantizedMatMul", ignored=("Tactivation",), differentiable=False)
def quantized_matmul(
    a: Any,
    b: Any,
    min_a: Any,
    max_a: Any,
    min_b: Any,
    max_b: Any,
    Toutput: Any = qint32,
    transpose_a: bool = False,
    transpose_b: bool = False,
    name: str | None = None,
) -> _Result:
    """Multiplies two quantized matrices.

    Args:
      a: A matrix of a quantized dtype.
      b: The other matrix.
      min_a: The lower limit of the range of `a`.
      max_a: The upper limit of the range of `a`.
      min_b: The lower limit of the range of `b`.
      max_b: The upper limit of the range of `b`.
      Toutput: The dtype of the product.
      transpose_a: Whether `a` is transposed.
      transpose_b: Whether `b` is transposed.
      name: Accepted for compatibility.

    Returns:
      The product, and the limits of its range.
    """
    how = {"dtype": as_dtype(Toutput).np_dtype, "flip_a": transpose_a, "flip_b": transpose_b}
    return _run(_matmul_p, a, b, min_a, max_a, min_b, max_b, **how)


@raw_op("QuantizedConv2D", differentiable=False)
def quantized_conv2d(
    input: Any,
    filter: Any,
    min_input: Any,
    max_input: Any,
    min_filter: Any,
    max_filter: Any,
    strides: Any,
    padding: str,
    out_type: Any = qint32,
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> _Result:
    """Convolves quantized images with quantized kernels.

    Args:
      input: Images of a quantized dtype, of shape (batch, rows, columns, channels).
      filter: The kernels, of shape (height, width, channels, results).
      min_input: The lower limit of the range of `input`.
      max_input: The upper limit of the range of `input`.
      min_filter: The lower limit of the range of `filter`.
      max_filter: The upper limit of the range of `filter`.
      strides: Four numbers, those along the batch and the channels 1.
      padding: "SAME" or "VALID".
      out_type: The dtype of the results.
      dilations: Four numbers, as `strides`.
      name: Accepted for compatibility.

    Returns:
      The results, and the limits of their range.
    """
    op = "QuantizedConv2D"
    how = {"strides": _inner(strides, op), "dilations": _inner(dilations, op)}
    ranges = (min_input, max_input, min_filter, max_filter)
    dtype = as_dtype(out_type).np_dtype
    return _run(_conv_p, input, filter, *ranges, dtype=dtype, padding=padding, **how)


@raw_op("QuantizedMaxPool", differentiable=False)
def quantized_max_pool(
    input: Any,
    min_input: Any,
    max_input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    name: str | None = None,
) -> _Result:
    """Returns the largest values of windows of quantized images.

    Args:
      input: Images of a quantized dtype, of shape (batch, rows, columns, channels).
      min_input: The lower limit of the range of `input`.
      max_input: The upper limit of the range of `input`.
      ksize: The size of the windows: four numbers, those along the batch and the channels 1.
      strides: The distances of the windows, four numbers as well.
      padding: "SAME" or "VALID".
      name: Accepted for compatibility.

    Returns:
      The largest values, and the limits of the range, which stay as they are.
    """
    op = "QuantizedMaxPool"
    how = {"size": _inner(ksize, op), "strides": _inner(strides, op), "padding": padding}
    return _run(_max_pool_p, input, min_input, max_input, largest=True, **how)


@raw_op("QuantizedAvgPool", differentiable=False)
def quantized_avg_pool(
    input: Any,
    min_input: Any,
    max_input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    name: str | None = None,
) -> _Result:
    """Returns the means of windows of quantized images; see `quantized_max_pool`."""
    op = "QuantizedAvgPool"
    how = {"size": _inner(ksize, op), "strides": _inner(strides, op), "padding": padding}
    return _run(_avg_pool_p, input, min_input, max_input, largest=False, **how)


@raw_op("QuantizedRelu", differentiable=False)
def quantized_relu(
    features: Any,
    min_features: Any,
    max_features: Any,
    out_type: Any = quint8,
    name: str | None = None,
) -> _Result:
    """Replaces the negative numbers of a quantized tensor by 0.

    Args:
      features: A tensor of a quantized dtype.
      min_features: The lower limit of its range.
      max_features: The upper limit of its range.
      out_type: The same dtype.
      name: Accepted for compatibility.

    Returns:
      The result, and the limits of its range, which stay as they are.
    """
    dtype = as_dtype(out_type).np_dtype
    return _run(_relu_p, features, min_features, max_features, most=None, dtype=dtype)


@raw_op("QuantizedRelu6", differentiable=False)
def quantized_relu6(
    features: Any,
    min_features: Any,
    max_features: Any,
    out_type: Any = quint8,
    name: str | None = None,
) -> _Result:
    """Limits the numbers of a quantized tensor to those from 0 to 6; see `quantized_relu`."""
    dtype = as_dtype(out_type).np_dtype
    return _run(_relu6_p, features, min_features, max_features, most=6.0, dtype=dtype)


@raw_op("QuantizedReshape", differentiable=False)
def quantized_reshape(
    tensor: Any, shape: Any, input_min: Any, input_max: Any, name: str | None = None
) -> _Result:
    """Reshapes a quantized tensor, and returns the limits of its range unchanged."""
    return _Result(reshape(tensor, shape), *map(convert_to_tensor, (input_min, input_max)))


@raw_op("RequantizationRange", differentiable=False)
def requantization_range(
    input: Any, input_min: Any, input_max: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the range that the numbers of a quantized tensor take up, together with 0.

    Args:
      input: A tensor of a quantized dtype.
      input_min: The lower limit of its range.
      input_max: The upper limit of its range.
      name: Accepted for compatibility.

    Returns:
      The lower limit, which is not positive, and the upper limit.
    """
    limits = [reshape(convert_to_tensor(x), ()) for x in (input_min, input_max)]
    low, high = _range_p(convert_to_tensor(input), *limits)
    return low, high


@raw_op("Requantize", differentiable=False)
def requantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    requested_output_min: Any,
    requested_output_max: Any,
    out_type: Any,
    name: str | None = None,
) -> _Result:
    """Converts a quantized tensor to another quantized dtype and range.

    Args:
      input: A tensor of a quantized dtype.
      input_min: The lower limit of its range.
      input_max: The upper limit of its range.
      requested_output_min: The lower limit of the new range.
      requested_output_max: The upper limit of the new range.
      out_type: The new dtype.
      name: Accepted for compatibility.

    Returns:
      The result, and the new limits.
    """
    ranges = (input_min, input_max, requested_output_min, requested_output_max)
    return _run(_requantize_p, input, *ranges, dtype=as_dtype(out_type).np_dtype)


@raw_op("QuantizeDownAndShrinkRange", differentiable=False)
def quantize_down_and_shrink_range(
    input: Any, input_min: Any, input_max: Any, out_type: Any, name: str | None = None
) -> _Result:
    """Converts a quantized tensor to a smaller dtype, with the range that its numbers take up.

    Args:
      input: A tensor of a quantized dtype.
      input_min: The lower limit of its range.
      input_max: The upper limit of its range.
      out_type: The new dtype.
      name: Accepted for compatibility.

    Returns:
      The result, and the limits of its range.
    """
    return _run(_shrink_p, input, input_min, input_max, dtype=as_dtype(out_type).np_dtype)
