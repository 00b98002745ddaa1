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

from gradtape._src.compute.parallel import BLOCK, SHARED, Buffer, crew, over_blocks
from gradtape._src.compute.xla_own_convolution import Windows

Array = np.ndarray[Any, Any]

_LINES = 1 << 19
"""The number of results in a block of lines; more do not stay in the cache, fewer cost more."""


buffer = Buffer()


def padded(x: Any, geometry: Windows) -> Array:
    """Returns images (batch, *space, channels) with their padding, which may be negative."""
    if not any(map(any, geometry.pads)):
        return np.ascontiguousarray(x)
    made = np.empty((len(x), *geometry.padded, x.shape[-1]), x.dtype)
    places = [*map(_overlap, x.shape[1:-1], made.shape[1:-1], geometry.pads)]
    if made.size < BLOCK:
        _fill(made, x, places)
        return made
    width = math.prod(made.shape[1:])
    over_blocks(lambda block: _fill(made[block], x[block], places), len(x), width)
    return made


def _fill(made: Any, x: Any, places: Any) -> None:
    """Copies images between zeros.

    Args:
      made: The images with padding.
      x: The images (batch, *space, channels); each channel is repeated if `made` has more.
      places: For each spatial axis, where images lie in `made`, and the part of them that does.
    """
    at: tuple[slice, ...] = (slice(None),)
    if small := made.size < SHARED:
        made.fill(0)  # faster than several calls for the edges
    for to, _ in places:
        if to.start and not small:
            made[(*at, slice(to.start))] = 0
        if not small and to.stop < made.shape[len(at)]:
            made[(*at, slice(to.stop, None))] = 0
        at += (to,)
    part, times = x[(slice(None), *(of for _, of in places))], made.shape[-1] // x.shape[-1]
    made[at] = part if times == 1 else np.repeat(part, times, -1)


def _overlap(size: int, room: int, pads: tuple[int, int]) -> tuple[slice, slice]:
    """Returns where an axis lies in a padded one, which may be shorter, and which part of it."""
    low = pads[0]
    if low >= 0 and size + low <= room:
        return slice(low, size + low), slice(0, size)
    start = max(-low, 0)
    stop = max(min(size, room - low), start)
    return slice(start + low, stop + low), slice(start, stop)


class Phases:
    """The windows of several convolutions without strides on the same images, image by image.

    The last spatial axis and the channels are one axis.
    """

    def __init__(self, x: Any, geometries: Any) -> None:
        """Finds the padding that all convolutions share.

        Args:
          x: The images (batch, *space, channels).
          geometries: The windows of each convolution.
        """
        self._x, self._geometries = x, geometries
        axes = zip(*(geometry.pads for geometry in geometries), strict=True)
        pads = [
            (max(0, *lows), max(0, *highs)) for lows, highs in (zip(*a, strict=True) for a in axes)
        ]
        self._lows = [low for low, _ in pads]
        sizes = zip(x.shape[1:-1], pads, strict=True)
        self._room = [size + low + high for size, (low, high) in sizes]
        self._places = [*map(_overlap, x.shape[1:-1], self._room, pads)]

    def of_block(self, images: slice) -> list[Array]:
        """Returns each convolution's windows, which are valid until the next call in this thread.

        Returns:
          Views (images, *out but the last, *window, elements).
        """
        x = self._x[images]
        shape = (len(x), *self._room, x.shape[-1])
        made = buffer.of(math.prod(shape), x.dtype).reshape(shape)
        _fill(made, x, self._places)
        return [self._view(made, geometry) for geometry in self._geometries]

    def _view(self, made: Any, geometry: Any) -> Array:
        batch, *space, channel = made.strides
        pads = zip(self._lows, geometry.pads, strict=True)
        start = sum(n * (low - own) for n, (low, (own, _)) in zip(space, pads, strict=True))
        within = [n * d for n, d in zip(space, geometry.dilations, strict=True)]
        *out, last = geometry.out
        shape = (len(made), *out, *geometry.window, last * made.shape[-1])
        strides = (batch, *space[:-1], *within, channel)
        return np.ndarray(shape, made.dtype, made, start, strides)


