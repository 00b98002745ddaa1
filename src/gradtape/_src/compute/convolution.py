"""Convolutions of NumPy arrays, and their two transposes.

Images are (batch, *space, channels) and filters (*window, channels per group, outputs). Each is a
product of matrices with the windows of the image as rows. The rows may lack all lines of a window
but one: then there is one product for each line. Images are taken in blocks whose rows stay in the
processor's cache. Products with wide matrices are divided into tiles, so that each thread computes
blocks of its own. The cotangent of images is a convolution, too, or several if there are strides.
The figures are in docs/design/0025-convolutions.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gradtape._src.base.errors import About, invalid_argument
from gradtape._src.compute.axis_sums import HALVES
from gradtape._src.compute.grouped_convolution import (
    all_together,
    are_together,
    grouped,
    grouped_filter,
)
from gradtape._src.compute.parallel import crew, over_blocks, over_steps, partial_sums
from gradtape._src.compute.products import (
    SMALL,
    add_products,
    add_sums,
    dot,
    dot_of_columns,
    is_divided,
    tile_of,
    tile_of_sum,
    tiles,
)
from gradtape._src.compute.space_to_depth import (
    filter_from_blocks,
    filter_in_blocks,
    image_from_blocks,
    image_in_blocks,
    in_blocks,
)
from gradtape._src.compute.window_views import Array, buffer, padded, phases, turned
from gradtape._src.compute.xla_own_convolution import Windows

_BLOCK = 1 << 18
"""The number of elements in the windows of a block, for one thread."""
_SHARED_BLOCK = 1 << 22
"""The number for several threads, which wait for each other after each block."""
_LEAST_PRODUCTS = 8 * SMALL  # from which tiles pay off
_OUTPUTS = 32  # the least number of outputs of a thread's own
_SCATTERED = 1 << 19  # the most elements of an image's windows that are added up
_TALL = 48  # the positions of an image from which each line of the window has its own products
_LEAST_WIDTH = 32  # the elements of a row from which products by lines pay off


def conv(x: Any, w: Any, *, geometry: Windows, groups: int) -> Array:
    """Returns the convolution of images with a filter."""
    if x.dtype.type in HALVES:
        return _in_single(conv, x, w, geometry, groups)
    if _is_empty(x, w, geometry):
        return np.zeros((x.shape[0], *geometry.out, w.shape[-1]), x.dtype)
    if groups == 1:
        return _of_one_group(x, w, geometry)
    if w.shape[-2] > 1 and not _is_finite(x):
        return _each_alone(conv, x, w, geometry, groups)
    out = np.empty((x.shape[0], *geometry.out, w.shape[-1]), x.dtype)
    grouped(x, w, geometry, groups, out)
    return out


def _of_one_group(x: Any, w: Any, geometry: Windows) -> Array:
    if (blocks := in_blocks(geometry, x.shape[-1])) and _is_finite(x):
        x, w = image_in_blocks(x, geometry, blocks), filter_in_blocks(w, geometry, blocks)
        geometry = blocks
    outputs = w.shape[-1]
    if _is_tiled(x, geometry, outputs, tile_of):
        return _of_tiles(x, w, geometry)
    out = np.empty((x.shape[0], *geometry.out, outputs), x.dtype)
    if _is_by_lines(geometry, x.shape[-1], outputs):
        matrices = _by_line(w)
        alone = is_divided(matrices.shape[1], outputs, x.dtype)

        def step(_: int, at: Any, lines: Any, count: int) -> None:
            onto = out[at].reshape(len(lines), count, outputs)
            first, *others = _parts(lines, geometry, count)
            _products(first, matrices[0], alone, onto)
            for part, matrix in zip(others, matrices[1:], strict=True):
                onto += _products(part, matrix, alone)

        blocks_of_lines = _line_blocks(x, geometry, alone)
        _over_lines(step, blocks_of_lines, geometry, alone, len(blocks_of_lines))
        return out
    matrix = w.reshape(-1, outputs)
    for at, rows in _blocks(x, geometry, outputs):
        dot(rows, matrix, out[at].reshape(len(rows), outputs))
    return out


def conv_input(g: Any, w: Any, *, geometry: Windows, groups: int) -> Array:
    """Returns the cotangent of the images, from that of the convolution."""
    if g.dtype.type in HALVES:
        return _in_single(conv_input, g, w, geometry, groups)
    channels = w.shape[-2]
    shape = (g.shape[0], *geometry.space, groups * channels)
    if _is_empty(g, w, geometry):
        return np.zeros(shape, g.dtype)
    if groups == 1 and (blocks := in_blocks(geometry, channels)) and _is_finite(g):
        found = conv_input(g, filter_in_blocks(w, geometry, blocks), geometry=blocks, groups=1)
        return image_from_blocks(found, geometry)
    if 1 < groups < g.shape[-1] and not _is_finite(g):
        return _each_alone(conv_input, g, w, geometry, groups)
    if groups == max(geometry.strides) == 1:
        return _of_one_group(g, _flipped(w, groups), turned(geometry))
    if groups == 1 and _is_scattered(g, w, geometry):
        return _scattered(g, w, geometry)
    parts = phases(geometry)
    covered = len(parts) == math.prod(geometry.strides)
    out = (np.empty if covered else np.zeros)(shape, g.dtype)
    full = [
        (at, _flipped(w[places], groups), turned(own)) for at, places, own in parts if out[at].size
    ]
    if groups > 1 and are_together(g, full):
        all_together(g, full, out)
        return out
    for at, flipped, own in full:
        if groups == 1:
            _fill(out[at], _of_one_group(g, flipped, own))
        else:
            grouped(g, flipped, own, groups, out[at])
    return out


def _is_scattered(g: Any, w: Any, geometry: Any) -> bool:
    """Whether the cotangent of images takes less time as products whose windows are added up."""
    sizes = zip(geometry.window, geometry.strides, strict=True)
    size, columns = math.prod(g.shape[1:-1]), w.size // w.shape[-1]
    if not all(k > s > 1 for k, s in sizes) or min(map(min, geometry.pads)) < 0:
        return False
    if len(g) < crew.size or size * columns > _SCATTERED:
        return False
    return size >= _TALL and tile_of(w.shape[-1], columns, g.dtype) != (0, 0)


def _scattered(g: Any, w: Any, geometry: Any) -> Array:
    """Returns the cotangent of images as products whose windows are added up, image by image."""
    channels, outputs = w.shape[-2:]
    tiled = tiles(np.ascontiguousarray(w.reshape(-1, outputs).T))
    places = [*zip(geometry.offsets(), np.ndindex(*geometry.window), strict=True)]
    ends = zip(geometry.pads, geometry.space, strict=True)
    inner = tuple(slice(low, low + n) for (low, _), n in ends)
    out = np.empty((len(g), *geometry.space, channels), g.dtype)
    shape = (*geometry.out, *geometry.window, channels)

    def step(k: int) -> None:
        both = buffer.of(math.prod(shape) + math.prod(geometry.padded) * channels, g.dtype)
        windows, whole = both[: math.prod(shape)], both[math.prod(shape) :]
        products = windows.reshape(1, -1, math.prod(geometry.window) * channels)
        add_products(g[k].reshape(1, -1, outputs), tiled, products, True)
        windows, whole = windows.reshape(shape), whole.reshape(*geometry.padded, channels)
        whole.fill(0)
        for at, place in places:
            part = whole[at]
            np.add(part, windows[(..., *place, slice(None))], out=part)
        out[k] = whole[inner]

    over_steps(step, len(g), out.size)
    return out


def _flipped(w: Any, groups: int) -> Array:
    """Returns the filter with which the convolution of a cotangent is that of the images."""
    *window, channels, outputs = w.shape
    n = len(window)
    if outputs % 128 == 0:  # equal distances to a power of two would meet in the cache
        wide = np.empty((*w.shape[:-1], outputs + 16), w.dtype)[..., :outputs]
        wide[...] = w
        w = wide
    flipped = np.flip(w, tuple(range(n))).reshape(*window, channels, groups, -1).swapaxes(n, n + 2)
    return np.ascontiguousarray(flipped).reshape(*window, outputs // groups, groups * channels)


def conv_filter(x: Any, g: Any, *, geometry: Windows, groups: int) -> Array:
    """Returns the cotangent of the filter, from that of the convolution."""
    if x.dtype.type in HALVES:
        return _in_single(conv_filter, x, g, geometry, groups)
    channels, outputs = x.shape[-1] // groups, g.shape[-1]
    expected = (*x.shape[:1], *geometry.space), (*x.shape[:1], *geometry.out)
    if (x.shape[:-1], g.shape[:-1]) != expected:
        raise invalid_argument(
            f"input and out_backprop must have the shapes {expected} before their channels, "
            f"got {x.shape} and {g.shape} [Op:Conv2DBackpropFilter]",
            About.SHAPES,
        )
    if _is_empty(x, g, geometry):
        return np.zeros((*geometry.window, channels, outputs), x.dtype)
    if groups == 1:
        return _filter_of_one_group(x, g, geometry)
    if channels > 1 and not _is_finite(x):
        return _each_alone(conv_filter, x, g, geometry, groups)
    return grouped_filter(x, g, geometry, groups)


def _filter_of_one_group(x: Any, g: Any, geometry: Windows) -> Array:
    channels, outputs = x.shape[-1], g.shape[-1]
    if blocks := in_blocks(geometry, channels):
        smaller = _filter_of_one_group(image_in_blocks(x, geometry, blocks), g, blocks)
        return filter_from_blocks(smaller, geometry)
    k = math.prod(geometry.window)
    if _is_tiled(x, geometry, outputs, tile_of_sum):
        return _filter_of_tiles(x, g, geometry)
    if _is_by_lines(geometry, channels, outputs):
        height = geometry.window[-2]
        alone = is_divided(k // height * channels, outputs, x.dtype, of_columns=True)
        found = _line_blocks(x, geometry, alone)
        shape = (height, k // height * channels, outputs)
        sums = np.zeros((partial_sums(len(found)) if alone else 1, *shape), x.dtype)

        def step(k: int, at: Any, lines: Any, count: int) -> None:
            flat = g[at].reshape(len(lines), count, outputs)
            parts = _parts(lines, geometry, count)
            for matrix, part in zip(sums[k], parts, strict=True):
                np.add(matrix, _sum_of_products(part, flat, alone), out=matrix)

        _over_lines(step, found, geometry, alone, len(sums))
        return _from_lines(np.add.reduce(sums, 0) if len(sums) > 1 else sums[0], geometry)
    out = np.zeros((k * channels, outputs), x.dtype)
    for at, rows in _blocks(x, geometry, outputs):
        out += dot_of_columns(rows, g[at].reshape(len(rows), outputs))
    return out.reshape(*geometry.window, channels, outputs)


def _is_finite(x: Any) -> bool:
    """Whether images may be multiplied by zeros that the convolution itself does not have."""
    found: list[bool] = []

    def step(block: slice) -> None:
        part = x[block]
        found.append(math.isfinite(part.max()) and math.isfinite(part.min()))

    over_blocks(step, len(x), math.prod(x.shape[1:]))
    return all(found)


def _each_alone(kernel: Any, a: Any, b: Any, geometry: Windows, groups: int) -> Array:
    """Returns the results of a kernel for each group, side by side."""
    pairs = zip(np.split(a, groups, -1), np.split(b, groups, -1), strict=True)
    return np.concatenate([kernel(*pair, geometry=geometry, groups=1) for pair in pairs], -1)


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
        copy = buffer.of(part.size, x.dtype)
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
    x = padded(x, geometry)
    batch, *space, channel = x.strides
    moves = [n * s for n, s in zip(space, geometry.strides, strict=True)]
    within = [n * d for n, d in zip(space, geometry.dilations, strict=True)]
    shape = (x.shape[0], *geometry.out, *geometry.window, x.shape[-1])
    return as_strided(x, shape, (batch, *moves, *within, channel), writeable=False)


def _is_image(geometry: Windows) -> bool:
    """Whether the windows are the elements of the image."""
    if max(geometry.window) > 1 or max(geometry.strides) > 1:
        return False
    return not any(map(any, geometry.pads))


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


def _line_blocks(x: Any, geometry: Windows, alone: bool) -> list[tuple[Any, Any]]:
    """Returns the lines of images, block by block.

    Returns:
      For each block, its indices in the result, and a view of its lines and those below that the
      windows reach (images, lines, positions, elements of the window in other lines).
    """
    x = padded(x, geometry)
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
    size = _BLOCK if alone or crew.size == 1 else _SHARED_BLOCK
    step = max(size // line - reach, 2 * reach, 1)
    together = step // (out[-2] + reach)
    if together > 1 and len(out) == 2:
        images = [slice(start, start + together) for start in range(0, len(x), together)]
        return [((at,), view[at]) for at in images]
    step = max(-(-out[-2] // max(round(out[-2] * line / size), 1)), 2 * reach)  # of equal length
    found = []
    for slab in np.ndindex(len(x), *out[:-2]):
        for top in range(0, out[-2], step):
            stop = min(top + step, out[-2])
            found.append(((*slab, slice(top, stop)), view[slab][None, top : stop + reach]))
    return found


def _over_lines(step: Any, blocks: Any, geometry: Windows, alone: bool, count: int) -> None:
    """Runs `step(k, at, lines, positions)` for each block of lines.

    Args:
      step: Takes the number of the thread's share of the blocks, below `count`; the indices of a
        block in the result; its lines (images, lines, positions * elements of the window in other
        lines), which are valid during the step; and the number of positions in an image.
      blocks: For each block, its indices in the result and the view of its lines.
      geometry: The windows.
      alone: Whether each share has its own thread, whose products no other thread computes.
      count: The number of shares.
    """
    reach = (geometry.window[-2] - 1) * geometry.dilations[-2]

    def of_share(k: int) -> None:
        for at, part in blocks[k::count]:
            copy = buffer.of(part.size, part.dtype)
            if alone:
                copy.reshape(part.shape)[...] = part
            else:
                _fill(copy.reshape(part.shape), part)
            lines = copy.reshape(*part.shape[:2], -1)
            step(k, at, lines, (part.shape[1] - reach) * geometry.out[-1])

    if alone:
        over_steps(of_share, count, sum(part.size for _, part in blocks))
        return
    for k in range(count):
        of_share(k)


def _parts(lines: Any, geometry: Windows, count: int) -> list[Any]:
    """Returns for each line of the window the rows of the lines that meet it."""
    n = count // geometry.out[-1]
    starts = range(0, geometry.window[-2] * geometry.dilations[-2], geometry.dilations[-2])
    return [lines[:, start : start + n].reshape(len(lines), count, -1) for start in starts]


def _products(parts: Any, matrix: Any, alone: bool, out: Any = None) -> Array:
    """Returns the product of each part with a matrix."""
    if len(parts) > 1:
        found: Array = np.matmul(parts, matrix, out=out)
        return found
    return dot(parts[0], matrix, None if out is None else out[0], alone=alone)[None]


def _sum_of_products(parts: Any, flat: Any, alone: bool) -> Array:
    """Returns the sum of the products of the columns of each part with those of another array."""
    if len(parts) > 1:
        total: Array = np.add.reduce(np.matmul(parts.swapaxes(1, 2), flat), 0)
        return total
    return dot_of_columns(parts[0], flat[0], alone=alone)


# Products that are divided into tiles: each thread copies and computes blocks of its own, without
# the lines of the window if these have no stride. The elements of one spatial axis are lines here.


def _is_tiled(x: Any, geometry: Windows, outputs: int, tile: Any) -> bool:
    """Whether products of tiles are the fastest ones for a convolution or a filter's cotangent."""
    k = math.prod(geometry.window)
    if k == 1 or len(x) * math.prod(geometry.out) * k * x.shape[-1] * outputs < _LEAST_PRODUCTS:
        return False
    length = k // _height(_plane(geometry)) * x.shape[-1]
    if is_divided(length, outputs, x.dtype, of_columns=tile is tile_of_sum):
        return False
    found: bool = tile(length, outputs, x.dtype) != (0, 0)
    return found


