"""Tensors of quantized dtypes: numbers that are stored as indices of levels, and conversions.

A quantized tensor is used together with the limits of its range. The mode MIN_COMBINED distributes
the levels evenly over the range; MIN_FIRST shifts them slightly, so that 0 is a level; in SCALED,
level 0 is the number 0, and the steps on both sides have the same size (Jacob et al. 2018,
"Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import QUANTIZED_DTYPES, as_dtype, bfloat16, c_name, float32
from gradtape._src.base.errors import About, UnimplementedError
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import (
    are_direct,
    input_of,
    integers,
    invalid,
    known,
    one_of,
)
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.registered import opaque
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.quantization.quantize_and_dequantize import by_slices

_MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
_ROUNDING = ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")
_LARGEST = np.float32(np.finfo(np.float32).max)


class QuantizeV2(NamedTuple):
    """A quantized tensor and the limits of its range."""

    output: Tensor
    output_min: Tensor
    output_max: Tensor


class QuantizedConcat(NamedTuple):
    """Concatenated quantized tensors and the limits of their range."""

    output: Tensor
    output_min: Tensor
    output_max: Tensor


def _storage(dtype: Any) -> np.dtype[Any]:
    """Returns the integer dtype in which levels of a quantized dtype are stored."""
    return np.dtype(as_dtype(dtype).np_dtype[0])


def _levels(value: Any) -> Any:
    """Returns a quantized array's levels as integers."""
    return value[value.dtype.names[0]]


def _ends_of(dtype: Any) -> tuple[np.float32, np.float32]:
    limits = np.iinfo(_storage(dtype))
    return np.float32(limits.min), np.float32(limits.max)


def _away_from_zero(x: Any) -> Any:
    """Rounds to the nearest integer, halves away from zero."""
    whole = np.trunc(x)
    return whole + np.where(abs(x - whole) >= np.float32(0.5), np.sign(x), np.float32(0))


def _stored(levels: Any, dtype: Any) -> Any:
    """Converts levels to a quantized array; values out of the range of int32 become its minimum."""
    kind = _storage(dtype)
    if kind == np.int32:
        fits = (levels >= np.float32(-(2.0**31))) & (levels < np.float32(2.0**31))
        levels = np.where(fits, levels, np.float32(-(2.0**31)))
    return np.asarray(levels).astype(kind).view(as_dtype(dtype).np_dtype)


def _with_zero(low: Any, high: Any, least_range: float) -> tuple[Any, Any]:
    """Widens a range so that it contains 0 and is not too small for its numbers."""
    low = np.where(low < 0, low, np.float32(0))
    size = np.maximum(np.float32(1), np.maximum(abs(low), abs(high)))
    above = low + size * np.float32(least_range)
    return low, np.maximum(np.where(high > above, high, above), np.float32(0))


def _combined(x: Any, low: Any, high: Any, dtype: Any) -> Any:
    least, most = _ends_of(dtype)
    steps = (np.clip(x, low, high) - low) * ((most - least) / (high - low))
    if not least:
        return np.floor(steps + np.float32(0.5))
    return _away_from_zero(steps - (np.float32(most - least) + 1) / 2)


def _least_first(x: Any, low: Any, high: Any, dtype: Any) -> Any:
    limits = np.iinfo(_storage(dtype))
    count = 2.0**limits.bits
    spread = (np.float64(high) - low) * (count / (count - 1))
    scale = np.float32(count / spread) if spread else np.float32(0)
    levels = _away_from_zero(x * scale) - (_away_from_zero(low * scale) - np.float32(limits.min))
    most = np.float32(limits.max)
    if limits.bits > 24:  # in float32, it would round up to a number that int32 does not have
        most = np.nextafter(most, np.float32(0))
    return np.clip(levels, np.float32(limits.min), most)