class Lines:
    """Windows of images whose last spatial axis and channels are one axis, block by block.

    A block is several small images, one image, or lines of a large one. With strides along the
    last axis, each column of the windows is copied, or if there are many outputs, the axes stay
    apart.

    Attributes:
      blocks: The slices of the images and of the results' first spatial axis for each block.
      is_merged: Whether the last spatial axis and the channels are one axis.
    """

    def __init__(self, x: Any, geometry: Any, outputs: int, wide: int) -> None:
        """Divides images (batch, *space, channels), each channel of which has equally many outputs.

        Args:
          x: The images.
          geometry: The windows.
          outputs: The number of outputs of all channels.
          wide: The number of outputs from which loops over outputs take less time than a copy of
            each column.
        """
        self._x, self._geometry, self._out = x, geometry, geometry.out
        rooms, pads, step = geometry.padded, geometry.pads, geometry.strides[-1]
        axes = list(zip(geometry.space, rooms, pads, strict=True))
        self._middle = [_overlap(*axis) for axis in axes[1:-1]]
        self.is_merged = step == 1 or outputs < wide
        is_copied = self.is_merged and step > 1
        self._last = _columns(geometry, self._out[-1]) if is_copied else [_overlap(*axes[-1])]
        room = self._out[-1] if is_copied else rooms[-1]
        self._room = (*rooms[1:-1], room, outputs)
        self.blocks = self._divided(math.prod(self._out) * outputs)

    def _divided(self, size: int) -> list[tuple[slice, slice]]:
        """Returns the blocks of images whose results have so many elements each."""
        images, lines = len(self._x), self._out[0]
        together, parts = max(BLOCK // size, 1), -(-size // _LINES)
        if images * size >= SHARED:  # each thread has a part of an image, if there are few
            parts = max(parts, crew.size // images)
        count = -(-lines // parts) if len(self._out) > 1 else lines
        return [
            (slice(k, min(k + together, images)), slice(top, min(top + count, lines)))
            for k in range(0, images, together)
            for top in range(0, lines, count)
        ]

    def of_block(self, images: slice, lines: slice) -> Array:
        """Returns the windows of a block, which are valid until the next call in this thread.

        Returns:
          A view (images, *out but the last, *window, elements), or if the last axes are not one,
          (images, *out, *window, channels).
        """
        first, count, rows = self._rows(lines)
        x = self._x[images]
        shape = (len(self._last), len(x), *rows, *self._room)
        made = buffer.of(math.prod(shape), x.dtype).reshape(shape)
        for copy, last in zip(made, self._last, strict=True):
            _fill(copy, x, [*first, *self._middle, last])
        return self._view(made, (*count, *self._out[1:]))

    def _rows(self, lines: slice) -> tuple[list[Any], list[int], list[int]]:
        """Returns where the lines lie, and how many lines of results and of the copy there are."""
        if len(self._out) == 1:
            return [], [self._out[0]], []
        size, k, s, (low, _), d = (v[0] for v in self._geometry)
        count, start = lines.stop - lines.start, lines.start * s - low
        room = (count - 1) * s + (k - 1) * d + 1
        return [_overlap(size, room, (-start, 0))], [count], [room]

    def _view(self, made: Any, out: tuple[int, ...]) -> Array:
        window, strides, dilations = (self._geometry[k] for k in (1, 2, 4))
        last, batch, *space, channel = made.strides
        if not self.is_merged:
            moves = [size * s for size, s in zip(space, strides, strict=True)]
            within = [size * d for size, d in zip(space, dilations, strict=True)]
            whole = (made.shape[1], *out, *window, made.shape[-1])
            return np.ndarray(whole, made.dtype, made, 0, (batch, *moves, *within, channel))
        if len(made) == 1 == strides[-1]:
            last = space[-1] * dilations[-1]
        moves = [size * s for size, s in zip(space[:-1], strides, strict=False)]
        within = [size * d for size, d in zip(space[:-1], dilations, strict=False)]
        shape = (made.shape[1], *out[:-1], *window, out[-1] * made.shape[-1])
        return np.ndarray(shape, made.dtype, made, 0, (batch, *moves, *within, last, channel))


def _columns(geometry: Any, out: int) -> list[tuple[slice, slice]]:
    """Returns for each column of windows where images lie in it, and which of their columns."""
    size, k, s, (low, _), d = (v[-1] for v in geometry)
    found = []
    for i in range(k):
        ((at, _, length, *_, edges, _),) = _phases_of_axis(size, 1, s, (low - i * d, 0), 1, out)
        to, of = _overlap(length, out, edges)
        start = at.start + of.start * s
        found.append((to, slice(start, start + (of.stop - of.start) * s, s)))
    return found


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
