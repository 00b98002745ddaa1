"""Changes of images: brightness, contrast, rotation, cropping and padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, float32
from gradtape._src.base.error_messages import unsupported
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import input_of, invalid, shown_shape
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.registered import opaque
from gradtape._src.declare.structural import pad_p, slice_p, transpose_p
from gradtape._src.ops.array.roll_reverse import reverse
from gradtape._src.ops.elementwise.casting import cast, cast_p
from gradtape._src.ops.elementwise.clipping import saturate_cast
from gradtape._src.ops.image.picture_shapes import whole

_FLOATS = ("float32", "float16")

# Pixel values.


@export("image.convert_image_dtype")
def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Converts an image; floats are in [0, 1], and integers use their whole range.

    Args:
      image: A tensor.
      dtype: The dtype to convert to.
      saturate: Whether values out of range are set to the nearest possible one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape.

    Raises:
      AttributeError: `dtype` is neither floating nor integer.

    >>> image = np.array([[[0], [255]]], np.uint8)
    >>> tf.image.convert_image_dtype(image, tf.float32).numpy()[0, :, 0]
    array([0., 1.], dtype=float32)
    """
    x, kind = tensor(image), as_dtype(dtype)
    if not kind.is_floating and not kind.is_integer:
        raise AttributeError("dtype must be either floating point or integer")
    own = x.dtype
    if own is kind:
        return x
    need_numbers(own, kind)
    convert = saturate_cast if saturate else _cast
    if own.is_integer and kind.is_integer:
        return _between_integers(x, own, kind, convert)
    if own.is_floating and kind.is_floating:
        return _cast(x, kind)
    if own.is_integer:
        scaled: Tensor = _cast(x, kind) * (1.0 / own.max)
        return scaled
    return convert(x * (kind.max + 0.5), kind)


