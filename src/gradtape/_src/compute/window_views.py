"""Padded images, convolutions with strides as sums of convolutions without, and windows by axes.

An element of a window meets every `stride`-th element of the image. So the elements of windows and
images fall into parts between which there are no products, and each part is a convolution whose
strides are 1.

A sum or maximum over windows is that along the first axis, then along the next one, and so on.
NumPy's loops are as long as memory has no gaps. With strides along the last spatial axis, they
would be as short as the channels; so these columns are first copied apart from each other: NumPy
copies all channels of a column at once, as one value. Images (batch, *space, channels) that are
"apart" are (parts, batch, *space but the last, width, channels), where column `m * parts + p` of
the images is column `m` of part `p`. There are as many parts as the stride, or as columns.
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
_KEPT = 1 << 23
"""The number of bytes of temporary arrays that are kept for the next step."""
_ALIGNED = 64
_SMALL = 1 << 12
"""The number of elements of images below which copies of columns take longer than short loops."""
_MANY = 1000
"""The number of elements of windows from which their places are computed anew."""


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


_NOTHING = np.empty(0, np.uint8)


class Scratch:
    """Memory of a step's temporary arrays, which the next step overwrites."""

    def __init__(self, values: Array = _NOTHING, is_apart: bool = True) -> None:
        """Takes memory, all of which is free.

        Args:
          values: Bytes.
          is_apart: Whether the step puts columns apart if there is a stride.
        """
        self._values, self.used, self.is_apart = values, 0, is_apart

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Returns uninitialized values; they are new if there is not enough memory.

        To free it, set `used` to a former value.
        """
        if self._values is _NOTHING:
            return np.empty(shape, dtype)
        dtype, start = np.dtype(dtype), self.used
        stop = start + math.prod(shape) * dtype.itemsize
        if stop > len(self._values):
            return np.empty(shape, dtype)
        self.used = -(-stop // _ALIGNED) * _ALIGNED
        return np.ndarray(shape, dtype, self._values, start)


_free: list[Array] = []


def by_lines(step: Callable[[slice, Scratch], None], images: int, width: int, room: int) -> None:
    """Runs `step(block, scratch)` on blocks of images, in several threads if that is faster.

    NumPy copies operands with gaps into its buffer if lines are shorter than that, which takes up
    to as long as the operation itself. So the buffer is smaller during these steps.

    Args:
      step: Works on images of a slice; it calls only NumPy functions.
      images: The number of images.
      width: The number of elements of an image.
      room: The number of bytes of an image's temporary arrays.
    """
    if images * width < BLOCK:
        step(slice(images), Scratch(is_apart=images * width >= _SMALL))
        return
    length = max(min(_TOGETHER // width, -(-images // crew.size)), 1)
    count = -(-images // length)
    own = _memory(min(count, crew.size) if images * width >= SHARED else 1, length * room)

    def block(k: int) -> None:
        values = own.pop() if own else _NOTHING
        step(slice(k * length, (k + 1) * length), Scratch(values))
        own.append(values)

    size = np.setbufsize(_BUFFER)
    try:
        over_steps(block, count, images * width)
    finally:
        np.setbufsize(size)
        _free.extend(own)
        _free.sort(key=len)
        del _free[: -crew.size]


def _memory(count: int, size: int) -> list[Array]:
    """Returns memory for each thread, which is kept so that its pages stay mapped and cached."""
    if size > _KEPT:
        return []
    found = []
    for _ in range(count):
        try:
            values = _free.pop()
        except IndexError:  # also if another thread took it
            values = _NOTHING
        found.append(values if len(values) >= size else np.empty(size, np.uint8))
    return found


class Axis(NamedTuple):
    """The windows along one axis; elements beyond the image take no part."""

    number: int
    parts: int  # of images that must be apart, along the last axis with a stride; else 1
    elements: tuple[tuple[Any, Any], ...]  # for each, its place in windows, and where images lie
    is_whole: bool  # whether each element of each window lies in the image
    fresh: int  # the number of elements that have no place of the image in common
    is_tiled: bool  # whether each place of the image is in exactly one window


def axes(geometry: Windows, is_apart: bool = True) -> list[Axis]:
    """Returns the windows along each axis, from the first on.

    The elements have indices of results, and of images, which are apart if there is a stride. A
    place in windows begins at 0.
    """
    few = max(geometry.window) < _MANY
    return (_axes if few else _axes.__wrapped__)(geometry, is_apart)


@lru_cache(256)
def _axes(geometry: Windows, is_apart: bool) -> list[Axis]:
    last = len(geometry.window) - 1 if is_apart else None
    return [_axis(i, i == last, *sizes) for i, sizes in enumerate(_sizes(geometry))]


def _sizes(geometry: Windows) -> Any:
    return zip(
        geometry.space,
        geometry.window,
        geometry.strides,
        geometry.pads,
        geometry.dilations,
        geometry.out,
        strict=True,
    )


def _axis(number: int, last: bool, n: int, k: int, s: int, pads: Any, d: int, out: int) -> Axis:
    before, found, sizes = (slice(None),) * (1 + number), [], []
    parts = min(s, n) if last else 1
    for i in range(k):
        part, shift = (i * d - pads[0]) % s, (i * d - pads[0]) // s
        start = max(0, -shift)
        stop = min(out, len(range(part, n, s)) - shift)
        if stop <= start:
            continue
        if parts > 1:
            of: Any = part, *before, slice(start + shift, stop + shift)
        else:
            first = (start + shift) * s + part
            of = *before, slice(first, first + (stop - start - 1) * s + 1, s)
        found.append(((*before, slice(start, stop)), of))
        sizes.append((i, stop - start))
    fresh = sum((i - sizes[0][0]) * d < s for i, _ in sizes)
    is_whole = len(found) == k and all(size == out for _, size in sizes)
    is_tiled = fresh == len(found) and sum(size for _, size in sizes) == n
    return Axis(number, max(parts, 1), tuple(found), is_whole, fresh, is_tiled)


@lru_cache(256)
def met(geometry: Any) -> Windows:
    """Returns windows that meet the same elements of images, without most that meet none.

    If each window along an axis holds the whole image, there is one for all of them. So the size of
    windows is at most a small multiple of the image's and the results'.
    """
    made = [_met_along(*sizes) for sizes in _sizes(geometry)]
    window, strides, pads = zip(*made, strict=True)
    out: Windows = geometry._replace(window=window, strides=strides, pads=pads)
    return out


def _met_along(n: int, k: int, s: int, pads: Any, d: int, out: int) -> Any:
    low, high = pads
    end = (out - 1) * s
    if k <= n or out == 0 or min(pads) < 0:
        return k, s, pads
    if d == 1 and end <= low and n + low <= k:
        return n, 1, (0, 0)
    before = min(max(low - end, 0) // d, k - 1)
    after = min(max(k - 1 - -(-(n - 1 + low) // d), 0), k - 1 - before)
    return k - before - after, s, (low - before * d, high - after * d)


def repeated(x: Array, geometry: Windows) -> Array:
    """Returns results of windows from `met`, repeated for all windows."""
    shape = x.shape[0], *geometry.out, x.shape[-1]
    return x if x.shape == shape else np.broadcast_to(x, shape).copy()


def added(g: Any, windows: Windows) -> Array:
    """Returns cotangents of all windows, added up for those from `met`, in NumPy or XLA."""
    same = [i for i, n in enumerate(windows.out, 1) if n != g.shape[i]]
    out: Array = g.sum(tuple(same), dtype=g.dtype, keepdims=True) if same else g
    return out


def room(geometry: Windows, channels: int, each: int) -> int:
    """Returns the number of bytes of an image's arrays, `each` for an element or result."""
    larger = map(max, geometry.space, geometry.out)
    return (math.prod(larger) * channels + _ALIGNED) * each


