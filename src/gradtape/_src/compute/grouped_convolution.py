"""Convolutions of NumPy arrays with groups of channels, and their transposes.

The positions of padded images are one axis. Then an element of the window meets the same images,
shifted by some positions, and there is one product of matrices for each element, without copies of
windows. Results at the ends of lines, where windows reach into the next line, are left out. Several
small groups are one product, with zeros between them in the filter. If each group has one channel
("depthwise"), sums of products are faster, for which the last spatial axis and the channels are
one axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape._src.compute.parallel import (
    BLOCK,
    Buffer,
    crew,
    over_blocks,
    over_steps,
    partial_sums,
)
from gradtape._src.compute.window_views import Array, Lines, Phases, padded, phases
from gradtape._src.compute.xla_own_convolution import Windows

_TOGETHER = 16  # the channels of several groups that are computed as one
_ROWS = 1 << 16  # the elements of the positions that are computed at a time
_LETTERS = "abdefghjkl"
_WIDE = 96  # the outputs from which the columns of windows with strides are not copied
_WIDE_SUM = 48  # the same for the cotangent of the filter
_LARGEST = 1 << 19  # the elements of an image that stays in the cache

_rooms = Buffer()


def grouped(x: Any, w: Any, geometry: Windows, groups: int, out: Array) -> None:
    """Writes the convolution of images with a filter to `out`."""
    if w.shape[-2] == 1:
        _sums(x, w, geometry, out)
    else:
        _products(x, w, geometry, groups, out)


def _sums(x: Any, w: Any, geometry: Windows, out: Array) -> None:
    lines = Lines(x, geometry, out.shape[-1], _WIDE)
    outside, inside = _letters(geometry, lines.is_merged)
    tiled = w.reshape(*geometry.window, -1)
    if lines.is_merged:
        tiled = np.tile(tiled, geometry.out[-1])
    how = f"n{outside}{inside}c,{inside}c->n{outside}c"

    def step(k: int) -> None:
        onto = out[lines.blocks[k]]
        windows = lines.of_block(*lines.blocks[k])
        if not lines.is_merged:
            np.einsum(how, windows, tiled, out=onto)
        elif onto.flags.c_contiguous:
            np.einsum(how, windows, tiled, out=_merged_lines(onto))
        else:
            onto[...] = np.einsum(how, windows, tiled).reshape(onto.shape)

    over_steps(step, len(lines.blocks), out.size)


def are_together(x: Any, parts: Any) -> bool:
    """Whether convolutions of the same images take less time together, as in `all_together`.

    Args:
      x: The images.
      parts: For each convolution, where its results lie, its filter and its windows.
    """
    is_depthwise = all(w.shape[-2] == 1 and w.shape[-1] == x.shape[-1] for _, w, _ in parts)
    if len(parts) < 2 or not is_depthwise:
        return False
    return len(x) >= crew.size and math.prod(x.shape[1:]) <= _LARGEST


def all_together(x: Any, parts: Any, out: Array) -> None:
    """Writes several convolutions of the same images, of one channel each, to parts of `out`."""
    windows = Phases(x, [geometry for _, _, geometry in parts])
    calls = []
    for at, w, geometry in parts:
        outside, inside = _letters(geometry, True)
        tiled = np.tile(w.reshape(*geometry.window, -1), geometry.out[-1])
        calls.append((at, f"n{outside}{inside}c,{inside}c->n{outside}c", tiled))
    images = max(BLOCK // math.prod(x.shape[1:]), 1)

    def step(k: int) -> None:
        block = slice(k * images, (k + 1) * images)
        own = out[block]
        for (at, how, tiled), views in zip(calls, windows.of_block(block), strict=True):
            onto = own[at]
            room = _rooms.of(onto.size, out.dtype).reshape(onto.shape)
            np.einsum(how, views, tiled, out=_merged_lines(room))
            onto[...] = room

    over_steps(step, -(-len(x) // images), out.size)


def _products(x: Any, w: Any, geometry: Windows, groups: int, out: Array) -> None:
    parts = [(at, own, _merged(w[places], groups)) for at, places, own in phases(geometry)]

    def step(block: slice) -> None:
        onto = out[block]
        for k, (at, own, filters) in enumerate(parts):
            images = padded(x[block][at], own)
            total = np.empty((*images.shape[:-1], out.shape[-1]), out.dtype)
            for results, *places in _positions(images, total, own, len(filters[0])):
                np.matmul(places[0], filters[0], out=results)
                room = np.empty_like(results)  # in the same order, unlike a result of `matmul`
                for place, matrices in zip(places[1:], filters[1:], strict=True):
                    np.add(results, np.matmul(place, matrices, out=room), out=results)
            found = total[(slice(None), *map(slice, own.out))]
            if k:
                onto += found
            else:
                onto[...] = found

    over_blocks(step, len(x), math.prod(out.shape[1:]))


def grouped_filter(x: Any, g: Any, geometry: Windows, groups: int) -> Array:
    """Returns the cotangent of the filter, from that of the convolution."""
    channels = x.shape[-1] // groups
    if channels == 1:
        return _sums_for_filter(x, g, geometry)
    images = max(BLOCK // math.prod(g.shape[1:]), 1)
    blocks = [slice(start, start + images) for start in range(0, len(x), images)]
    count = partial_sums(len(blocks))
    sums = np.zeros((count, *geometry.window, channels, g.shape[-1]), x.dtype)

    def step(k: int) -> None:
        for block in blocks[k::count]:
            _add_products(sums[k], x[block], g[block], geometry, groups)

    over_steps(step, count, g.size)
    total: Array = np.add.reduce(sums, 0)
    return total


def _sums_for_filter(x: Any, g: Any, geometry: Windows) -> Array:
    lines = Lines(x, geometry, g.shape[-1], _WIDE_SUM)
    outside, inside = _letters(geometry, lines.is_merged)
    how = f"n{outside}{inside}c,n{outside}c->{inside}c"
    count = partial_sums(len(lines.blocks))
    sums = np.zeros((count, *geometry.window, g.shape[-1]), x.dtype)

    def step(k: int) -> None:
        for block in lines.blocks[k::count]:
            own = _merged_lines(g[block]) if lines.is_merged else g[block]
            part = np.einsum(how, lines.of_block(*block), own)
            sums[k] += part.reshape(*geometry.window, -1, g.shape[-1]).sum(-2)

    over_steps(step, count, g.size)
    total: Array = np.add.reduce(sums, 0) if count > 1 else sums[0]
    return total[..., None, :]


def _add_products(total: Array, x: Any, g: Any, geometry: Windows, groups: int) -> None:
    channels, outputs = x.shape[-1] // groups, g.shape[-1] // groups
    count = _together(groups, channels, outputs)
    for at, places, own in phases(geometry):
        images = padded(x[at], own)
        wide = np.zeros((*images.shape[:-1], g.shape[-1]), g.dtype)
        wide[(slice(None), *map(slice, own.out))] = g
        products = (math.prod(own.window), groups // count, count * channels, count * outputs)
        found = np.zeros(products, g.dtype)
        for cotangents, *parts in _positions(images, wide, own, groups // count):
            for matrices, part in zip(found, parts, strict=True):
                np.add(matrices, np.matmul(part.swapaxes(1, 2), cotangents), out=matrices)
        split = found.reshape(*found.shape[:2], count, channels, count, outputs)
        diagonal = np.diagonal(split, axis1=2, axis2=4)  # (k, products, channels, outputs, count)
        total[places] += diagonal.transpose(0, 2, 1, 4, 3).reshape(*own.window, channels, -1)


def _positions(
    images: Array, results: Array, geometry: Windows, products: int
) -> Iterator[list[Array]]:
    """Returns parts of the positions as operands of products of matrices.

    Args:
      images: The padded images.
      results: The results of windows, at the positions in the padded images where they begin.
      geometry: The windows.
      products: The number of products into which channels and outputs are divided.

    Yields:
      The results at some positions, and for each element of the window the images that meet it,
      each of shape (products, positions, channels or outputs).
    """
    position = images.shape[-1] * images.itemsize
    at = np.indices(geometry.window).reshape(len(geometry.window), -1).T * geometry.dilations
    shifts = (at @ images.strides[1:-1] // position).tolist()
    channels, outputs = (
        v.reshape(-1, products, v.shape[-1] // products).swapaxes(0, 1) for v in (images, results)
    )
    count = channels.shape[1] - shifts[-1]
    rows = max(_ROWS // max(images.shape[-1], results.shape[-1]), 1)
    for start in range(0, count, rows):
        stop = min(start + rows, count)
        yield [outputs[:, start:stop], *(channels[:, start + n : stop + n] for n in shifts)]


def _together(groups: int, channels: int, outputs: int) -> int:
    """Returns the number of groups that are computed as one, a divisor of `groups`."""
    best = max(_TOGETHER // max(channels, outputs), 1)
    divisors = [n for n in range(1, groups + 1) if groups % n == 0]
    return min(divisors, key=lambda n: max(n / best, best / n))


def _merged(w: Any, groups: int) -> Array:
    """Returns the filter as matrices, (elements of the window, products, channels, outputs)."""
    channels, outputs = w.shape[-2], w.shape[-1] // groups
    count = _together(groups, channels, outputs)
    parts = w.reshape(-1, channels, groups // count, count, outputs)
    together = np.zeros((len(parts), groups // count, count, channels, count, outputs), w.dtype)
    for k in range(count):
        together[:, :, k, :, k] = parts[:, :, :, k].swapaxes(1, 2)
    return together.reshape(len(parts), groups // count, count * channels, count * outputs)


def _merged_lines(x: Array) -> Array:
    """Returns an image with the elements and the channels of a line as one axis."""
    return x.reshape(*x.shape[:-2], -1)


def _letters(geometry: Windows, is_merged: bool) -> tuple[str, str]:
    """Returns the letters of the axes of results, and of windows.

    If the last axis of the results and the channels are one axis, its letter is that of channels.
    """
    n = len(geometry.window)
    return _LETTERS[: n - is_merged], _LETTERS[n : 2 * n].upper()
