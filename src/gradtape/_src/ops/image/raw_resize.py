"""The raw operations that resize images, with TensorFlow 1's positions of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.image.resize import cubic, resize, weighted


def _places(n: int, m: int, align_corners: bool) -> np.ndarray[Any, Any]:
    """Returns the positions of m pixels on an axis of n pixels, measured at their corners."""
    scale = (n - 1) / (m - 1) if align_corners and m > 1 else n / m
    return np.arange(m) * np.float32(scale)


def _linear(n: int, m: int, align_corners: bool) -> Tensor:
    """Returns the weights from n to m pixels, each interpolated between the two nearest."""
    at = _places(n, m, align_corners)
    low = np.minimum(np.floor(at).astype(int), n - 1)
    part = at - low
    weights = np.zeros((m, n), np.float32)
    rows = np.arange(m)
    np.add.at(weights, (rows, low), 1 - part)
    np.add.at(weights, (rows, np.minimum(low + 1, n - 1)), part)
    return Tensor(weights)


def _cubic(n: int, m: int, align_corners: bool) -> Tensor:
    """Returns the weights from n to m pixels, of a cubic of slope -0.75 in 1024 steps."""
    at = _places(n, m, align_corners)
    low = np.floor(at).astype(int)
    part = np.rint((at - low) * 1024) / 1024
    values = cubic(np.abs(np.arange(-1, 3) - part[:, None]), -0.75)
    weights = np.zeros((m, n), np.float32)
    places = np.clip(low[:, None] + np.arange(-1, 3), 0, n - 1)
    np.add.at(weights, (np.arange(m)[:, None], places), values)
    return Tensor(weights)


def _sizes(images: Tensor, size: Any) -> tuple[Any, list[int]]:
    return shape_of(images)[1:3], [int(n) for n in np.asarray(convert_to_tensor(size)._numpy())]


@raw_op("ResizeBilinear")
def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images by bilinear interpolation."""
    if half_pixel_centers:
        return resize(images, size)
    x = cast(images, np.float32)
    own, wanted = _sizes(x, size)
    rows, columns = (_linear(n, m, align_corners) for n, m in zip(own, wanted, strict=True))
    return weighted(x, rows, columns)


@raw_op("ResizeNearestNeighbor")
def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images by nearest-neighbor interpolation."""
    if half_pixel_centers:
        return resize(images, size, "nearest")
    x = convert_to_tensor(images)
    own, wanted = _sizes(x, size)
    for axis, (n, m) in enumerate(zip(own, wanted, strict=True), 1):
        at = _places(n, m, align_corners)
        whole = np.floor(at + 0.5) if align_corners else np.floor(at)
        x = gather(x, np.minimum(whole, n - 1).astype(np.int32), axis=axis)
    return x


@raw_op("ResizeBicubic")
def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images by bicubic interpolation."""
    if half_pixel_centers:
        return resize(images, size, "bicubic")
    x = cast(images, np.float32)
    own, wanted = _sizes(x, size)
    rows, columns = (_cubic(n, m, align_corners) for n, m in zip(own, wanted, strict=True))
    return weighted(x, rows, columns)


@raw_op("ResizeArea")
def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """Resizes images; each new pixel is the mean of the area that it covers."""
    if align_corners:
        raise invalid("ResizeArea needs align_corners=False [Op:ResizeArea]")
    return resize(images, size, "area")
