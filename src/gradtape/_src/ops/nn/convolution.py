"""Convolution over any number of axes, and its two transposes: bilinear, each the others' gradient.

Here images are (batch, *space, channels) and filters (*window, channels per group, outputs). A
convolution is one matrix product with the windows of the image laid out as rows.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gradtape._src.core.primitive import Bound
from gradtape._src.declare.families import (
    FLOATING,
    HALVES,
    count,
    general,
    merged,
    reshape_p,
    shape_of,
    transpose_p,
    with_axis,
)
from gradtape._src.declare.traits import Pattern, Traits


class Geometry(NamedTuple):
    """How windows lie on an image, one entry per axis of space."""

    space: tuple[int, ...]  # the image's extent
    window: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]  # before and after
    dilations: tuple[int, ...]

    @property
    def out(self) -> tuple[int, ...]:
        """The number of windows along each axis."""
        return tuple(
            max(0, (n + lo + hi - (k - 1) * d - 1) // s + 1)
            for n, k, s, (lo, hi), d in zip(*self, strict=True)
        )

    @property
    def padded(self) -> tuple[int, ...]:
        """The image's extent with its padding."""
        return tuple(n + lo + hi for n, (lo, hi) in zip(self.space, self.pads, strict=True))

    def offsets(self) -> list[tuple[slice, ...]]:
        """For each place in the window, the padded image's slices that lie there."""
        steps = [
            [slice(i * d, i * d + (o - 1) * s + 1 if o else i * d, s) for i in range(k)]
            for k, s, d, o in zip(self.window, self.strides, self.dilations, self.out, strict=True)
        ]
        return list(product(*steps))


def padded(x: Any, geometry: Geometry, fill: Any = 0) -> Any:
    """An image with its padding."""
    if not any(map(any, geometry.pads)):
        return x
    made = np.full((x.shape[0], *geometry.padded, x.shape[-1]), fill, x.dtype)
    made[inner(geometry)] = x
    return made


def inner(geometry: Geometry) -> tuple[slice, ...]:
    """Where in the padded image the image lies."""
    spaces = zip(geometry.space, geometry.pads, strict=True)
    return (slice(None), *(slice(lo, lo + n) for n, (lo, _) in spaces))


def _windows(x: Any, geometry: Geometry) -> Any:
    """The windows of an image: (batch, *out, *window, channels), a view of the padded image."""
    x = padded(x, geometry)
    batch, *space, channel = x.strides
    moves = [n * s for n, s in zip(space, geometry.strides, strict=True)]
    within = [n * d for n, d in zip(space, geometry.dilations, strict=True)]
    shape = (x.shape[0], *geometry.out, *geometry.window, x.shape[-1])
    return as_strided(x, shape, (batch, *moves, *within, channel), writeable=False)