def _scaled_ends(low: Any, high: Any, dtype: Any, narrow: bool) -> tuple[Any, Any, Any]:
    """Returns limits with steps of equal size on both sides of 0, and the scale."""
    least, most = _ends_of(dtype)
    least += np.float32(narrow)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.where(least * low > 0, least / low, _LARGEST)
        above = np.where(most * high > 0, most / high, _LARGEST)
    scale = np.minimum(below, above).astype(np.float32)
    return least / scale, most / scale, scale


def _quantize(
    x: Any,
    low: Any,
    high: Any,
    *,
    dtype: Any,
    mode: str,
    to_even: bool,
    narrow: bool,
    axis: int,
    least_range: float,
) -> tuple[Any, Any, Any]:
    low, high = _with_zero(low, high, least_range)
    if mode == "SCALED":
        low, high, scale = _scaled_ends(low, high, dtype, narrow)
        ends = [by_slices(np, end, axis, np.ndim(x)) for end in (low, high, scale)]
        steps = np.clip(x, ends[0], ends[1]) * ends[2]
        levels = np.rint(steps) if to_even else _away_from_zero(steps)
    else:
        to_levels = _combined if mode == "MIN_COMBINED" else _least_first
        rank = np.ndim(x)
        levels = to_levels(
            x, by_slices(np, low, axis, rank), by_slices(np, high, axis, rank), dtype
        )
    return _stored(levels, dtype), np.float32(low), np.float32(high)


def _read_scaled(levels: Any, low: Any, high: Any, dtype: Any, narrow: bool) -> Any:
    least, most = _ends_of(dtype)
    step = high / most
    return levels * (np.maximum(low / (least + np.float32(narrow)), step) if least else step)


def _read_least_first(levels: Any, low: Any, high: Any, dtype: Any) -> Any:
    limits = np.iinfo(_storage(dtype))
    step = np.float32((np.float64(high) - low) / (2.0**limits.bits - 1))
    first = _away_from_zero(low / step) * step if high != low else low
    return first + (levels - np.float32(limits.min)) * step


def _dequantize(
    x: Any, low: Any, high: Any, *, mode: str, narrow: bool, axis: int, dtype: Any
) -> Any:
    kind, levels = as_dtype(x.dtype), _levels(x).astype(np.float32)
    low, high = (by_slices(np, end, axis, np.ndim(x)) for end in (low, high))
    if mode == "SCALED":
        out = _read_scaled(levels, low, high, kind, narrow)
    elif mode == "MIN_FIRST":
        out = _read_least_first(levels, low, high, kind)
    else:
        least, most = _ends_of(kind)
        middle = (most - least + 1) / 2 if least else np.float32(0)
        out = (levels + middle) * ((high - low) / (most - least)) + low
    return out.astype(dtype)


_quantize_p = opaque("QuantizeV2", _quantize)
_dequantize_p = opaque("Dequantize", _dequantize)


def _quantized(dtype: Any, op: str) -> Any:
    """Returns a quantized dtype as its NumPy dtype."""
    kind = as_dtype(dtype)
    if kind not in QUANTIZED_DTYPES:
        raise invalid(
            f"Value for attr 'T' of {c_name(kind.name)} is not in the list of allowed values: "
            f"qint8, quint8, qint32, qint16, quint16 [Op:{op}]",
            About.DTYPES,
        )
    return kind.np_dtype


def _axis(given: Any, shape: tuple[int, ...], mode: str, op: str) -> int:
    axis = -1 if given is None else int(given)
    if axis < -1:
        axis += len(shape)
    if axis < -1:
        raise invalid(f"Axis must be at least -1. Found {axis - len(shape)} [Op:{op}]")
    if axis >= len(shape) > 0 or (axis >= 0 and not shape):
        raise invalid(
            f"Axis is on a zero-based index, so its value must always be less than number of "
            f"input's dims, but given axis value was {axis} and input's dims was {len(shape)} "
            f"[Op:{op}]"
        )
    if axis >= 0 and mode == "MIN_FIRST":
        name = op.removesuffix("V2")
        raise UnimplementedError(
            None, None, f"MIN_FIRST mode is not implemented for {name} with axis != -1. [Op:{op}]"
        )
    return axis


