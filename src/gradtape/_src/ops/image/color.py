"""Colours of images: grayscale, hue, saturation, and other colour spaces."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import About, FailedPreconditionError
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import invalid, known
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.declare.general import FLOATING, general
from gradtape._src.declare.registered import opaque
from gradtape._src.declare.structural import broadcast_to_p, concat_p, slice_p
from gradtape._src.ops.elementwise.comparison import (
    equal_p,
    greater_equal_p,
    greater_p,
    less_equal_p,
    less_p,
)
from gradtape._src.ops.elementwise.division import div_no_nan_p
from gradtape._src.ops.elementwise.identities import stop_gradient
from gradtape._src.ops.elementwise.logical import logical_and_p
from gradtape._src.ops.elementwise.powers import pow_p
from gradtape._src.ops.elementwise.selection import select_p
from gradtape._src.ops.image.adjust import amount, convert_image_dtype, in_float, pixels
from gradtape._src.ops.linalg.matmul import tensordot


def _colored(image: Any, op: str) -> Tensor:
    x = tensor(image)
    if x._value.ndim < 1 or x._value.shape[-1] != 3:
        converts = op in ("RGBToHSV", "HSVToRGB") and x._value.ndim
        shape = list(x._value.shape)
        message = f"input must have 3 channels but instead has shape {shape} [Op:{op}]"
        if converts:
            raise FailedPreconditionError(None, None, message)
        raise invalid(message, About.SHAPES if op == "MatMul" else About.VALUES)
    return x


def _channel(x: Any, k: int) -> Any:
    lead = x._value.shape[:-1]
    return slice_p(x, begin=(*(0,) * len(lead), k), end=(*lead, k + 1))


# Kernels on raw values; `xp` is NumPy or a module with the same functions.


def _to_hsv(xp: Any, x: Any) -> tuple[Any, Any, Any]:
    top, low = x.max(-1), x.min(-1)
    span = top - low
    r, g, b = x[..., 0], x[..., 1], x[..., 2]
    with np.errstate(all="ignore"):
        saturation = xp.where(top > 0, span / top, 0)
        sixth = 1 / (6 * span)
        hue = xp.where(
            r == top,
            sixth * (g - b),
            xp.where(g == top, sixth * (b - r) + 2 / 6, sixth * (r - g) + 4 / 6),
        )
    hue = xp.where(span > 0, hue, 0)
    return xp.where(hue < 0, hue + 1, hue), saturation, top


def _from_hsv(xp: Any, x: Any) -> Any:
    """Converts hues, saturations and values to RGB colours."""
    h, s, v = x[..., 0:1], x[..., 1:2], x[..., 2:3]
    return ((1 - s + s * xp.clip(_ramps(xp, h), 0, 1)) * v).astype(x.dtype)


def _ramps(xp: Any, hue: Any) -> Any:
    """Returns the parts of red, green and blue in a hue, which must be limited to [0, 1]."""
    turn = hue * 6
    return xp.concatenate([abs(turn - 3) - 1, 2 - abs(turn - 2), 2 - abs(turn - 4)], -1)


def _with_hue(xp: Any, images: Any, delta: Any) -> Any:
    """Shifts the hues of images; unlike a saturation, the range of values has no division."""
    hue, _, top = _to_hsv(xp, images)
    low = images.min(-1, keepdims=True)
    ramps = xp.clip(_ramps(xp, ((hue + delta) % 1)[..., None]), 0, 1)
    return (low + (top[..., None] - low) * ramps).astype(images.dtype)


def _with_saturation(xp: Any, images: Any, scale: Any) -> Any:
    """Scales the saturations of images."""
    hue, saturation, value = _to_hsv(xp, images)
    scaled = xp.clip(saturation * scale, 0, 1)
    return _from_hsv(xp, xp.stack([hue, scaled, value], -1).astype(images.dtype))


def _hsv_to_rgb(x: Any) -> Any:
    return _from_hsv(np, x)


def _adjust_hue(images: Any, delta: Any) -> Any:
    return _with_hue(np, images, delta)


def _adjust_saturation(images: Any, scale: Any) -> Any:
    return _with_saturation(np, images, scale)


hsv_to_rgb_p: Bound = general(
    "HSVToRGB",
    _hsv_to_rgb,
    batching="leading",
    dtypes=FLOATING,
    same=slice(0, 1),
    xla=lambda x: _from_hsv(jnp, x),
)
_adjust_hue_p = opaque(
    "AdjustHue", _adjust_hue, xla=lambda images, delta: _with_hue(jnp, images, delta)
)
_adjust_saturation_p = opaque(
    "AdjustSaturation",
    _adjust_saturation,
    xla=lambda images, scale: _with_saturation(jnp, images, scale),
)

# The public functions.


def _either(first: Any, too: Any, a: Any, second: Any, b: Any, c: Any) -> Any:
    """Returns `a` if both conditions hold, `b` if only the second does, `c` otherwise.

    Elementwise.
    """
    return select_p(logical_and_p(first, too), a, select_p(second, b, c))


@export("image.rgb_to_hsv")
@raw_op("RGBToHSV")
def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Converts red, green and blue to hue, saturation and value.

    Args:
      images: A tensor of shape (..., 3), of values in [0, 1].
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape.

    Raises:
      InvalidArgumentError: There are not three channels.

    >>> tf.image.rgb_to_hsv([[[1.0, 0.0, 0.0]]]).numpy()
    array([[[0., 1., 1.]]], dtype=float32)
    """
    from_colors = _colored(images, "RGBToHSV")
    r, g, b = (_channel(from_colors, k) for k in range(3))
    # If channels are equal, the first is taken as the greatest and the last as the least.
    top = _either(greater_equal_p(r, g), greater_equal_p(r, b), r, greater_equal_p(g, b), g, b)
    least = _either(greater_equal_p(r, b), greater_equal_p(g, b), b, greater_equal_p(r, g), g, r)
    span = top - least
    zero, one = Tensor(top._value.dtype.type(0)), Tensor(top._value.dtype.type(1))
    # In TensorFlow's gradient, the saturation depends on the least channel only if that is above 0.
    dark = less_equal_p(least, zero)
    sixth = div_no_nan_p(one, 6 * span)
    of_green = select_p(equal_p(g, top), sixth * (b - r) + 2 / 6, sixth * (r - g) + 4 / 6)
    hue = select_p(equal_p(r, top), sixth * (g - b), of_green)
    hue = select_p(greater_p(span, zero), hue, hue * 0)
    hue = select_p(less_p(hue, zero), hue + 1, hue)
    hue = select_p(greater_p(top, zero), hue, stop_gradient(hue))
    saturation = div_no_nan_p(top - select_p(dark, stop_gradient(least), least), top)
    saturation = select_p(greater_p(top, zero), saturation, saturation * 0)
    return concat_p(hue, saturation, top, axis=-1)


