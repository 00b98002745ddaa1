"""Padded images, convolutions with strides as sums of convolutions without, and windows by axes.

An element of a window meets every `stride`-th element of the image. So the elements of windows and
images fall into parts between which there are no products, and each part is a convolution whose
strides are 1.

A sum or maximum over windows is that along the first axis, then along the next one, and so on.
NumPy's loops are as long as memory has no gaps. With strides along the last spatial axis, they
would be as short as the channels; so these columns are first copied apart from each other: NumPy
copies all channels of a column at once, as one value. Images (batch, *space, channels) that are
"apart" are (stride, batch, *space but the last, width, channels), where column `m * stride + p` of
the images is column `m` of part `p`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.compute.parallel import BLOCK, SHARED, Buffer, crew, over_blocks, over_steps
from gradtape._src.compute.xla_own_convolution import Windows

Array = np.ndarray[Any, Any]

_LINES = 1 << 19
"""The number of results in a block of lines; more do not stay in the cache, fewer cost more."""
_TOGETHER = 1 << 17
"""The number of elements of images in a step, whose many calls cost more than a larger cache."""
_BUFFER = 1024
"""The size of NumPy's buffer; with a smaller one, loops over few channels take longer."""


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


def by_lines(step: Callable[[slice], None], images: int, width: int) -> None:
    """Runs `step(block)` on blocks of images, in several threads if that is faster.

    NumPy copies operands with gaps into its buffer if lines are shorter than that, which takes up
    to as long as the operation itself. So the buffer is smaller during these steps.

    Args:
      step: Works on images of a slice; it calls only NumPy functions.
      images: The number of images.
      width: The number of elements of an image.
    """
    if images * width < BLOCK:
        step(slice(images))
        return
    length = max(min(_TOGETHER // width, -(-images // crew.size)), 1)

    def block(k: int) -> None:
        step(slice(k * length, (k + 1) * length))

    size = np.setbufsize(_BUFFER)
    try:
        over_steps(block, -(-images // length), images * width)
    finally:
        np.setbufsize(size)


class Axis(NamedTuple):
    """The windows along one axis; elements beyond the image take no part."""

    number: int
    window: int
    stride: int  # along the last axis of several, where images must be apart; else 1
    elements: tuple[tuple[int, Any, Any], ...]  # its place in windows, and where its images lie
    is_whole: bool  # whether each element of each window lies in the image
    fresh: int  # the number of elements that have no place of the image in common
    is_tiled: bool  # whether each place of the image is in exactly one window


@lru_cache(256)
def axes(geometry: Windows) -> list[Axis]:
    """Returns the windows along each axis, from the first on.

    The elements have indices of results, and of images, which are apart if there is a stride. A
    place in windows begins at 0.
    """
    last = len(geometry.window) - 1
    each = zip(
        geometry.space,
        geometry.window,
        geometry.strides,
        geometry.pads,
        geometry.dilations,
        geometry.out,
        strict=True,
    )
    return [_axis(i, i == last, *sizes) for i, sizes in enumerate(each)]


def _axis(number: int, last: bool, n: int, k: int, s: int, pads: Any, d: int, out: int) -> Axis:
    before, found = (slice(None),) * (1 + number), []
    for i in range(k):
        part, shift = (i * d - pads[0]) % s, (i * d - pads[0]) // s
        start = max(0, -shift)
        stop = min(out, len(range(part, n, s)) - shift)
        if stop <= start:
            continue
        if last and s > 1:
            of: Any = part, *before, slice(start + shift, stop + shift)
        else:
            first = (start + shift) * s + part
            of = *before, slice(first, first + (stop - start - 1) * s + 1, s)
        found.append((i, (*before, slice(start, stop)), of, stop - start))
    fresh = sum(i * d < s for i, *_ in found)
    return Axis(
        number,
        k,
        s if last else 1,
        tuple((i, to, of) for i, to, of, _ in found),
        len(found) == k and all(size == out for *_, size in found),
        fresh,
        fresh == len(found) and sum(size for *_, size in found) == n,
    )


def apart(x: Any, axis: Axis) -> Array:
    """Returns images with their columns apart, if there is a stride; otherwise the images."""
    if axis.stride == 1:
        out: Array = x
        return out
    made = room_apart(x.shape, axis, x.dtype)
    for part in range(axis.stride):
        columns = x[..., part :: axis.stride, :]
        _copy(made[part, ..., : columns.shape[-2], :], columns)
    return made


def room_apart(shape: tuple[int, ...], axis: Axis, dtype: Any) -> Array:
    """Returns room for images of a shape, with their columns apart."""
    *rows, width, channels = shape
    return np.empty((axis.stride, *rows, -(-width // axis.stride), channels), dtype)


def together(made: Array, axis: Axis, out: Array) -> None:
    """Writes images, given with their columns apart, into `out`."""
    for part in range(axis.stride):
        columns = out[..., part :: axis.stride, :]
        _copy(columns, made[part, ..., : columns.shape[-2], :])


def _copy(to: Array, of: Array) -> None:
    """Copies values; all channels at once if they lie side by side."""
    if to.size and to.strides[-1] == of.strides[-1] == to.itemsize:
        channels = np.dtype((np.void, to.itemsize * to.shape[-1]))
        to, of = to.view(channels), of.view(channels)
    np.copyto(to, of)


def combined(function: Any, x: Any, axis: Axis, length: int, start: Any, out: Any = None) -> Array:
    """Returns the elements of windows along an axis, combined.

    Args:
      function: A ufunc of two arguments.
      x: The images, apart if there is a stride.
      axis: The axis.
      length: The number of windows along it.
      start: The value to combine with, if some elements lie beyond the image.
      out: The array into which the result is written, or None.
    """
    parts = [x[of] for *_, of in axis.elements]
    if out is None:
        shape = list(x.shape[1:] if axis.stride > 1 else x.shape)
        shape[1 + axis.number] = length
        out = np.empty(shape, x.dtype)
    if not axis.is_whole:
        out.fill(start)
        for (_, to, _), part in zip(axis.elements, parts, strict=True):
            function(out[to], part, out=out[to])
    elif len(parts) == 1:
        out[...] = parts[0]
    else:
        function(parts[0], parts[1], out=out)
        for part in parts[2:]:
            function(out, part, out=out)
    made: Array = out
    return made


def spread(own: Callable[[int, Any], Any], axis: Axis, onto: Array) -> None:
    """Adds values of each element of windows along an axis at its place in images.

    Args:
      own: Returns the values of the element of an index in `axis.elements`. It writes them into its
        second argument, if that is not None.
      axis: The axis.
      onto: The images, which are written.
    """
    made = onto if axis.stride == 1 else room_apart(onto.shape, axis, onto.dtype)
    if not axis.is_tiled:
        made.fill(0)
    for i, (*_, of) in enumerate(axis.elements):
        target = made[of]
        if i < axis.fresh:
            own(i, target)
        else:
            target += own(i, None)
    if axis.stride > 1:
        together(made, axis, onto)


def spread_equally(g: Array, axis: Axis, onto: Array) -> None:
    """Adds the same values for all elements of windows along an axis; see `spread`."""
    if axis.is_tiled and axis.is_whole and axis.stride > 1:
        together(np.broadcast_to(g, (axis.stride, *g.shape)), axis, onto)
        return

    def own(i: int, out: Any) -> Array:
        values: Array = g if axis.is_whole else g[axis.elements[i][1]]
        if out is not None:
            np.copyto(out, values)
        return values

    spread(own, axis, onto)