def _range(low: Any, high: Any, shape: tuple[int, ...], axis: int, op: str) -> list[Tensor]:
    """Returns the limits as scalars, or as vectors of the length of the axis."""
    ends = []
    for place, (what, value) in enumerate((("min_range", low), ("max_range", high)), 1):
        end = input_of(op, place, value, float32)
        found = shape_of(end)
        count = 1
        for n in found:
            count *= n
        if axis >= 0 and found != (shape[axis],):
            raise invalid(
                f"If axis is specified, {what} must be a 1-D tensor whose size matches the axis "
                f"dimension of the input and output tensors, {shape[axis]}, but its shape is "
                f"{list(found)} [Op:{op}]"
            )
        if axis < 0 and count != 1:
            raise invalid(
                f"If axis is not specified, {what} must contain a single float element, but it "
                f"contains {count} elements [Op:{op}]"
            )
        ends.append(end if axis >= 0 or not found else reshape(end, ()))
    return ends


@export("quantization.quantize")
@raw_op("QuantizeV2", differentiable=False)
def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> QuantizeV2:
    """Quantizes numbers to levels between two limits.

    Args:
      input: A float32 tensor of any shape.
      min_range: The lower limit, a scalar, or a vector with the length of the axis if `axis` is
        given.
      max_range: The upper limit.
      T: The dtype of the result: `tf.qint8`, `tf.quint8`, `tf.qint16`, `tf.quint16`, `tf.qint32`.
      mode: "MIN_COMBINED" for evenly distributed levels, "MIN_FIRST" for levels that include 0, or
        "SCALED" for equal steps on both sides of 0.
      round_mode: "HALF_AWAY_FROM_ZERO" or, if the mode is "SCALED", "HALF_TO_EVEN".
      name: Accepted for compatibility.
      narrow_range: Whether the lowest level is not used in the mode "SCALED".
      axis: The axis whose slices have separate ranges, or None for a single range.
      ensure_minimum_range: The minimum distance of the limits, relative to their size.

    Returns:
      A named tuple of the levels, of the shape of `input`, and the limits that are used, between
      which 0 lies.

    Raises:
      InvalidArgumentError: A dtype, a mode, the axis or the shape of a limit is not valid, or
        `min_range` is greater than `max_range`.
      UnimplementedError: The mode is "MIN_FIRST" and an axis is given.

    >>> tf.quantization.quantize([-1.0, 0.0, 3.0], -1.0, 3.0, tf.quint8).output.numpy()
    array([  0,  64, 255], dtype=uint8)
    """
    op = "QuantizeV2"
    direct = are_direct(min_range, max_range)
    x, dtype = input_of(op, 0, input, float32, direct=direct), _quantized(T, op)
    mode = one_of(mode, _MODES, "mode", op)
    rounding = one_of(round_mode, _ROUNDING, "round_mode", op)
    if rounding == "HALF_TO_EVEN" and mode != "SCALED":
        raise invalid(
            f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'. "
            f"[Op:{op}]",
            About.VALUES,
        )
    shape = shape_of(x)
    at = _axis(axis, shape, mode, op)
    low, high = _range(min_range, max_range, shape, at, op)
    if known(low) and known(high) and np.any(low._numpy() > high._numpy()):
        raise invalid(
            f"input_max_range must be larger than input_min_range. [Op:{op}]", About.VALUES
        )
    how = {"dtype": dtype, "mode": mode, "to_even": rounding == "HALF_TO_EVEN"}
    how |= {"narrow": bool(narrow_range), "axis": at, "least_range": float(ensure_minimum_range)}
    return QuantizeV2(*_quantize_p(x, low, high, **how))


