"""Convolutions of NumPy arrays, and their two transposes.

Images are (batch, *space, channels) and filters (*window, channels per group, outputs). Each is a
product of matrices with the windows of the image as rows, or, if each group has one channel
("depthwise"), a sum of products of shifted images. The rows may lack all lines of a window but one:
then there is one product for each line. Several small groups are one product. Images are taken in
blocks whose rows stay in the processor's cache. The figures are in benchmarks/README.md.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.compute.axis_sums import HALVES
from gradtape._src.compute.parallel import crew, over_blocks
from gradtape._src.compute.products import dot, dot_of_columns
from gradtape._src.compute.space_to_depth import (
    filter_from_blocks,
    filter_in_blocks,
    image_from_blocks,
    image_in_blocks,
    in_blocks,
)
from gradtape._src.compute.xla_convolution import Windows

Array = np.ndarray[Any, Any]

_BLOCK = 1 << 18
"""The number of elements in the windows of a block, for one thread."""
_SHARED_BLOCK = 1 << 22
"""The number for several threads, which wait for each other after each block."""
_LEAST_WIDTH = 32  # the elements of a row from which products by lines pay off
_TOGETHER = 16  # the channels of several groups that are computed as one
_MOST_PLACES = 100  # the maximum number of elements of a window for a sum of shifted images
_LETTERS = "abdefghjkl"


def conv(x: Any, w: Any, *, geometry: Windows, groups: int) -> Array:
    """Returns the convolution of images with a filter."""
    if x.dtype.type in HALVES:
        return _in_single(conv, x, w, geometry, groups)
    if _is_empty(x, w, geometry):
        return np.zeros((x.shape[0], *geometry.out, w.shape[-1]), x.dtype)
    if _is_depthwise(geometry, groups, w.shape[-2]):
        return _depthwise(_repeated(x, w.shape[-1]), w, geometry)
    if groups > 1:
        out = np.empty((x.shape[0], *geometry.out, w.shape[-1]), x.dtype)
        for ins, outs, matrices in _merged(w, groups):
            out[..., outs] = conv(x[..., ins], matrices, geometry=geometry, groups=1)
        return out
    return _of_one_group(x, w, geometry)


def _of_one_group(x: Any, w: Any, geometry: Windows) -> Array:
    if blocks := in_blocks(geometry, x.shape[-1]):
        x, w = image_in_blocks(x, geometry, blocks), filter_in_blocks(w, geometry, blocks)
        geometry = blocks
    outputs = w.shape[-1]
    out = np.empty((x.shape[0], *geometry.out, outputs), x.dtype)
    if _is_by_lines(geometry, x.shape[-1], outputs):
        matrices = _by_line(w)
        for at, lines, count in _line_blocks(x, geometry):
            onto = out[at].reshape(len(lines), count, outputs)
            first, *others = _parts(lines, geometry, count)
            _products(first, matrices[0], onto)
            for part, matrix in zip(others, matrices[1:], strict=True):
                onto += _products(part, matrix)
        return out
    matrix = w.reshape(-1, outputs)
    for at, rows in _blocks(x, geometry, outputs):
        dot(rows, matrix, out[at].reshape(len(rows), outputs))
    return out


def conv_input(g: Any, w: Any, *, geometry: Windows, groups: int) -> Array:
    """Returns the cotangent of the images, from that of the convolution."""
    if g.dtype.type in HALVES:
        return _in_single(conv_input, g, w, geometry, groups)
    channels, outputs = w.shape[-2], w.shape[-1] // groups
    if _is_empty(g, w, geometry):
        return np.zeros((g.shape[0], *geometry.space, groups * channels), g.dtype)
    if groups > 1 < channels:
        parts = [
            conv_input(g[..., outs], matrices, geometry=geometry, groups=1)
            for _, outs, matrices in _merged(w, groups)
        ]
        return np.concatenate(parts, -1)
    if groups == 1 and (blocks := in_blocks(geometry, channels)):
        found = conv_input(g, filter_in_blocks(w, geometry, blocks), geometry=blocks, groups=1)
        return image_from_blocks(found, geometry)
    turned = _turned(geometry)
    if turned and (groups == 1 or channels == outputs == 1):
        flipped = np.flip(w, tuple(range(len(geometry.window))))
        back = flipped.swapaxes(-1, -2) if groups == 1 else flipped
        return conv(g, np.ascontiguousarray(back), geometry=turned, groups=groups)
    out = np.zeros((g.shape[0], *geometry.padded, groups * channels), g.dtype)
    k, n = math.prod(geometry.window), math.prod(geometry.out)
    if _is_depthwise(geometry, groups, channels):
        _spread_depthwise(out, g, w.reshape(k, groups, outputs), geometry)
    else:
        matrix = w.reshape(k, channels, groups, outputs).transpose(0, 2, 3, 1)
        images = max(_BLOCK // (n * k * channels * groups), 1)
        for start in range(0, g.shape[0], images):
            part, onto = g[start : start + images], out[start : start + images]
            flat = part.reshape(-1, groups, outputs).transpose(1, 0, 2)
            places = np.matmul(flat, matrix).transpose(0, 2, 1, 3)
            places = places.reshape(k, *part.shape[:-1], groups * channels)
            for place, at in zip(places, geometry.offsets(), strict=True):
                onto[(slice(None), *at)] += place
    return _inner(out, geometry)


def conv_filter(x: Any, g: Any, *, geometry: Windows, groups: int) -> Array:
    """Returns the cotangent of the filter, from that of the convolution."""
    if x.dtype.type in HALVES:
        return _in_single(conv_filter, x, g, geometry, groups)
    channels, outputs = x.shape[-1] // groups, g.shape[-1]
    expected = (*x.shape[:1], *geometry.space), (*x.shape[:1], *geometry.out)
    if (x.shape[:-1], g.shape[:-1]) != expected:
        raise InvalidArgumentError(
            None,
            None,
            f"input and out_backprop must have the shapes {expected} before their channels, "
            f"got {x.shape} and {g.shape} [Op:Conv2DBackpropFilter]",
        )
    if _is_empty(x, g, geometry):
        return np.zeros((*geometry.window, channels, outputs), x.dtype)
    if _is_depthwise(geometry, groups, channels):
        return _depthwise_filter(_repeated(x, outputs), g, geometry)
    if groups > 1:
        return _merged_filter(x, g, geometry, groups)
    return _filter_of_one_group(x, g, geometry)


def _filter_of_one_group(x: Any, g: Any, geometry: Windows) -> Array:
    channels, outputs = x.shape[-1], g.shape[-1]
    if blocks := in_blocks(geometry, channels):
        found = _filter_of_one_group(image_in_blocks(x, geometry, blocks), g, blocks)
        return filter_from_blocks(found, geometry)
    k = math.prod(geometry.window)
    if _is_by_lines(geometry, channels, outputs):
        height = geometry.window[-2]
        matrices = np.zeros((height, k // height * channels, outputs), x.dtype)
        for at, lines, count in _line_blocks(x, geometry):
            flat = g[at].reshape(len(lines), count, outputs)
            for matrix, part in zip(matrices, _parts(lines, geometry, count), strict=True):
                np.add(matrix, _sum_of_products(part, flat), out=matrix)
        return _from_lines(matrices, geometry)
    out = np.zeros((k * channels, outputs), x.dtype)
    for at, rows in _blocks(x, geometry, outputs):
        out += dot_of_columns(rows, g[at].reshape(len(rows), outputs))
    return out.reshape(*geometry.window, channels, outputs)


def _in_single(kernel: Any, a: Any, b: Any, geometry: Windows, groups: int) -> Array:
    """Returns a kernel that computes float16 in float32.

    NumPy itself would add up the products in half precision.
    """
    wide = (v.astype(np.float32) for v in (a, b))
    out: Array = kernel(*wide, geometry=geometry, groups=groups).astype(a.dtype)
    return out


def _is_empty(a: Any, b: Any, geometry: Windows) -> bool:
    return not (a.size and b.size and math.prod(geometry.out))


# Windows as rows of a matrix.


class _Buffer(threading.local):
    """Memory for the windows of a block, kept so that its pages stay mapped and in the cache."""

    values = np.empty(0, np.uint8)

    def of(self, size: int, dtype: Any) -> Array:
        """Returns uninitialized values, which the next call in the same thread overwrites."""
        if self.values.nbytes < size * dtype.itemsize:
            self.values = np.empty(size * dtype.itemsize, np.uint8)
        return self.values[: size * dtype.itemsize].view(dtype)


_buffer = _Buffer()


def _blocks(x: Any, geometry: Windows, outputs: int) -> Iterator[tuple[Any, Any]]:
    """Returns the windows of an image block by block, as rows of a matrix.

    A product copies a filter of `outputs` into the form in which it computes; in a block with four
    times as many windows, that is a small part of its time.

    Yields:
      The indices of a block in the result, and its windows (windows, positions * channels), which
      are valid until the next block.
    """
    if _is_image(geometry):
        yield (slice(None),), x.reshape(-1, x.shape[-1])
        return
    windows = _windows(x, geometry)
    width = math.prod(geometry.window) * x.shape[-1]
    if windows.size <= 2 * _BLOCK:  # one block is faster than two
        yield (slice(None),), windows.reshape(-1, width)
        return
    size = _BLOCK if crew.size == 1 else _SHARED_BLOCK
    rows = max(size // width, 4 * outputs)
    for at in _indices(len(x), geometry.out, rows):
        part = windows[at]
        copy = _buffer.of(part.size, x.dtype)
        _fill(copy.reshape(part.shape), part)
        yield at, copy.reshape(-1, width)


def _fill(copy: Any, part: Any) -> None:
    def step(block: slice) -> None:
        copy[block] = part[block]

    over_blocks(step, len(part), math.prod(part.shape[1:]))


def _indices(images: int, out: tuple[int, ...], rows: int) -> Iterator[tuple[Any, ...]]:
    """Returns the indices of blocks of about `rows` windows: several images, or lines of one."""
    line = math.prod(out[1:])
    together = rows // (out[0] * line)
    if together or out[0] < 2:
        for start in range(0, images, max(together, 1)):
            yield (slice(start, start + max(together, 1)),)
        return
    lines = max(rows // line, 1)
    for image in range(images):
        for top in range(0, out[0], lines):
            yield image, slice(top, top + lines)


def _windows(x: Any, geometry: Windows) -> Any:
    """Returns the windows of an image, (batch, *out, *window, channels), as a view."""
    x = _padded(x, geometry)
    batch, *space, channel = x.strides
    moves = [n * s for n, s in zip(space, geometry.strides, strict=True)]
    within = [n * d for n, d in zip(space, geometry.dilations, strict=True)]
    shape = (x.shape[0], *geometry.out, *geometry.window, x.shape[-1])
    return as_strided(x, shape, (batch, *moves, *within, channel), writeable=False)


def _padded(x: Any, geometry: Windows) -> Any:
    if not any(map(any, geometry.pads)):
        return np.ascontiguousarray(x)
    made = np.zeros((x.shape[0], *geometry.padded, x.shape[-1]), x.dtype)
    _inner(made, geometry)[...] = x
    return made


def _inner(padded: Array, geometry: Windows) -> Array:
    """Returns the part of a padded image that holds the image."""
    spaces = zip(geometry.space, geometry.pads, strict=True)
    return padded[(slice(None), *(slice(lo, lo + n) for n, (lo, _) in spaces))]


def _is_image(geometry: Windows) -> bool:
    """Whether the windows are the elements of the image."""
    if max(geometry.window) > 1 or max(geometry.strides) > 1:
        return False
    return not any(map(any, geometry.pads))


def _turned(geometry: Any) -> Windows | None:
    """Returns the geometry in which the cotangent of the images is a convolution, or None.

    Windows must be next to each other, and the padding not larger than a window.
    """
    reach = [(k - 1) * d for k, d in zip(geometry.window, geometry.dilations, strict=True)]
    pads = tuple((r - lo, r - hi) for r, (lo, hi) in zip(reach, geometry.pads, strict=True))
    if set(geometry.strides) != {1} or min(map(min, pads)) < 0:
        return None
    turned: Windows = geometry._replace(space=geometry.out, pads=pads)
    return turned


# Windows without the lines of the window: each line of the image is copied once, not once for each
# line of the window, and there is one product for each line of the window.


def _is_by_lines(geometry: Windows, channels: int, outputs: int) -> bool:
    """Whether products by lines save more copies than the sums of their results cost."""
    window = geometry.window
    if len(window) < 2 or window[-2] == 1 or geometry.strides[-2] > 1:
        return False
    width = math.prod(window) // window[-2] * channels
    return width >= max(_LEAST_WIDTH, outputs) and math.prod(geometry.out[-2:]) >= 4 * outputs


def _by_line(w: Any) -> Array:
    """Returns the filter as one matrix for each line of the window."""
    n = w.ndim - 2
    matrices = np.ascontiguousarray(np.moveaxis(w, n - 2, 0))
    return matrices.reshape(w.shape[n - 2], -1, w.shape[-1])


def _from_lines(matrices: Array, geometry: Windows) -> Array:
    """Returns the filter to which one matrix for each line of the window belongs."""
    window = geometry.window
    split = matrices.reshape(window[-2], *window[:-2], window[-1], -1, matrices.shape[-1])
    return np.ascontiguousarray(np.moveaxis(split, 0, len(window) - 2))


def _line_blocks(x: Any, geometry: Windows) -> Iterator[tuple[Any, Any, int]]:
    """Returns the lines of images, as rows for products, block by block.

    Yields:
      The indices of a block in the result; its lines and those below that the windows reach
      (images, lines, positions * elements of the window in other lines); and the number of
      positions in an image. The lines are valid until the next block.
    """
    x = _padded(x, geometry)
    batch, *space, channel = x.strides
    outer, strides, dilations = space[:-2] + space[-1:], geometry.strides, geometry.dilations
    moves = [n * s for n, s in zip(outer, strides[:-2] + strides[-1:], strict=True)]
    within = [n * d for n, d in zip(outer, dilations[:-2] + dilations[-1:], strict=True)]
    out, window = geometry.out, geometry.window
    reach = (window[-2] - 1) * dilations[-2]
    view = as_strided(
        x,
        (len(x), *out[:-2], out[-2] + reach, out[-1], *window[:-2], window[-1], x.shape[-1]),
        (batch, *moves[:-1], space[-2], moves[-1], *within, channel),
        writeable=False,
    )
    line = out[-1] * math.prod(window) // window[-2] * x.shape[-1]
    size = _BLOCK if crew.size == 1 else _SHARED_BLOCK
    step = max(size // line - reach, 2 * reach, 1)
    together = step // (out[-2] + reach)
    if together > 1 and len(out) == 2:
        for start in range(0, len(x), together):
            part = view[start : start + together]
            copy = _buffer.of(part.size, x.dtype)
            _fill(copy.reshape(part.shape), part)
            lines = copy.reshape(*part.shape[:2], -1)
            yield (slice(start, start + together),), lines, out[-2] * out[-1]
        return
    for slab in np.ndindex(len(x), *out[:-2]):
        for top in range(0, out[-2], step):
            count = min(step, out[-2] - top)
            part = view[slab][top : top + count + reach]
            copy = _buffer.of(part.size, x.dtype)
            _fill(copy.reshape(part.shape), part)
            lines = copy.reshape(1, len(part), -1)
            yield (*slab, slice(top, top + count)), lines, count * out[-1]


def _parts(lines: Any, geometry: Windows, count: int) -> list[Any]:
    """Returns for each line of the window the rows of the lines that meet it."""
    n = count // geometry.out[-1]
    starts = range(0, geometry.window[-2] * geometry.dilations[-2], geometry.dilations[-2])
    return [lines[:, start : start + n].reshape(len(lines), count, -1) for start in starts]


def _products(parts: Any, matrix: Any, out: Any = None) -> Array:
    """Returns the product of each part with a matrix."""
    if len(parts) > 1:
        found: Array = np.matmul(parts, matrix, out=out)
        return found
    return dot(parts[0], matrix, None if out is None else out[0])[None]


def _sum_of_products(parts: Any, flat: Any) -> Array:
    """Returns the sum of the products of the columns of each part with those of another array."""
    if len(parts) > 1:
        total: Array = np.add.reduce(np.matmul(parts.swapaxes(1, 2), flat), 0)
        return total
    return dot_of_columns(parts[0], flat[0])


# Groups: several groups are one product, with zeros between them in the filter.


def _merged(w: Any, groups: int) -> Iterator[tuple[slice, slice, Array]]:
    """Yields the channels and the outputs of some groups, and their filter without groups."""
    channels, outputs = w.shape[-2], w.shape[-1] // groups
    parts = w.reshape(*w.shape[:-1], groups, outputs)
    step = _groups_together(channels, outputs)
    for start in range(0, groups, step):
        count = min(step, groups - start)
        together = np.zeros((*w.shape[:-2], count, channels, count, outputs), w.dtype)
        for k in range(count):
            together[..., k, :, k, :] = parts[..., start + k, :]
        ins = slice(start * channels, (start + count) * channels)
        outs = slice(start * outputs, (start + count) * outputs)
        yield ins, outs, together.reshape(*w.shape[:-2], count * channels, count * outputs)


def _merged_filter(x: Any, g: Any, geometry: Windows, groups: int) -> Array:
    channels, outputs = x.shape[-1] // groups, g.shape[-1] // groups
    out = np.empty((*geometry.window, channels, groups, outputs), x.dtype)
    step = _groups_together(channels, outputs)
    for start in range(0, groups, step):
        count = min(step, groups - start)
        ins = slice(start * channels, (start + count) * channels)
        outs = slice(start * outputs, (start + count) * outputs)
        found = conv_filter(x[..., ins], g[..., outs], geometry=geometry, groups=1)
        parts = found.reshape(*geometry.window, count, channels, count, outputs)
        for k in range(count):
            out[..., start + k, :] = parts[..., k, :, k, :]
    return out.reshape(*geometry.window, channels, -1)


def _groups_together(channels: int, outputs: int) -> int:
    return max(_TOGETHER // max(channels, outputs), 1)


# Windows of one channel.


def _is_depthwise(geometry: Windows, groups: int, channels: int) -> bool:
    return groups > 1 == channels and math.prod(geometry.window) <= _MOST_PLACES


def _repeated(x: Any, outputs: int) -> Any:
    """Repeats each channel of an image once for each of its outputs."""
    times = outputs // x.shape[-1]
    return x if times == 1 else np.repeat(x, times, -1)


def _lines(x: Any, geometry: Windows) -> tuple[Any, str, str]:
    """Returns windows with the last spatial axis and the channels merged, if it has no stride.

    Returns:
      The windows (batch, *out, *window, elements), the letters of the axes of `out` (but for the
      last one, if it is merged), and those of the window.
    """
    n = len(geometry.window)
    windows = _windows(x, geometry)
    outside, inside = _LETTERS[:n], _LETTERS[n : 2 * n].upper()
    if geometry.strides[-1] > 1:
        return windows, outside, inside
    batch, *strides, channel = windows.strides
    last = geometry.out[-1] * x.shape[-1]
    shape = (len(x), *geometry.out[:-1], *geometry.window, last)
    strides = [batch, *strides[: n - 1], *strides[n:], channel]
    return as_strided(windows, shape, strides, writeable=False), outside[:-1], inside


def _depthwise(x: Any, w: Any, geometry: Windows) -> Array:
    windows, outside, inside = _lines(x, geometry)
    filters = w.reshape(*geometry.window, w.shape[-1])
    if len(outside) < len(inside):
        filters = np.tile(filters, geometry.out[-1])
    out = np.empty((*windows.shape[: 1 + len(outside)], windows.shape[-1]), x.dtype)
    sums = f"n{outside}{inside}c,{inside}c->n{outside}c"
    over_blocks(
        lambda block: np.einsum(sums, windows[block], filters, out=out[block]),
        len(x),
        math.prod(out.shape[1:]),
    )
    return out.reshape(len(x), *geometry.out, w.shape[-1])


def _depthwise_filter(x: Any, g: Any, geometry: Windows) -> Array:
    windows, outside, inside = _lines(x, geometry)
    cotangents = g.reshape(*windows.shape[: 1 + len(outside)], windows.shape[-1])
    total = np.zeros((*geometry.window, g.shape[-1]), g.dtype)
    sums = f"{outside}{inside}c,{outside}c->{inside}c"
    # One window at a time, so that its values stay in the cache.
    for window, cotangent in zip(windows, cotangents, strict=True):
        part = np.einsum(sums, window, cotangent)
        total += part.reshape(*geometry.window, -1, g.shape[-1]).sum(-2)
    return total.reshape(*geometry.window, 1, g.shape[-1])


def _spread_depthwise(out: Any, g: Any, w: Any, geometry: Windows) -> None:
    """Adds the products of a cotangent with each element of a window to the padded image."""
    outputs = w.shape[-1]

    def step(block: slice) -> None:
        for place, at in zip(w, geometry.offsets(), strict=True):
            part = g[block] * place.ravel()
            if outputs > 1:
                part = part.reshape(*part.shape[:-1], -1, outputs).sum(-1)
            out[block][(slice(None), *at)] += part

    over_blocks(step, len(g), math.prod(g.shape[1:]))
