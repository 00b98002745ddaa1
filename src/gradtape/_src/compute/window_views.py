"""Padded images, and convolutions with strides as sums of convolutions without.

An element of a window meets every `stride`-th element of the image. So the elements of windows and
images fall into parts between which there are no products, and each part is a convolution whose
strides are 1.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from gradtape._src.compute.xla_convolution import Windows

Array = np.ndarray[Any, Any]


def padded(x: Any, geometry: Windows) -> Array:
    """Returns images (batch, *space, channels) with their padding, which may be negative."""
    if not any(map(any, geometry.pads)):
        return np.ascontiguousarray(x)
    made = np.zeros((len(x), *geometry.padded, x.shape[-1]), x.dtype)
    _insert(made, x, geometry.pads)
    return made


def columns(x: Any, geometry: Windows) -> Array:
    """Returns for each element of a window along the last axis the images that meet it.

    The images have their padding along the other axes.
    """
    *pads, (low, _) = geometry.pads
    k, s, d, out = (
        v[-1] for v in (geometry.window, geometry.strides, geometry.dilations, geometry.out)
    )
    made = np.zeros((k, len(x), *geometry.padded[:-1], out, x.shape[-1]), x.dtype)
    for i in range(k):
        ((at, *_, edges, _),) = _phases_of_axis(x.shape[-2], 1, s, (low - i * d, 0), 1, out)
        _insert(made[i], x[..., at, :], [*pads, edges])
    return made


def _insert(made: Any, x: Any, pads: Any) -> None:
    """Copies images to their place between the padding."""
    to, of = [slice(None)], [slice(None)]
    for n, (low, high) in zip(x.shape[1:-1], pads, strict=True):
        length = max(n + min(low, 0) + min(high, 0), 0)
        before, skipped = max(low, 0), max(-low, 0)
        to.append(slice(before, before + length))
        of.append(slice(skipped, skipped + length))
    made[tuple(to)] = x[tuple(of)]


def turned(geometry: Any) -> Windows:
    """Returns the geometry in which the cotangent of the images is a convolution, without strides.

    The elements of its windows are in reverse order.
    """
    reach = [(k - 1) * d for k, d in zip(geometry.window, geometry.dilations, strict=True)]
    pads = tuple((r - lo, r - hi) for r, (lo, hi) in zip(reach, geometry.pads, strict=True))
    back: Windows = geometry._replace(space=geometry.out, pads=pads)
    return back


def phases(geometry: Any) -> list[tuple[tuple[slice, ...], tuple[slice, ...], Windows]]:
    """Returns the convolutions without strides whose sum is a convolution.

    Returns:
      For each one, the slices of the images and of the filter to which it belongs, and its windows.
      No two have elements of the image or the filter in common.
    """
    axes = [_phases_of_axis(*of_axis) for of_axis in zip(*geometry, geometry.out, strict=True)]
    found = []
    for parts in product(*axes):
        at, places, *numbers = zip(*parts, strict=True)
        found.append(((slice(None), *at), places, type(geometry)(*numbers)))
    return found


def _phases_of_axis(n: int, k: int, s: int, pads: Any, d: int, out: int) -> list[Any]:
    """Returns (slice of the image, slice of the window, *entries of the windows) for each part."""
    common = math.gcd(s, d)
    step, dilation, low = s // common, d // common, pads[0]
    found = []
    for first in range(min(step, k)):
        start = (first * d - low) % s
        size = max(-(-(n - start) // s), 0)
        window = -(-(k - first) // step)
        before = (low + start - first * d) // s
        after = out + (window - 1) * dilation - size - before
        at, places = slice(start, None, s), slice(first, None, step)
        found.append((at, places, size, window, 1, (before, after), dilation))
    return found