@export("quantization.dequantize")
@raw_op("Dequantize", differentiable=False)
def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = float32,
) -> Tensor:
    """Converts the levels of a quantized tensor back to numbers.

    Args:
      input: A tensor of a quantized dtype.
      min_range: The lower limit of the range, a scalar, or a vector if `axis` is given.
      max_range: The upper limit.
      mode: The mode with which `quantize` made the levels.
      name: Accepted for compatibility.
      axis: The axis whose slices have separate ranges, or None for a single range.
      narrow_range: Whether the lowest level is not used in the mode "SCALED".
      dtype: float32 or bfloat16.

    Returns:
      A tensor of the shape of `input`.

    Raises:
      InvalidArgumentError: A dtype, the mode, the axis or the shape of a limit is not valid.
      UnimplementedError: The mode is "MIN_FIRST" and an axis is given.

    >>> levels, low, high = tf.quantization.quantize([-1.0, 0.5], -1.0, 3.0, tf.qint8)
    >>> tf.quantization.dequantize(levels, low, high).numpy().round(3)
    array([-1.   ,  0.506], dtype=float32)
    """
    op = "Dequantize"
    x, mode = convert_to_tensor(input), one_of(mode, _MODES, "mode", op)
    _quantized(x.dtype, op)
    if as_dtype(dtype) not in (float32, bfloat16):
        raise invalid(
            f"Value for attr 'dtype' of {c_name(as_dtype(dtype).name)} is not in the list of "
            f"allowed values: bfloat16, float [Op:{op}]",
            About.DTYPES,
        )
    shape = shape_of(x)
    at = _axis(axis, shape, mode, op)
    ends = _range(min_range, max_range, shape, at, op)
    how = {"mode": mode, "narrow": bool(narrow_range), "axis": at}
    out: Tensor = _dequantize_p(x, *ends, dtype=as_dtype(dtype).np_dtype, **how)
    return out


@export("quantization.quantized_concat")
@raw_op("QuantizedConcat", differentiable=False)
def quantized_concat(
    concat_dim: Any,
    values: Sequence[Any],
    input_mins: Sequence[Any],
    input_maxes: Sequence[Any],
    name: str | None = None,
) -> QuantizedConcat:
    """Concatenates quantized tensors along an axis, with a common range.

    Args:
      concat_dim: The axis, an integer.
      values: At least two tensors of one quantized dtype, `tf.quint8` or `tf.qint32`.
      input_mins: The lower limits of the ranges, scalars.
      input_maxes: The upper limits of the ranges, scalars.
      name: Accepted for compatibility.

    Returns:
      A named tuple of the levels and the limits of a range that contains all ranges.

    Raises:
      InvalidArgumentError: There are fewer than two tensors, or their dtypes or shapes don't fit.
    """
    op = "QuantizedConcat"
    parts = [convert_to_tensor(v) for v in values]
    if len(parts) < 2:
        raise invalid(
            f"Value for attr 'N' of {len(parts)} must be at least minimum 2 [Op:{op}]",
            About.ATTRIBUTES,
        )
    dtype = _quantized(parts[0].dtype, op)
    axis = int(integers(concat_dim, op, "concat_dim"))
    lows = [np.float32(convert_to_tensor(v, float32)._numpy()) for v in input_mins]
    highs = [np.float32(convert_to_tensor(v, float32)._numpy()) for v in input_maxes]
    low, high = min(*lows, np.float32(0)), max(highs)
    if np.iinfo(_storage(dtype)).min and low != high:  # 0 is in the middle of signed levels
        high = max(-low, high)
        low = -high
    arrays = [
        np.asarray(p._value) if (a, b) == (low, high) else _moved(p._value, a, b, low, high)
        for p, a, b in zip(parts, lows, highs, strict=True)
    ]
    try:
        joined = np.concatenate(arrays, axis)
    except ValueError as error:
        raise invalid(f"{error} [Op:{op}]") from None
    return QuantizedConcat(Tensor(joined), Tensor(low), Tensor(high))


def _moved(value: Any, from_low: Any, from_high: Any, low: Any, high: Any) -> Any:
    """Converts levels of one range to levels of another range."""
    dtype = as_dtype(value.dtype)
    numbers = _read_least_first(_levels(value).astype(np.float32), from_low, from_high, dtype)
    return _stored(_least_first(numbers, low, high, dtype), dtype)