def _rows(x: Any, geometry: Geometry, groups: int) -> Any:
    """The windows as rows: (windows, places * channels), or a stack of such by group."""
    k, n, c = count(geometry.window), x.shape[0] * count(geometry.out), x.shape[-1]
    windows = _windows(x, geometry)
    if groups == 1:
        return windows.reshape(n, k * c)
    rows = windows.reshape(n, k, groups, c // groups).transpose(2, 0, 1, 3)
    return rows.reshape(groups, n, k * (c // groups))


def _by_group(g: Any, groups: int) -> Any:
    """Outputs as (windows, outputs), or a stack of such by group."""
    flat = merged(g, 1)
    if groups == 1:
        return flat
    return flat.reshape(len(flat), groups, flat.shape[1] // groups).transpose(1, 0, 2)


def _filter_matrix(w: Any, groups: int) -> Any:
    """A filter as (places * channels, outputs), or a stack of such by group."""
    *window, c, outputs = w.shape
    k = count(window)
    if groups == 1:
        return w.reshape(k * c, outputs)
    return w.reshape(k * c, groups, outputs // groups).transpose(1, 0, 2)


def _in_single(kernel: Any, a: Any, b: Any, geometry: Geometry, groups: int) -> Any:
    """The kernel on halves by way of float32: NumPy adds their products up in half precision."""
    wide = (v.astype(np.float32) for v in (a, b))
    return kernel(*wide, geometry=geometry, groups=groups).astype(a.dtype)


def _conv(x: Any, w: Any, *, geometry: Geometry, groups: int) -> Any:
    if x.dtype.type in HALVES:
        return _in_single(_conv, x, w, geometry, groups)
    rows, matrix = _rows(x, geometry, groups), _filter_matrix(w, groups)
    out = rows.dot(matrix) if groups == 1 else np.matmul(rows, matrix).transpose(1, 0, 2)
    return out.reshape(x.shape[0], *geometry.out, w.shape[-1])


def _conv_input(g: Any, w: Any, *, geometry: Geometry, groups: int) -> Any:
    if g.dtype.type in HALVES:
        return _in_single(_conv_input, g, w, geometry, groups)
    k, (c, outputs) = count(geometry.window), w.shape[-2:]
    flat = _by_group(g, groups)  # ([groups,] windows, outputs)
    if groups == 1:
        places = np.matmul(flat, w.reshape(k, c, outputs).swapaxes(1, 2))
    else:
        matrix = w.reshape(k, c, groups, outputs // groups).transpose(0, 2, 3, 1)
        places = np.matmul(flat, matrix).transpose(0, 2, 1, 3)
    places = places.reshape(k, g.shape[0], *geometry.out, groups * c)
    out = np.zeros((g.shape[0], *geometry.padded, groups * c), g.dtype)
    for place, at in zip(places, geometry.offsets(), strict=True):
        out[(slice(None), *at)] += place
    return out[inner(geometry)]


def _conv_filter(x: Any, g: Any, *, geometry: Geometry, groups: int) -> Any:
    if x.dtype.type in HALVES:
        return _in_single(_conv_filter, x, g, geometry, groups)
    rows, flat = _rows(x, geometry, groups), _by_group(g, groups)
    c, outputs = x.shape[-1] // groups, g.shape[-1]
    if groups == 1:
        return rows.T.dot(flat).reshape(*geometry.window, c, outputs)
    out = np.matmul(rows.swapaxes(1, 2), flat).transpose(1, 0, 2)
    return out.reshape(*geometry.window, c, outputs)


# Batching. An axis of examples goes into the batch where the filter is the same for all, into the
# outputs where the image is, and otherwise each example becomes a group.


def fold(x: Any) -> Any:
    """The axis of examples merged into the axis after it."""
    shape = shape_of(x)
    return reshape_p(x, shape=(shape[0] * shape[1], *shape[2:]))


def unfold(x: Any, size: int) -> Any:
    """The inverse of `fold`."""
    shape = shape_of(x)
    return reshape_p(x, shape=(size, shape[0] // size, *shape[1:]))


def _into_channels(x: Any, groups: int) -> Any:
    """(size, ..., groups * c) as (..., groups * size * c)."""
    size, *lead, c = shape_of(x)
    x = reshape_p(x, shape=(size, *lead, groups, c // groups))
    n = len(lead)
    x = transpose_p(x, perm=(*range(1, n + 2), 0, n + 2))
    return reshape_p(x, shape=(*lead, size * c))


def _out_of_channels(x: Any, size: int, groups: int) -> Any:
    """The inverse of `_into_channels`."""
    *lead, c = shape_of(x)
    x = reshape_p(x, shape=(*lead, groups, size, c // (size * groups)))
    n = len(lead)
    x = transpose_p(x, perm=(n + 1, *range(n + 1), n + 2))
    return reshape_p(x, shape=(size, *lead, c // size))


def _conv_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    x, w = inputs
    groups = params["groups"]
    if not batched[1]:
        return unfold(conv_p(fold(x), w, **params), size)
    if not batched[0]:
        return _out_of_channels(conv_p(x, _into_channels(w, groups), **params), size, groups)
    return _each_a_group(conv_p, size, inputs, params)


def _each_a_group(run: Any, size: int, inputs: Any, params: Any) -> Any:
    x, w = (_into_channels(v, 1) for v in inputs)
    out = run(x, w, geometry=params["geometry"], groups=size * params["groups"])
    return _out_of_channels(out, size, 1)


def _conv_input_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    if not batched[1]:
        return unfold(conv_input_p(fold(inputs[0]), inputs[1], **params), size)
    return _each_a_group(conv_input_p, size, with_axis(size, batched, inputs), params)


def _conv_filter_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    groups = params["groups"]
    if not batched[0]:
        x, g = inputs
        out = conv_filter_p(x, _into_channels(g, groups), **params)
        return _out_of_channels(out, size, groups)
    return _each_a_group(conv_filter_p, size, with_axis(size, batched, inputs), params)


conv_p: Bound = general(
    "Conv2D",
    _conv,
    {
        "x": lambda g, w, geometry, groups: conv_input_p(g, w, geometry=geometry, groups=groups),
        "w": lambda g, x, geometry, groups: conv_filter_p(x, g, geometry=geometry, groups=groups),
    },
    linear=["x", "w"],
    batching=_conv_batch,
    dtypes=FLOATING | {np.int32},
    same=slice(0, 2),
    traits=Traits(pattern=Pattern.CONVOLVED),
)
conv_input_p: Bound = general(
    "Conv2DBackpropInput",
    _conv_input,
    {
        "g": lambda t, w, geometry, groups: conv_p(t, w, geometry=geometry, groups=groups),
        "w": lambda t, g, geometry, groups: conv_filter_p(t, g, geometry=geometry, groups=groups),
    },
    linear=["g", "w"],
    batching=_conv_input_batch,
    dtypes=FLOATING,
    same=slice(0, 2),
    traits=Traits(pattern=Pattern.CONVOLVED_BACK),
)
conv_filter_p: Bound = general(
    "Conv2DBackpropFilter",
    _conv_filter,
    {
        "x": lambda t, g, geometry, groups: conv_input_p(g, t, geometry=geometry, groups=groups),
        "g": lambda t, x, geometry, groups: conv_p(x, t, geometry=geometry, groups=groups),
    },
    linear=["x", "g"],
    batching=_conv_filter_batch,
    dtypes=FLOATING,
    same=slice(0, 2),
)