def _between_integers(
    x: Tensor, own: DType, kind: DType, convert: Callable[[Tensor, DType], Tensor]
) -> Tensor:
    here, there = int(own.max), int(kind.max)
    if here > there:
        return convert(x // ((here + 1) // (there + 1)), kind)
    if saturate_needed(own, kind):
        x = saturate_cast(x, kind)
    return _cast(x, kind) * ((there + 1) // (here + 1))


def saturate_needed(own: DType, kind: DType) -> bool:
    """Whether negative values are out of the range of `dtype`."""
    return not own.name.startswith("u") and kind.name.startswith("u")


def _cast(x: Any, kind: DType) -> Tensor:
    return cast_p(x, dtype=kind.np_dtype) if x.dtype is not kind else x


def _adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    mean = images.mean(axis=(-3, -2), keepdims=True, dtype=np.float32)
    return ((images - mean) * contrast_factor + mean).astype(images.dtype)


def _adjust_contrast_xla(images: Any, factor: Any) -> Any:
    mean = jnp.mean(images, (-3, -2), np.float32, keepdims=True)
    return ((images - mean) * factor + mean).astype(images.dtype)


_adjust_contrast_p = opaque("AdjustContrastv2", _adjust_contrast, xla=_adjust_contrast_xla)


@export("image.adjust_contrast")
def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Scales the differences between each channel's values and their mean.

    Args:
      images: A tensor of shape (..., height, width, channels).
      contrast_factor: The factor; 1 leaves images unchanged.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      LookupError: When the gradient is computed, which TensorFlow does not define.
        `tf.RegisterGradient("AdjustContrastv2")` registers one.
      ValueError: `images` has fewer than three axes.

    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy()[0, :, 0]
    array([0., 4.], dtype=float32)
    """
    return in_float(lambda x: _raw_adjust_contrast(x, contrast_factor), images)


@raw_op("AdjustContrastv2")
def _raw_adjust_contrast(images: Any, contrast_factor: Any, name: str | None = None) -> Tensor:
    op = "AdjustContrastv2"
    x = pixels(images, op)
    return _adjust_contrast_p(x, amount(contrast_factor, op, "contrast_factor"))


def amount(value: Any, op: str, what: str) -> Tensor:
    """Returns the second input of an operation on images, a number.

    Raises:
      InvalidArgumentError: `value` is a tensor that is not float32, or not a scalar.
    """
    given = input_of(op, 1, value, float32)
    if given._value.ndim:
        raise invalid(f"{what} must be scalar: {shown_shape(shape_of(given))} [Op:{op}]")
    return given


def pixels(images: Any, op: str) -> Tensor:
    """Returns images of float32 or float16 for an operation.

    Raises:
      InvalidArgumentError: The images are neither float32 nor float16, or have less than three
        axes.
    """
    x = convert_to_tensor(images, dtype_hint=float32)
    if x.dtype.name not in _FLOATS:
        raise unsupported(op, (np.float16, np.float32), x.dtype)
    need_rank(x, op)
    return x


def in_float(run: Callable[[Tensor], Tensor], image: Any) -> Tensor:
    """Runs a function on float32 or float16 images, and converts the results back."""
    x = tensor(image)
    own = x.dtype
    need_numbers(own)
    if own.name in _FLOATS:
        return run(x)
    out = run(convert_image_dtype(x, np.float32))
    return convert_image_dtype(out, own, saturate=True)


def need_numbers(*dtypes: DType) -> None:
    """Raises AttributeError for a dtype that images cannot have."""
    if not all(dtype.is_floating or dtype.is_integer for dtype in dtypes):
        raise AttributeError("image dtype must be either floating point or integer")


def need_rank(x: Tensor, op: str) -> None:
    """Raises InvalidArgumentError if a tensor has less than three axes."""
    if x._value.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape {list(shape_of(x))} [Op:{op}]")


def need_image(x: Tensor, least: int = 3, most: int = 99) -> None:
    """Raises ValueError unless a tensor has the axes of an image or of a batch of images."""
    rank = x._value.ndim
    if not least <= rank <= most:
        raise ValueError(
            f"an image has the axes (height, width, channels), with or without a batch axis in "
            f"front; got shape {x.shape}"
        )


def need_pixels(x: Tensor, op: str) -> None:
    """Raises ValueError if images have no row, no column or no channel."""
    if 0 in x._value.shape[-3:]:
        raise ValueError(
            f"{op}: all inner-most three dims of `image` must be > 0, got shape {x.shape}"
        )


@export("image.adjust_brightness")
def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """Adds a number to all values.

    Args:
      image: A tensor.
      delta: The number to add, on the scale of [0, 1].

    Returns:
      A tensor of the same shape and dtype.
    """
    return in_float(lambda x: x + cast(delta, x.dtype), image)


@export("image.flip_left_right")
def flip_left_right(image: Any) -> Tensor:
    """Mirrors images horizontally.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.

    Returns:
      A tensor of the same shape.

    Raises:
      ValueError: The rank is neither 3 nor 4.

    >>> tf.image.flip_left_right([[[1], [2]]]).numpy()[0, :, 0]
    array([2, 1], dtype=int32)
    """
    x = tensor(image)
    need_image(x, 3, 4)
    need_pixels(x, "flip_left_right")
    return reverse(x, [x._value.ndim - 2])


@export("image.flip_up_down")
def flip_up_down(image: Any) -> Tensor:
    """Mirrors images vertically.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.

    Returns:
      A tensor of the same shape.

    Raises:
      ValueError: The rank is neither 3 nor 4.
    """
    x = tensor(image)
    need_image(x, 3, 4)
    need_pixels(x, "flip_up_down")
    return reverse(x, [x._value.ndim - 3])


@export("image.transpose")
def transpose(image: Any, name: str | None = None) -> Tensor:
    """Exchanges height and width.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., width, height, channels).

    Raises:
      ValueError: The rank is neither 3 nor 4.
    """
    x = tensor(image)
    need_image(x, 3, 4)
    need_pixels(x, "transpose")
    n = x._value.ndim
    return transpose_p(x, perm=(*range(n - 3), n - 2, n - 3, n - 1))


@export("image.rot90")
def rot90(image: Any, k: int = 1, name: str | None = None) -> Tensor:
    """Rotates images counter-clockwise.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.
      k: The number of right angles.
      name: Accepted for compatibility.

    Returns:
      A tensor, with height and width exchanged if `k` is odd.

    Raises:
      ValueError: The rank is neither 3 nor 4.
    """
    x = tensor(image)
    need_image(x, 3, 4)
    need_pixels(x, "rot90")
    turns = int(k) % 4
    if turns == 1:
        return flip_up_down(transpose(x))
    if turns == 2:
        return flip_left_right(flip_up_down(x))
    return transpose(flip_up_down(x)) if turns else x


# Cropping and padding.


def _lead(x: Tensor) -> tuple[int, ...]:
    need_image(x, 3, 4)
    need_pixels(x, "crop and pad")
    return shape_of(x)[:-3]


@export("image.crop_to_bounding_box")
@with_fed_values
def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Crops images to a rectangle.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.
      offset_height: The first row.
      offset_width: The first column.
      target_height: The number of rows.
      target_width: The number of columns.

    Returns:
      A tensor of shape (..., target_height, target_width, channels).

    Raises:
      ValueError: The rectangle is not within the image.
    """
    x = tensor(image)
    lead = _lead(x)
    height, width, channels = x._value.shape[-3:]
    top, left = whole("offset_height", offset_height), whole("offset_width", offset_width)
    rows, cols = whole("target_height", target_height), whole("target_width", target_width)
    if top < 0 or left < 0 or rows <= 0 or cols <= 0:
        raise ValueError("offset_height and offset_width must be >= 0, target sizes > 0")
    if top + rows > height or left + cols > width:
        raise ValueError(
            f"the rectangle of {rows} x {cols} at ({top}, {left}) is not within the image of "
            f"{height} x {width}"
        )
    part = slice_p(
        x,
        begin=(*(0,) * len(lead), top, left, 0),
        end=(*lead, top + rows, left + cols, channels),
    )
    part.set_shape([*[None] * len(lead), rows, cols, None])
    return part


@export("image.pad_to_bounding_box")
@with_fed_values
def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Pads images with zeros to a size.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.
      offset_height: The number of rows of zeros above.
      offset_width: The number of columns of zeros on the left.
      target_height: The height of the result.
      target_width: The width of the result.

    Returns:
      A tensor of shape (..., target_height, target_width, channels).

    Raises:
      ValueError: The image does not fit.
    """
    x = tensor(image)
    lead = _lead(x)
    height, width, _ = x._value.shape[-3:]
    top, left = whole("offset_height", offset_height), whole("offset_width", offset_width)
    below = whole("target_height", target_height) - top - height
    right = whole("target_width", target_width) - left - width
    if min(top, left) < 0:
        raise ValueError("offset_height and offset_width must be >= 0")
    if below < 0:
        raise ValueError("height must be <= target - offset")
    if right < 0:
        raise ValueError("width must be <= target - offset")
    none = (0,) * len(lead)
    return pad_p(x, before=(*none, top, left, 0), after=(*none, below, right, 0))


@export("image.central_crop")
@with_fed_values
def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """Crops images to their centre.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.
      central_fraction: The fraction of height and width to keep, in (0, 1].

    Returns:
      A tensor.

    Raises:
      ValueError: The fraction is not in (0, 1].
    """
    x = tensor(image)
    if isinstance(central_fraction, str):
        raise TypeError(f"central_fraction must be a number, got {central_fraction!r}")
    if np.ndim(central_fraction):
        raise TypeError(f"central_fraction must be a number, got {central_fraction!r}")
    part = float(central_fraction)
    if not 0 < part <= 1:
        raise ValueError("central_fraction must be within (0, 1]")
    if part == 1:
        return x
    _lead(x)
    height, width, _ = x._value.shape[-3:]
    top, left = int((height - height * part) / 2), int((width - width * part) / 2)
    return crop_to_bounding_box(x, top, left, height - 2 * top, width - 2 * left)


@export("image.resize_with_crop_or_pad")
@with_fed_values
def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """Crops images, or pads them with zeros, symmetrically to a size.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.
      target_height: The height of the result.
      target_width: The width of the result.

    Returns:
      A tensor of shape (..., target_height, target_width, channels).

    Raises:
      ValueError: A size is not positive.
    """
    x = tensor(image)
    _lead(x)
    rows, cols = whole("target_height", target_height), whole("target_width", target_width)
    if min(rows, cols) <= 0:
        raise ValueError("target_height and target_width must be > 0")
    height, width, _ = x._value.shape[-3:]
    top, left = max(height - rows, 0) // 2, max(width - cols, 0) // 2
    x = crop_to_bounding_box(x, top, left, min(rows, height), min(cols, width))
    above, before = max(rows - height, 0) // 2, max(cols - width, 0) // 2
    return pad_to_bounding_box(x, above, before, rows, cols)