def apart(x: Any, axis: Axis, scratch: Scratch) -> Array:
    """Returns images with their columns apart, if there is a stride; otherwise the images."""
    if axis.parts == 1:
        out: Array = x
        return out
    made = _room_apart(x.shape, axis, x.dtype, scratch)
    for part in range(axis.parts):
        columns = x[..., part :: axis.parts, :]
        _copy(made[part, ..., : columns.shape[-2], :], columns)
    return made


def _room_apart(shape: tuple[int, ...], axis: Axis, dtype: Any, scratch: Scratch) -> Array:
    """Returns room for images of a shape, with their columns apart."""
    *rows, width, channels = shape
    return scratch.empty((axis.parts, *rows, -(-width // axis.parts), channels), dtype)


def together(made: Array, axis: Axis, out: Array) -> None:
    """Writes images, given with their columns apart, into `out`."""
    for part in range(axis.parts):
        columns = out[..., part :: axis.parts, :]
        _copy(columns, made[part, ..., : columns.shape[-2], :])


def _copy(to: Array, of: Array) -> None:
    """Copies values; all channels at once if they lie side by side."""
    if to.size and to.strides[-1] == of.strides[-1] == to.itemsize:
        channels = np.dtype((np.void, to.itemsize * to.shape[-1]))
        to, of = to.view(channels), of.view(channels)
    np.copyto(to, of)


def combined(function: Any, x: Any, axis: Axis, start: Any, out: Array) -> None:
    """Writes the elements of windows along an axis, combined.

    Args:
      function: A ufunc of two arguments.
      x: The images, apart if there is a stride.
      axis: The axis.
      start: The value to combine with, if some elements lie beyond the image.
      out: The array into which the result is written.
    """
    if not axis.is_whole:
        out.fill(start)
        for to, of in axis.elements:
            function(out[to], x[of], out=out[to])
    elif len(axis.elements) == 1:
        np.copyto(out, x[axis.elements[0][1]])
    else:
        (_, one), (_, two), *rest = axis.elements
        function(x[one], x[two], out=out)
        for _, of in rest:
            function(out, x[of], out=out)


def over_axes(
    function: Any, x: Any, geometry: Windows, start: Any, out: Array | None, scratch: Scratch
) -> list[tuple[Axis, Array, Array]]:
    """Returns each axis, the images (apart) of which windows along it are taken, and the results.

    Along all but the first axis, the images are the results along the axis before.

    Args:
      function: A ufunc of two arguments.
      x: The images.
      geometry: The windows.
      start: The value to combine with, if some elements lie beyond the image.
      out: The array into which the last results are written, or None.
      scratch: The memory for other arrays.
    """
    found, image, shape = [], x, list(x.shape)
    for axis, length in zip(axes(geometry, scratch.is_apart), geometry.out, strict=True):
        shape[1 + axis.number] = length
        image = apart(image, axis, scratch)
        is_last = axis.number == len(geometry.out) - 1
        best = out if is_last and out is not None else scratch.empty((*shape,), x.dtype)
        combined(function, image, axis, start, best)
        found.append((axis, image, best))
        image = best
    return found


def over_windows(function: Any, x: Any, geometry: Windows, start: Any, shares: Any = None) -> Array:
    """Returns the elements of each window, as `combined` makes them, times shares if given."""
    windows = met(geometry)
    out = np.empty((x.shape[0], *windows.out, x.shape[-1]), x.dtype)

    def step(block: slice, scratch: Scratch) -> None:
        over_axes(function, x[block], windows, start, out[block], scratch)
        if shares is not None:
            np.multiply(out[block], shares, out=out[block])

    if out.size:
        each = room(windows, x.shape[-1], (1 + len(windows.out)) * x.itemsize)
        by_lines(step, len(x), max(math.prod(x.shape[1:]), 1), each)
    return repeated(out, geometry)


def spread(own: Callable[[int, Any], Any], axis: Axis, onto: Array, scratch: Scratch) -> None:
    """Adds values of each element of windows along an axis at its place in images.

    Args:
      own: Returns the values of the element of an index in `axis.elements`. It writes them into its
        second argument, if that is not None.
      axis: The axis.
      onto: The images, which are written.
      scratch: The memory for other arrays.
    """
    made = onto if axis.parts == 1 else _room_apart(onto.shape, axis, onto.dtype, scratch)
    if not axis.is_tiled:
        made.fill(0)
    for i, (_, of) in enumerate(axis.elements):
        target = made[of]
        if i < axis.fresh:
            own(i, target)
        else:
            np.add(target, own(i, None), out=target)
    if axis.parts > 1:
        together(made, axis, onto)


def spread_equally(g: Array, axis: Axis, onto: Array, scratch: Scratch) -> None:
    """Adds the same values for all elements of windows along an axis; see `spread`."""
    if axis.is_tiled and axis.is_whole and axis.parts > 1:
        together(np.broadcast_to(g, (axis.parts, *g.shape)), axis, onto)
        return

    def own(i: int, out: Any) -> Array:
        values: Array = g if axis.is_whole else g[axis.elements[i][0]]
        if out is not None:
            np.copyto(out, values)
        return values

    spread(own, axis, onto, scratch)
