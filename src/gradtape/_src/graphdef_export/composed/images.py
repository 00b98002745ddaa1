"""Functions of images, and quantization of slices, as programs for unknown sizes."""

from __future__ import annotations

from typing import Any

from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.files.images import is_jpeg
from gradtape._src.graphdef_export.composed.call_programs import call_program
from gradtape._src.ops.array.padding import pad
from gradtape._src.ops.array.shaping import broadcast_to
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import equal
from gradtape._src.ops.elementwise.rounding import floor
from gradtape._src.ops.elementwise.selection import maximum, minimum
from gradtape._src.ops.image import adjust
from gradtape._src.ops.image.resize import resize, resize_with_pad
from gradtape._src.ops.quantization import quantize_and_dequantize as rounding
from gradtape._src.text.strings import substr


@call_program(adjust.pad_to_bounding_box)
def padded(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Returns images with zeros around them."""
    x = convert_to_tensor(image)
    height, width = _size(x)
    lead = [[0, 0]] * (x._value.ndim - 3)
    rows = [offset_height, target_height - offset_height - height]
    columns = [offset_width, target_width - offset_width - width]
    return pad(x, [*lead, rows, columns, [0, 0]])


@call_program(adjust.crop_to_bounding_box)
def cropped(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Returns rectangles of images."""
    x = convert_to_tensor(image)
    rows = slice(offset_height, offset_height + target_height)
    return x[..., rows, offset_width : offset_width + target_width, :]


@call_program(adjust.resize_with_crop_or_pad)
def cropped_or_padded(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """Returns images of a size, cropped or padded on all sides."""
    x = convert_to_tensor(image)
    height, width = _size(x)
    top, left = _half(height - target_height), _half(width - target_width)
    x = cropped(x, top, left, minimum(target_height, height), minimum(target_width, width))
    height, width = _size(x)
    above, before = _half(target_height - height), _half(target_width - width)
    return padded(x, above, before, target_height, target_width)


@call_program(resize_with_pad)
def resized_and_padded(
    image: Any, target_height: Any, target_width: Any, method: Any, antialias: bool
) -> Tensor:
    """Returns images that were resized until they fit, and padded."""
    x = convert_to_tensor(image)
    sides = [(n, wanted) for n, wanted in zip(_size(x), (target_height, target_width), strict=True)]
    by_rows, by_columns = (cast(n, "float64") / cast(wanted, "float64") for n, wanted in sides)
    ratio = maximum(by_rows, by_columns)
    rows, columns = (cast(floor(cast(n, "float64") / ratio), "int32") for n, _ in sides)
    x = resize(x, [rows, columns], method, antialias=antialias)
    above, before = _half(target_height - rows), _half(target_width - columns)
    return padded(x, above, before, target_height, target_width)


@call_program(is_jpeg)
def begins_like_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Returns whether strings begin with the three bytes of every JPEG file."""
    return equal(substr(contents, 0, 3), b"\xff\xd8\xff")


def _size(x: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the height and the width of images."""
    sizes = shape(x)
    return sizes[-3], sizes[-2]


def _half(n: Tensor) -> Tensor:
    """Returns half of a length, or 0 if it is negative."""
    return maximum(n, 0) // 2


@call_program(rounding.quantize_and_dequantize)
def rounded(input: Any, input_min: Any, input_max: Any, axis: Any, **how: Any) -> Tensor:
    """Returns numbers rounded to levels."""
    low, high = _limits(input, input_min, input_max, axis)
    return rounding.quantize_and_dequantize(input, low, high, axis=axis, **how)


@call_program(rounding.quantize_and_dequantize_v2)
def rounded_between(input: Any, input_min: Any, input_max: Any, axis: Any, **how: Any) -> Tensor:
    """Returns numbers rounded to levels, without slopes beyond the limits."""
    low, high = _limits(input, input_min, input_max, axis)
    return rounding.quantize_and_dequantize_v2(input, low, high, axis=axis, **how)


def _limits(x: Any, low: Any, high: Any, axis: Any) -> tuple[Tensor, Tensor]:
    """Returns the limits as vectors of which it is known that they are as long as an axis."""
    n = shape(x)[axis]
    return broadcast_to(low, [n]), broadcast_to(high, [n])
