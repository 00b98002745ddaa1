"""Raw operations on images and boxes, behind public functions with other arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import float32, int32
from gradtape._src.base.errors import About
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.ops.array.creation import range as range_
from gradtape._src.ops.array.padding import pad
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.elementwise.arithmetic import abs
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.exponential import exp
from gradtape._src.ops.elementwise.identities import stop_gradient
from gradtape._src.ops.elementwise.selection import maximum, where
from gradtape._src.ops.elementwise.trigonometric import sin
from gradtape._src.ops.image import boxes as boxes_room
from gradtape._src.ops.image.resize import weighted
from gradtape._src.ops.reduce.reductions import reduce_sum

# Resizing with any scale and shift.


def _cubic(x: Any, near: tuple[float, ...], far: tuple[float, ...]) -> Any:
    """Returns a piecewise cubic: coefficients from the highest power, for x < 1 and x < 2."""
    low, high = (((c[0] * x + c[1]) * x + c[2]) * x + c[3] for c in (near, far))
    return where(x < 1, low, where(x < 2, high, 0.0 * x))


def _lanczos(x: Any, radius: float) -> Any:
    turned = np.pi * maximum(x, 1e-6)
    value = radius * sin(turned) * sin(turned / radius) / (turned * turned)
    return where(x < 1e-6, 0.0 * x + 1.0, where(x < radius, value, 0.0 * x))


_KERNELS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "lanczos1": (lambda x: _lanczos(x, 1.0), 1.0),
    "lanczos3": (lambda x: _lanczos(x, 3.0), 3.0),
    "lanczos5": (lambda x: _lanczos(x, 5.0), 5.0),
    "gaussian": (lambda x: where(x < 1.5, exp(-2.0 * x * x), 0.0 * x), 1.5),
    "box": (lambda x: where(x < 0.5, 0.0 * x + 1.0, where(x == 0.5, 0.0 * x + 0.5, 0.0 * x)), 0.5),
    "triangle": (lambda x: maximum(1.0 - x, 0.0), 1.0),
    "keyscubic": (lambda x: _cubic(x, (1.5, -2.5, 0, 1), (-0.5, 2.5, -4, 2)), 2.0),
    "mitchellcubic": (
        lambda x: _cubic(x, (7 / 6, -2, 0, 8 / 9), (-7 / 18, 2, -10 / 3, 16 / 9)),
        2.0,
    ),
}
"""The functions that weigh pixels by their distance, and the distances at which they end."""


@raw_op("ScaleAndTranslate")
def scale_and_translate(
    images: Any,
    size: Any,
    scale: Any,
    translation: Any,
    kernel_type: str = "lanczos3",
    antialias: bool = True,
    name: str | None = None,
) -> Tensor:
    """Resizes images with a scale and a shift for rows and columns.

    Args:
      images: A tensor of shape (batch, height, width, channels).
      size: The new height and width.
      scale: The number of new pixels for each old one, in rows and columns.
      translation: The shift of the image by new pixels.
      kernel_type: The function that weighs pixels: "lanczos3", "triangle", "gaussian", ...
      antialias: Whether to stretch this function for images that become smaller.
      name: Accepted for compatibility.

    Returns:
      A float32 tensor of shape (batch, *size, channels).

    Raises:
      InvalidArgumentError: The kernel is unknown.
    """
    if kernel_type not in _KERNELS:
        raise invalid(
            f"kernel_type must be one of {sorted(_KERNELS)}, got {kernel_type!r} "
            "[Op:ScaleAndTranslate]",
            About.VALUES,
        )
    x = cast(images, float32)
    lengths, scales = convert_to_tensor(size, int32), convert_to_tensor(scale, float32)
    shifts = convert_to_tensor(translation, float32)
    own = shape(x)
    rows, columns = (
        _weights(own[k + 1], lengths[k], scales[k], shifts[k], kernel_type, antialias)
        for k in (0, 1)
    )
    return weighted(x, rows, columns)


def _weights(n: Any, m: Any, scale: Any, shift: Any, kernel_type: str, antialias: bool) -> Any:
    """Returns the weights from n to m pixels; none for pixels outside of the image."""
    kernel, radius = _KERNELS[kernel_type]
    step = 1.0 / scale
    stretch = maximum(step, 1.0) if antialias else 1.0
    at = (cast(range_(m), float32) + 0.5 - shift) * step
    places = cast(range_(n), float32) + 0.5
    distance = abs(places[None] - at[:, None]) / stretch
    weights = where(distance <= radius, kernel(distance), 0.0 * distance)
    weights = weights / maximum(reduce_sum(weights, 1, keepdims=True), 1e-30)
    inside = (at >= 0.0) & (at <= cast(n, float32))
    return where(inside[:, None], weights, 0.0 * weights)


@raw_op("NonMaxSuppression", differentiable=False)
@raw_op("NonMaxSuppressionV2", differentiable=False)
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    name: str | None = None,
) -> Tensor:
    """Chooses boxes of high score that overlap little."""
    return boxes_room.non_max_suppression(boxes, scores, max_output_size, iou_threshold)


@raw_op("NonMaxSuppressionV4", differentiable=False)
def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Chooses boxes of high score that overlap little, and counts them."""
    given = (boxes, scores, max_output_size, iou_threshold, score_threshold)
    return boxes_room.non_max_suppression_padded(*given, pad_to_max_output_size)


@raw_op("NonMaxSuppressionV5", differentiable=False)
def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    soft_nms_sigma: Any,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Chooses boxes of high score that overlap little, with their scores, and counts them."""
    given = (boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma)
    places, found = boxes_room.non_max_suppression_with_scores(*given)
    count = shape(places)[0]
    if pad_to_max_output_size:
        more = [[0, max_output_size - count]]
        places, found = pad(places, more), pad(found, more)
    return places, found, count


@raw_op("NonMaxSuppressionWithOverlaps", differentiable=False)
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any,
    score_threshold: Any,
    name: str | None = None,
) -> Tensor:
    """Chooses boxes of high score by given overlaps."""
    given = (overlaps, scores, max_output_size, overlap_threshold, score_threshold)
    return boxes_room.non_max_suppression_overlaps(*given)


@raw_op("DrawBoundingBoxes", differentiable=False)
def draw_bounding_boxes(images: Any, boxes: Any, name: str | None = None) -> Tensor:
    """Draws the outlines of boxes with the default colors."""
    return boxes_room.draw_bounding_boxes(images, boxes, None)


@raw_op("ExtractGlimpse", ignored=("uniform_noise",), differentiable=False)
def first_extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Crops a window around the offsets from each image; the gradient is None."""
    x = stop_gradient(convert_to_tensor(input, float32))
    how = (centered, normalized, noise, boxes_room.first_start)
    return boxes_room.glimpses(x, size, stop_gradient(offsets), *how)


@raw_op("ExtractGlimpseV2", ignored=("uniform_noise",), differentiable=False)
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Crops a window from each image."""
    return boxes_room.extract_glimpse(input, size, offsets, centered, normalized, noise)
