"""Convolutions with strides as convolutions without: blocks of an image become its channels.

If an image has few channels, the windows of its few neighboring numbers are slow to copy, and the
cotangent of the image is a sum of narrow parts. With strides (s, t), blocks of s by t elements
become the channels of a smaller image, on which a window moves by one block at a time. Windows are
extended to whole blocks by zeros.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._src.compute.xla_own_convolution import Windows

Array = np.ndarray[Any, Any]
_MOST_CHANNELS = 16  # the maximum number of channels of the smaller image


def in_blocks(geometry: Any, channels: int) -> Windows | None:
    """Returns the geometry on the smaller image; None if the convolution is faster as it is.

    Args:
      geometry: The windows of the convolution, which has no groups.
      channels: The channels of its images.
    """
    strides = geometry.strides
    if max(strides) == 1 or channels * math.prod(strides) > _MOST_CHANNELS:
        return None
    if set(geometry.dilations) != {1} or any(
        k <= s for k, s in zip(geometry.window, strides, strict=True) if s > 1
    ):
        return None
    window = tuple(-(-k // s) for k, s in zip(geometry.window, strides, strict=True))
    space = tuple(n + k - 1 for n, k in zip(geometry.out, window, strict=True))
    ones = (1,) * len(space)
    blocks: Windows = type(geometry)(space, window, ones, ((0, 0),) * len(space), ones)
    return blocks


def image_in_blocks(x: Any, geometry: Windows, blocks: Windows) -> Array:
    """Returns the smaller image."""
    whole = np.zeros((len(x), *_whole(geometry, blocks.space), x.shape[-1]), x.dtype)
    inner = _inner(whole, geometry)
    inner[...] = x[tuple(map(slice, inner.shape))]
    return _to_channels(whole, geometry)


def image_from_blocks(x: Any, geometry: Windows) -> Array:
    """Returns the image to which a smaller image, or its cotangent, belongs."""
    whole = _from_channels(x, geometry)
    out = np.zeros((len(x), *geometry.space, whole.shape[-1]), x.dtype)
    inner = _inner(whole, geometry)
    out[tuple(map(slice, inner.shape))] = inner
    return out


def filter_in_blocks(w: Any, geometry: Windows, blocks: Windows) -> Array:
    """Returns the filter for smaller images."""
    channels, outputs = w.shape[-2:]
    whole = np.zeros((outputs, *_whole(geometry, blocks.window), channels), w.dtype)
    whole[(slice(None), *map(slice, geometry.window))] = np.moveaxis(w, -1, 0)
    return np.ascontiguousarray(np.moveaxis(_to_channels(whole, geometry), 0, -1))


def filter_from_blocks(w: Any, geometry: Windows) -> Array:
    """Returns the filter to which a filter for smaller images, or its cotangent, belongs."""
    whole = _from_channels(np.moveaxis(w, -1, 0), geometry)
    part = whole[(slice(None), *map(slice, geometry.window))]
    return np.ascontiguousarray(np.moveaxis(part, 0, -1))


def _whole(geometry: Windows, sizes: tuple[int, ...]) -> list[int]:
    """Returns the extent of so many blocks."""
    return [n * s for n, s in zip(sizes, geometry.strides, strict=True)]


def _inner(whole: Array, geometry: Windows) -> Array:
    """Returns the part of whole blocks that holds the image, which may end before the image."""
    spaces = zip(geometry.space, geometry.pads, strict=True)
    return whole[(slice(None), *(slice(lo, lo + n) for n, (lo, _) in spaces))]


def _to_channels(x: Array, geometry: Windows) -> Array:
    n = len(geometry.strides)
    split = [
        m for size, s in zip(x.shape[1:-1], geometry.strides, strict=True) for m in (size // s, s)
    ]
    order = (0, *range(1, 2 * n, 2), *range(2, 2 * n + 1, 2), 2 * n + 1)
    parts = x.reshape(len(x), *split, x.shape[-1]).transpose(order)
    return np.ascontiguousarray(parts).reshape(*parts.shape[: n + 1], -1)


def _from_channels(x: Array, geometry: Windows) -> Array:
    strides = geometry.strides
    n = len(strides)
    parts = x.reshape(*x.shape[:-1], *strides, -1)
    order = (0, *(axis for k in range(1, n + 1) for axis in (k, k + n)), 2 * n + 1)
    sizes = [size * s for size, s in zip(x.shape[1:-1], strides, strict=True)]
    return parts.transpose(order).reshape(len(x), *sizes, -1)