@export("image.hsv_to_rgb")
@raw_op("HSVToRGB")
def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Converts hue, saturation and value to red, green and blue; its gradient is None.

    Args:
      images: A tensor of shape (..., 3), of values in [0, 1].
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape.

    Raises:
      InvalidArgumentError: There are not three channels.

    >>> tf.image.hsv_to_rgb([[[0.0, 1.0, 1.0]]]).numpy()
    array([[[1., 0., 0.]]], dtype=float32)
    """
    return hsv_to_rgb_p(_colored(images, "HSVToRGB"))


def _mixed(x: Tensor, matrix: Any) -> Tensor:
    if x._value.dtype.kind in "iub":
        raise TypeError(
            f"the image must have a floating dtype, got {x.dtype!r} (tf.image.convert_image_dtype)"
        )
    return tensordot(x, Tensor(np.asarray(matrix).astype(x._value.dtype)), [[-1], [0]])


@export("image.rgb_to_grayscale")
def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """Returns the brightness of colours: 0.2989 red + 0.587 green + 0.114 blue.

    Args:
      images: A tensor of shape (..., 3).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., 1) of the same dtype.

    Raises:
      InvalidArgumentError: There are not three channels.

    >>> tf.image.rgb_to_grayscale([[[1.0, 1.0, 1.0]]]).numpy().round(3)
    array([[[1.]]], dtype=float32)
    """
    x = _colored(images, "MatMul")
    weights = [[0.2989], [0.5870], [0.1140]]
    if x.dtype.is_floating:
        return _mixed(x, weights)
    gray = _mixed(convert_image_dtype(x, np.float32), weights)
    return convert_image_dtype(gray, x.dtype)


@export("image.grayscale_to_rgb")
def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Repeats the single channel three times.

    Args:
      images: A tensor of shape (..., 1).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., 3).

    Raises:
      ValueError: The last axis of `images` does not have length 1.
    """
    x = tensor(images)
    shape = x._value.shape
    if shape[-1:] != (1,):
        raise ValueError(f"Last dimension of a grayscale image should be size 1, got {shape}")
    return broadcast_to_p(x, shape=(*shape[:-1], 3))