def _of_tiles(x: Any, w: Any, geometry: Windows) -> Array:
    """Returns a convolution."""
    out = np.empty((len(x), *geometry.out, w.shape[-1]), x.dtype)
    height = _height(_plane(geometry))
    matrices = _by_line(w) if len(geometry.window) > 1 < height else w
    tiled = [tiles(matrix) for matrix in matrices.reshape(height, -1, w.shape[-1])]
    onto = out.reshape(len(x), *_plane(geometry).out, -1)

    def step(_: int, at: Any, operands: Any) -> None:
        sums = onto[at].reshape(*operands[0].shape[:2], -1)
        for k, (part, matrix) in enumerate(zip(operands, tiled, strict=True)):
            add_products(part, matrix, sums, k == 0)

    blocks = _tall_blocks(x, geometry)
    _over_operands(step, blocks, geometry, len(blocks), 1)
    return out


def _filter_of_tiles(x: Any, g: Any, geometry: Windows) -> Array:
    """Returns the cotangent of a filter.

    Threads have outputs of their own, as far as there are enough, and then less to add up.
    """
    outputs, height = g.shape[-1], _height(_plane(geometry))
    slices = next(n for n in range(crew.size, 0, -1) if n == 1 or outputs % (n * _OUTPUTS) == 0)
    blocks, width = _tall_blocks(x, geometry), outputs // slices
    shares = 1 if crew.size == 1 else min(-(-2 * crew.size // slices), len(blocks))
    length = math.prod(geometry.window) // height * x.shape[-1]
    sums = np.zeros((slices, shares, height, length, width), x.dtype)
    cotangents = g.reshape(len(g), *_plane(geometry).out, -1)

    def step(k: int, at: Any, operands: Any) -> None:
        place, share = divmod(k, shares)
        flat = cotangents[at].reshape(*operands[0].shape[:2], -1)
        own = flat[..., place * width : (place + 1) * width]
        for total, part in zip(sums[place, share], operands, strict=True):
            add_sums(part, own, total)

    _over_operands(step, blocks, geometry, shares, slices)
    total = np.add.reduce(sums, 1) if shares > 1 else sums[:, 0]
    total = np.moveaxis(total, 0, -2).reshape(height, length, outputs)
    if len(geometry.window) > 1 < height:
        return _from_lines(total, geometry)
    return total.reshape(*geometry.window, -1, outputs)


def _plane(geometry: Any) -> Windows:
    """Returns the geometry with a second spatial axis of one element if there is only one."""
    more = (1,), (1,), (1,), ((0, 0),), (1,)
    plane: Windows = geometry
    if len(geometry.window) == 1:
        plane = type(geometry)(*(a + b for a, b in zip(geometry, more, strict=True)))
    return plane


def _height(geometry: Windows) -> int:
    """Returns the number of a window's lines whose products are computed one after the other."""
    rows = math.prod(geometry.out[-2:])
    return geometry.window[-2] if geometry.strides[-2] == 1 and rows >= _TALL else 1


def _tall_blocks(x: Any, geometry: Windows) -> list[tuple[Any, Any]]:
    """Returns the indices of blocks in the result, and views of their lines, or windows."""
    plane = _plane(geometry)
    images = x.reshape(len(x), *plane.space, -1)
    if _height(plane) > 1:
        return _line_blocks(images, plane, True)
    windows = _windows(images, plane)
    rows = _BLOCK // (math.prod(plane.window) * x.shape[-1])
    return [(at, windows[at]) for at in _indices(len(x), plane.out, max(rows, 1))]


def _over_operands(
    step: Any, blocks: Any, geometry: Windows, shares: int, repetitions: int
) -> None:
    """Runs `step(k, at, operands)` on each block of each share of the blocks.

    Args:
      step: Takes the number of the share, below `shares * repetitions`; the indices of a block in
        the result; and for each line of the window the matrices (matrices, rows, elements of the
        window), which are valid during the step.
      blocks: For each block, its indices in the result, and a view.
      geometry: The windows.
      shares: Into how many shares the blocks are divided.
      repetitions: The number of steps for each block, each of which has its own outputs.
    """
    plane = _plane(geometry)
    height, width = _height(plane), plane.out[-1]
    reach = (height - 1) * plane.dilations[-2]

    def of_share(k: int) -> None:
        for at, part in blocks[k % shares :: shares]:
            copy = buffer.of(part.size, part.dtype).reshape(part.shape)
            copy[...] = part
            if height > 1:
                lines = copy.reshape(*part.shape[:2], -1)
                operands = _parts(lines, plane, (part.shape[1] - reach) * width)
            else:
                operands = [copy.reshape(1, -1, math.prod(plane.window) * part.shape[-1])]
            step(k, at, operands)

    over_steps(of_share, shares * repetitions, sum(part.size for _, part in blocks) * repetitions)
