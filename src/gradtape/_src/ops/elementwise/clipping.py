"""Keeping values within an interval, or within the range of a dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, dtype_of
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.compute import formulas
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import REAL, general
from gradtape._src.declare.same_dtype import pair
from gradtape._src.declare.structural import aligned, unbroadcast
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import (
    greater_equal_p,
    greater_p,
    less_equal_p,
    less_p,
)
from gradtape._src.ops.elementwise.complex_numbers import complex_p, imag_p, real_p
from gradtape._src.ops.elementwise.logical import logical_and_p
from gradtape._src.ops.elementwise.selection import minimum_p, select_p, zero_of


def _clip(x: Any, low: Any, high: Any) -> Any:
    return formulas.maximum(formulas.minimum(x, high), low)


def _clip_vjp_x(g: Any, x: Any, low: Any, high: Any, x_shape: Any, out_shape: Any) -> Any:
    inside = logical_and_p(less_equal_p(x, high), greater_equal_p(minimum_p(x, high), low))
    return unbroadcast(select_p(inside, g, zero_of(g)), out_shape, x_shape)


def _clip_vjp_low(g: Any, x: Any, low: Any, high: Any, low_shape: Any, out_shape: Any) -> Any:
    below = less_p(minimum_p(x, high), low)
    return unbroadcast(select_p(below, g, zero_of(g)), out_shape, low_shape)


def _clip_vjp_high(g: Any, x: Any, low: Any, high: Any, high_shape: Any, out_shape: Any) -> Any:
    above = logical_and_p(greater_p(x, high), greater_equal_p(high, low))
    return unbroadcast(select_p(above, g, zero_of(g)), out_shape, high_shape)


def _clip_in_xla(x: Any, low: Any, high: Any) -> Any:
    return jnp.maximum(jnp.minimum(x, high), low)


# This is minimum followed by maximum, also in the gradients if values are equal.
clip_p: Bound = general(
    "ClipByValue",
    _clip,
    {"x": _clip_vjp_x, "low": _clip_vjp_low, "high": _clip_vjp_high},
    batching=lambda size, batched, inputs, params: clip_p(*aligned(size, batched, inputs)),
    dtypes=REAL,
    same=slice(0, 3),
    xla=_clip_in_xla,
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True),
)


@export("clip_by_value", direct=True)
@raw_op("ClipByValue")
def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Tensor:
    """Clips values to an interval: `maximum(minimum(t, clip_value_max), clip_value_min)`.

    Args:
      t: A real tensor, or `IndexedSlices`, whose rows are clipped.
      clip_value_min: The lower end, a tensor of the same dtype that broadcasts to `t`'s shape.
      clip_value_max: The upper end, a tensor of the same dtype that broadcasts to `t`'s shape.
      name: Accepted for compatibility.

    Returns:
      A tensor of `t`'s shape and dtype. The gradient flows to `t` inside the interval and at its
      ends, and to the nearer end outside of it.

    Raises:
      ValueError: An end does not broadcast to `t`'s shape.
      InvalidArgumentError: The dtypes differ, or the shapes are not compatible.

    >>> tf.clip_by_value([-2.0, 0.5, 3.0], -1.0, 1.0).numpy()
    array([-1. ,  0.5,  1. ], dtype=float32)
    """
    if isinstance(t, IndexedSlices):
        rows = clip_by_value(t.values, clip_value_min, clip_value_max)
        return IndexedSlices(rows, t.indices, t.dense_shape)  # type: ignore[return-value]
    t = tensor(t)
    low = _end(clip_value_min, t)
    high = _end(clip_value_max, t)
    shape = t._value.shape
    if low._value.shape or high._value.shape:
        ends = (low._value.shape, high._value.shape)
        try:
            full = broadcast_shapes(shape, *ends)
        except ValueError:
            raise invalid(
                f"Incompatible shapes: {list(shape)} vs. {list(ends[0])} and {list(ends[1])} "
                f"[Op:ClipByValue] (`clip_value_min` and `clip_value_max` must broadcast to `t`)",
            ) from None
        if full != tuple(shape):
            raise ValueError(
                f"Shapes {tuple(shape)} and {full} are incompatible: clip_by_value needs "
                f"`clip_value_min` and `clip_value_max` that broadcast to the shape of `t`"
            )
    return clip_p(t, low, high)


def _end(value: Any, t: Tensor) -> Tensor:
    return value if type(value) is Tensor else pair(t, value)[1]


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Converts a tensor to another dtype; values outside the dtype's range become its limits.

    Args:
      value: A numeric tensor.
      dtype: The dtype of the result.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape.

    Raises:
      TypeError: `dtype` is not a dtype.
    """
    want = as_dtype(dtype)
    x = tensor(value)
    have = dtype_of(x._value)
    if want.is_bool or have.is_bool:
        return cast(x, want)
    if have.is_complex:
        if want.is_complex:
            if want.real_dtype.max >= have.real_dtype.max:
                return cast(x, want)
            real, imag = (_saturated(part(x), want.real_dtype) for part in (real_p, imag_p))
            return complex_p(real, imag)
        x = cast(x, have.real_dtype)
    return cast(_saturated(x, want.real_dtype), want)


def _saturated(x: Any, want: DType) -> Any:
    """Casts a real tensor to another real dtype, and clips values to its range."""
    have = dtype_of(x._value)
    (low, high), (least, most) = _range(have), _range(want)
    low, high = max(low, least), min(high, most)
    if have.is_floating or have.min < want.min or have.max > want.max:
        x = clip_by_value(x, _fitting(low, have, np.inf), _fitting(high, have, -np.inf))
    return cast(x, want)


def _range(dtype: DType) -> tuple[Any, Any]:
    """Returns the limits of a dtype as Python numbers, which can be compared for any dtypes."""
    return (float(dtype.min), float(dtype.max)) if dtype.is_floating else (dtype.min, dtype.max)


def _fitting(end: Any, dtype: DType, inwards: float) -> Any:
    """Converts a limit of a range to a dtype, rounded towards the inside of the range."""
    value = dtype.np_dtype.type(float(end) if dtype.is_floating else end)
    if dtype.is_floating:
        beyond = float(value) > end if inwards < 0 else float(value) < end
        return np.nextafter(value, dtype.np_dtype.type(inwards)) if beyond else value
    return value