_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]


@export("image.rgb_to_yiq")
def rgb_to_yiq(images: Any) -> Tensor:
    """Converts red, green and blue to YIQ.

    Args:
      images: A floating-point tensor of shape (..., 3).

    Returns:
      A tensor of the shape and dtype of `images`.
    """
    return _mixed(_colored(images, "MatMul"), _YIQ)


@export("image.yiq_to_rgb")
def yiq_to_rgb(images: Any) -> Tensor:
    """Converts YIQ to red, green and blue.

    Args:
      images: A floating-point tensor of shape (..., 3).

    Returns:
      A tensor of the shape and dtype of `images`.
    """
    matrix = [
        [1, 1, 1],
        [0.95598634, -0.27201283, -1.10674021],
        [0.6208248, -0.64720424, 1.70423049],
    ]
    return _mixed(_colored(images, "MatMul"), matrix)


@export("image.rgb_to_yuv")
def rgb_to_yuv(images: Any) -> Tensor:
    """Converts red, green and blue to YUV.

    Args:
      images: A floating-point tensor of shape (..., 3).

    Returns:
      A tensor of the shape and dtype of `images`.
    """
    return _mixed(_colored(images, "MatMul"), _YUV)


@export("image.yuv_to_rgb")
def yuv_to_rgb(images: Any) -> Tensor:
    """Converts YUV to red, green and blue.

    Args:
      images: A floating-point tensor of shape (..., 3).

    Returns:
      A tensor of the shape and dtype of `images`.
    """
    matrix = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]
    return _mixed(_colored(images, "MatMul"), matrix)


@export("image.adjust_hue")
def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """Shifts the hues of colours.

    Args:
      image: A tensor of shape (..., 3).
      delta: The shift as a fraction of the full circle.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: There are not three channels, or `delta` is not a scalar.
      LookupError: When the gradient is computed, which TensorFlow does not define.
      ValueError: `delta` is not between -1 and 1. Traced functions do not check that.
    """
    if active_compiler() is None and not _is_unknown(delta) and (delta < -1 or delta > 1):
        raise ValueError(f"delta must be in the interval [-1, 1], got {delta!r}")
    return in_float(lambda x: _raw_adjust_hue(x, delta), image)


def _is_unknown(x: Any) -> bool:
    return isinstance(x, TensorLike) and not known(tensor(x))


@raw_op("AdjustHue")
def _raw_adjust_hue(images: Any, delta: Any, name: str | None = None) -> Tensor:
    op = "AdjustHue"
    return _adjust_hue_p(_colored(pixels(images, op), op), amount(delta, op, "delta"))


@export("image.adjust_saturation")
def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """Scales the saturation of colours.

    Args:
      image: A tensor of shape (..., 3).
      saturation_factor: The factor; 1 leaves images unchanged, 0 makes them grey.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: There are not three channels, or the factor is not a scalar.
      LookupError: When the gradient is computed, which TensorFlow does not define.
    """
    return in_float(lambda x: _raw_adjust_saturation(x, saturation_factor), image)


@raw_op("AdjustSaturation")
def _raw_adjust_saturation(images: Any, scale: Any, name: str | None = None) -> Tensor:
    op = "AdjustSaturation"
    return _adjust_saturation_p(_colored(pixels(images, op), op), amount(scale, op, "scale"))


@export("image.adjust_gamma")
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """Computes gain * image ** gamma, on the scale of [0, 1].

    Args:
      image: A tensor.
      gamma: The exponent, not negative.
      gain: The factor.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: `gamma` is negative.
    """
    if isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")

    def powered(x: Any) -> Any:
        return convert_to_tensor(gain, x.dtype) * pow_p(x, convert_to_tensor(gamma, x.dtype))

    return in_float(powered, image)
