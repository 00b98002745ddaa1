"""Convolutions in XLA programs: XLA's own, or products of matrices where these are faster.

On processors, XLA's own convolution is the fastest for images of one group and at most two spatial
axes. For other kinds, it takes 5 to 400 times as long as what is done here: windows of one element,
or windows that divide the image, are one product of matrices, windows with one channel each
("depthwise") a sum of shifted images, several small groups one convolution without groups, and a
convolution of three spatial axes a sum of convolutions of two. The cotangents of filters are
products of matrices, image by image, plane by plane or by lines, where these are long enough.
On other devices, XLA's own convolutions are computed, and sums of products where these are missing.
The figures are in docs/design/0025-convolutions.md.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from gradtape._src.compute.jax_modules import EXACT, jnp, lax
from gradtape._src.compute.raw_value import RawValue
from gradtape._src.compute.xla_own_convolution import (
    Windows,
    by_platform,
    convolved,
    input_by_phases,
    is_by_phases,
    native_convolution,
    paired,
    plain_conv_filter,
    plain_conv_input,
    within_padding,
)

_MERGED = 32  # the channels of several groups that are computed as one
_MERGED_IN_FILTERS = 16  # the same for the cotangent of a filter
_MOST_PARTS = 64  # the most convolutions into which one with groups is split
_MOST_PLACES = 100  # the largest window in elements, each of which needs its own operations
_FEW_CHANNELS = 32
_FEW_COLUMNS = 3  # up to which XLA's own products for a filter have too few rows
_PRODUCT = 1 << 19  # the elements of a factor of a product that is added to a filter
_SMALL = 1 << 23  # the bytes of all padded images and results that take little memory
_MOST_AXES = 3  # of a convolution in cuDNN
_SINGLE = 4  # the item size from which sums need no wider dtype
_LINES = 1 << 13  # the elements of the lines that are added to a depthwise filter at a time


def padded_xla(x: Any, geometry: Windows, fill: Any) -> RawValue:
    """Returns an image with its padding."""
    pads = [(0, 0, 0), *((lo, hi, 0) for lo, hi in geometry.pads), (0, 0, 0)]
    out: RawValue = lax.pad(x, x.dtype.type(fill), pads)
    return out


def slices_xla(x: Any, geometry: Windows) -> list[Any]:
    """Returns for each element of the window the elements of the image that meet it."""
    return [x[(slice(None), *at)] for at in geometry.offsets()]


def spread_xla(parts: Any, geometry: Windows) -> RawValue:
    """Adds each part to the slices of the image that meet its element of the window."""
    zero = parts[0].dtype.type(0)
    total: Any = 0
    for part, at in zip(parts, geometry.offsets(), strict=True):
        edges = [
            (s.start, full - s.start - max((n - 1) * step + 1, 0), step - 1)
            for s, full, n, step in zip(
                at, geometry.padded, geometry.out, geometry.strides, strict=True
            )
        ]
        total = total + lax.pad(part, zero, [(0, 0, 0), *edges, (0, 0, 0)])
    return within_padding(total, geometry)


def conv_xla(x: Any, w: Any, *, geometry: Windows, groups: int) -> RawValue:
    """Returns the convolution of images (batch, *space, channels) with a filter."""

    def native(x: Any, w: Any) -> RawValue:
        if _is_missing(x, geometry):
            return _conv_by_places(x, w, geometry, groups)
        sizes = geometry.strides, geometry.pads, geometry.dilations
        return native_convolution(x, w, *sizes, groups)

    return by_platform(partial(_conv, geometry=geometry, groups=groups), native, x, w)


def conv_input_xla(g: Any, w: Any, *, geometry: Windows, groups: int) -> RawValue:
    """Returns the cotangent of the images, from that of the convolution."""
    if not math.prod(geometry.out):  # XLA gives it another shape
        out: RawValue = jnp.zeros((g.shape[0], *geometry.space, groups * w.shape[-2]), g.dtype)
        return out
    how: dict[str, Any] = {"geometry": geometry, "groups": groups}
    native = _input_by_places if _is_missing(g, geometry) else plain_conv_input
    return by_platform(partial(_conv_input, **how), partial(native, **how), g, w)


def conv_filter_xla(x: Any, g: Any, *, geometry: Windows, groups: int) -> RawValue:
    """Returns the cotangent of the filter, from that of the convolution."""
    if not math.prod(geometry.out):  # XLA refuses it
        shape = (*geometry.window, x.shape[-1] // groups, g.shape[-1])
        out: RawValue = jnp.zeros(shape, g.dtype)
        return out
    how: dict[str, Any] = {"geometry": geometry, "groups": groups}
    native = _filter_by_places if _is_missing(x, geometry) else plain_conv_filter
    return by_platform(partial(_conv_filter, **how), partial(native, **how), x, g)


def _conv(x: Any, w: Any, geometry: Windows, groups: int) -> RawValue:
    out: RawValue
    if _is_product(geometry, groups):
        (part,) = slices_xla(padded_xla(x, geometry, 0), geometry)
        out = jnp.matmul(part, w.reshape(w.shape[-2:]), precision=EXACT)
        return out
    if _is_depthwise(geometry, groups, w.shape[-2]):
        return _of_images(_depthwise, _repeated(x, w), w, geometry)
    if _is_patches(geometry, groups):
        out = jnp.matmul(_patches(x, geometry), w.reshape(-1, w.shape[-1]), precision=EXACT)
        return out
    if _is_merged(geometry, groups):
        parts = [
            _conv(x[..., ins], together, geometry=geometry, groups=1)
            for ins, _, together in _merged(w, groups)
        ]
        out = jnp.concatenate(parts, -1)
        return out
    if _is_by_depth(geometry, groups):
        flat = _without_first(geometry)
        parts = [
            _conv(part, place, geometry=flat, groups=1)
            for part, place in zip(_by_depth(x, geometry), w, strict=True)
        ]
        total: Any = sum(parts)
        out = total.reshape(x.shape[0], *geometry.out, -1)
        return out
    return convolved(x, w, geometry.strides, geometry.pads, geometry.dilations, groups)


def _conv_input(g: Any, w: Any, geometry: Windows, groups: int) -> RawValue:
    if _is_product(geometry, groups):
        return spread_xla([jnp.matmul(g, w.reshape(w.shape[-2:]).T, precision=EXACT)], geometry)
    if _is_depthwise(geometry, groups, w.shape[-2]):
        parts: Any = _depthwise_input(g, w, geometry)
        image: RawValue = parts
        if g.shape[-1] > groups:
            image = parts.reshape(*parts.shape[:-1], groups, -1).sum(-1)
        return image
    if _is_patches(geometry, groups):
        patches = jnp.matmul(g, w.reshape(-1, w.shape[-1]).T, precision=EXACT)
        return _from_patches(patches, geometry)
    if _is_merged(geometry, groups):
        parts = [
            _conv_input(g[..., outs], together, geometry=geometry, groups=1)
            for _, outs, together in _merged(w, groups)
        ]
        joined: RawValue = jnp.concatenate(parts, -1)
        return joined
    if _is_by_depth(geometry, groups):
        return _input_by_depth(g, w, geometry)
    if is_by_phases(w, geometry, groups):
        return input_by_phases(g, w, geometry)
    return plain_conv_input(g, w, geometry, groups, convolved)


def _conv_filter(x: Any, g: Any, geometry: Windows, groups: int) -> RawValue:
    out: RawValue
    if _is_product(geometry, groups):
        (part,) = slices_xla(padded_xla(x, geometry, 0), geometry)
        out = _summed_products(part, g)
        return out.reshape(*geometry.window, *out.shape)
    if _is_patches(geometry, groups):
        out = _summed_products(_patches(x, geometry), g)
        return out.reshape(*geometry.window, -1, g.shape[-1])
    if _is_depthwise(geometry, groups, x.shape[-1] // groups):
        return _depthwise_filter(_repeated(x, g), g, geometry)
    if _is_merged(geometry, groups):
        return _merged_filter(x, g, geometry, groups)
    if _is_by_depth(geometry, groups):
        if _is_long_product(x, g, geometry):
            return _filter_by_plane(x, g, geometry)
        flat, own = _without_first(geometry), g.reshape(-1, *g.shape[2:])
        parts = _by_depth(x, geometry)
        out = jnp.stack([_conv_filter(p, own, geometry=flat, groups=1) for p in parts])
        return out
    if _is_by_lines(x, g, geometry, groups):
        return _filter_by_lines(x, g, geometry)
    return plain_conv_filter(x, g, geometry, groups)


def _summed_products(a: Any, b: Any) -> RawValue:
    """Returns the sum of the outer products of the vectors along the last axes."""
    rows, flat = (v.reshape(-1, v.shape[-1]) for v in (a, b))
    out: RawValue
    if rows.shape[1] <= flat.shape[1]:  # the narrower one is transposed
        out = jnp.matmul(rows.T, flat, precision=EXACT)
    else:
        product = jnp.matmul(flat.T, rows, precision=EXACT)
        out = lax.optimization_barrier(product).T  # else XLA transposes the factors
    return out


def _is_patches(geometry: Windows, groups: int) -> bool:
    """Whether the windows divide the image, and one product computes it faster."""
    whole = zip(geometry.space, geometry.out, geometry.strides, strict=True)
    return (
        groups == 1
        and geometry.window == geometry.strides
        and all(size == n * s for size, n, s in whole)
        and not any(map(any, geometry.pads))
    )


def _patches(x: Any, geometry: Windows) -> Any:
    """Returns the windows that divide an image, (batch, *out, elements)."""
    n = len(geometry.window)
    split = paired(geometry.out, geometry.window)
    order = (0, *range(1, 2 * n, 2), *range(2, 2 * n + 1, 2), 2 * n + 1)
    elements = math.prod(geometry.window) * x.shape[-1]
    parts = x.reshape(x.shape[0], *split, x.shape[-1]).transpose(order)
    return parts.reshape(x.shape[0], *geometry.out, elements)


def _from_patches(patches: Any, geometry: Windows) -> RawValue:
    """Returns the image that is divided into windows."""
    n = len(geometry.window)
    order = (0, *(axis for k in range(1, n + 1) for axis in (k, k + n)), 2 * n + 1)
    channels = patches.shape[-1] // math.prod(geometry.window)
    parts = patches.reshape(*patches.shape[:-1], *geometry.window, channels).transpose(order)
    out: RawValue = parts.reshape(patches.shape[0], *geometry.space, channels)
    return out


def _repeated(x: Any, like: Any) -> Any:
    """Repeats each channel of an image as often as it has outputs."""
    outputs = like.shape[-1] // x.shape[-1]
    return x if outputs == 1 else jnp.repeat(x, outputs, -1)


def _of_images(kernel: Any, images: Any, w: Any, geometry: Any) -> RawValue:
    """Computes all images, or one at a time, for whose padding the memory is used again.

    Otherwise, XLA computes the result once more wherever it is used.
    """
    out: RawValue
    elements = math.prod(geometry.padded) + math.prod(geometry.out)
    if len(images) * elements * images.shape[-1] * images.dtype.itemsize <= _SMALL:
        out = lax.optimization_barrier(kernel(images, w, geometry))
    else:
        out = lax.map(lambda image: kernel(image[None], w, geometry)[0], images)
    return out


def _depthwise(x: Any, w: Any, geometry: Windows) -> Any:
    parts = slices_xla(lax.optimization_barrier(padded_xla(x, geometry, 0)), geometry)
    places = w.reshape(len(parts), -1)
    return sum([part * place for part, place in zip(parts, places, strict=True)])


def _depthwise_input(g: Any, w: Any, geometry: Any) -> RawValue:
    """Returns the cotangent of the images of channels with one output each."""
    if max(geometry.strides) > 1:
        return spread_xla([g * place for place in w.reshape(-1, w.shape[-1])], geometry)
    reach = [(k - 1) * d for k, d in zip(geometry.window, geometry.dilations, strict=True)]
    pads = tuple((r - lo, r - hi) for r, (lo, hi) in zip(reach, geometry.pads, strict=True))
    turned = geometry._replace(space=geometry.out, pads=pads)
    return _of_images(_depthwise, g, jnp.flip(w, tuple(range(len(reach)))), turned)


def _depthwise_filter(x: Any, g: Any, geometry: Any) -> RawValue:
    """Returns the cotangent of a filter of one channel, to which some lines at a time are added."""
    window, channels = geometry.window, g.shape[-1]
    if len(window) == 1:
        x, g, geometry = x[:, None], g[:, None], _with_height(geometry)
    places, strides = geometry.offsets(), geometry.strides
    *outside, height, width = geometry.out
    most = max(_LINES // (width * channels), 1)
    together = next(n for n in range(min(most, height), 0, -1) if height % n == 0)
    reach = (together - 1) * strides[-2] + 1
    merged = channels <= _FEW_CHANNELS and strides[-1] == 1
    if merged:  # XLA does not use the processor's vectors for loops over few channels
        places = [(*rows, slice(at.start * channels, at.stop * channels)) for *rows, at in places]
    blocks = (*outside, height // together)

    def add_image(totals: Any, pair: Any) -> Any:
        images: Any = padded_xla(pair[0][None], geometry, 0)
        image, cotangents = (_merged_lines(v) if merged else v for v in (images[0], pair[1]))

        def add_block(k: Any, totals: Any) -> Any:
            *first, block = jnp.unravel_index(k, blocks)
            top = (*first, block * together)
            own = _lines(cotangents, top, together)
            found = []
            for total, (*rows, within) in zip(totals, places, strict=True):
                at = [i * s + row.start for i, s, row in zip(top, strides, rows, strict=False)]
                found.append(total + _lines(image, at, reach)[:: strides[-2], within] * own)
            return found

        return lax.fori_loop(0, math.prod(blocks), add_block, totals, unroll=2), None

    zeros = jnp.zeros((together, width, channels), g.dtype)
    zeros = _merged_lines(zeros) if merged else zeros
    totals, _ = lax.scan(add_image, [zeros] * len(places), (x, g))
    out: RawValue = jnp.stack([total.reshape(-1, channels).sum(0) for total in totals])
    return out.reshape(*window, 1, channels)


def _merged_lines(image: Any) -> Any:
    """Returns an image with the elements and the channels of a line as one axis."""
    return image.reshape(*image.shape[:-2], -1)


def _lines(image: Any, at: Any, count: int) -> Any:
    """Returns some lines of an image, of which the first has these indices."""
    line = image.shape[len(at) :]
    start, sizes = (*at, *(0 for _ in line)), (*(1 for _ in at[1:]), count, *line)
    return lax.dynamic_slice(image, start, sizes).reshape(count, *line)


def _with_height(geometry: Any) -> Any:
    """Returns the positions on an image with one more axis, of length 1."""
    ones = type(geometry)((1,), (1,), (1,), ((0, 0),), (1,))
    return type(geometry)(*(one + own for one, own in zip(ones, geometry, strict=True)))


def _is_by_lines(x: Any, g: Any, geometry: Windows, groups: int) -> bool:
    """Whether products of some lines of the images compute the filter's cotangent faster."""
    return (
        groups == 1
        and len(geometry.window) == 2
        and geometry.window[0] > 1
        and geometry.window[1] <= _FEW_COLUMNS
        and _is_long_product(x, g, geometry)
    )


def _is_long_product(x: Any, g: Any, geometry: Windows) -> bool:
    """Whether the products of a filter's cotangent are sums over many windows."""
    windows = math.prod(geometry.out[-2:])
    many = x.shape[-1] >= _FEW_CHANNELS and windows >= 2 * g.shape[-1]
    return geometry.strides[0] == 1 and many


def _filter_by_lines(x: Any, g: Any, geometry: Windows) -> RawValue:
    """Returns the cotangent of a filter, to which a product of some lines is added at a time.

    Its factors are windows of one line, and the cotangents of all windows that contain them.
    """
    (_, height, *_, channels), outputs = x.shape, g.shape[-1]
    flat, (rows, columns) = _without_first(geometry), geometry.window
    longest = flat.out[0] * max(columns * channels, rows * outputs)
    most = max(_PRODUCT // longest, 1)
    together = next(n for n in range(min(most, height), 0, -1) if height % n == 0)
    starts = range((rows - 1) * geometry.dilations[0], -1, -geometry.dilations[0])

    def add_image(total: Any, pair: Any) -> Any:
        image, cotangents = pair[0], _with_edges(pair[1][None], geometry)[0]

        def add_lines(k: Any, total: Any) -> Any:
            lines = padded_xla(_lines(image, (k * together,), together), flat, 0)
            windows = jnp.concatenate(slices_xla(lines, flat), -1)
            tops = [k * together + start for start in starts]
            own = jnp.concatenate([_lines(cotangents, (top,), together) for top in tops], -1)
            factors = [v.reshape(-1, v.shape[-1]) for v in (windows, own)]
            narrow, wide = factors[::-1] if turned else factors
            return total + jnp.matmul(narrow.T, wide, precision=EXACT)

        return lax.fori_loop(0, height // together, add_lines, total), None

    shape = (columns * channels, rows * outputs)
    turned = shape[0] > shape[1]
    zeros = jnp.zeros(shape[::-1] if turned else shape, g.dtype)
    total, _ = lax.scan(add_image, zeros, (x, g))
    total = total.T if turned else total
    out: RawValue = jnp.moveaxis(total.reshape(columns, channels, rows, outputs), 2, 0)
    return out


# Groups: several small groups are one convolution, with zeros between them in the filter.


def _is_merged(geometry: Windows, groups: int) -> bool:
    return groups > 1 and math.prod(geometry.out) > 0


def _together(groups: int, channels: int, outputs: int, merged: int) -> int:
    """Returns the number of groups that are computed as one, a divisor of `groups`."""
    most = max(merged // max(channels, outputs), -(-groups // _MOST_PARTS), 1)
    return next(n for n in range(min(most, groups), 0, -1) if groups % n == 0)


def _merged(w: Any, groups: int) -> list[tuple[slice, slice, Any]]:
    """Returns the channels and the outputs of some groups, and their filter without groups."""
    *window, channels, outputs = w.shape
    outputs //= groups
    count = _together(groups, channels, outputs, _MERGED)
    ones = jnp.eye(count, dtype=w.dtype)[:, None, :, None]
    parts = w.reshape(*window, 1, channels, -1, count, outputs)
    found = []
    for k in range(groups // count):
        ins = slice(k * count * channels, (k + 1) * count * channels)
        outs = slice(k * count * outputs, (k + 1) * count * outputs)
        together = ones * parts[..., k, :, :]
        found.append((ins, outs, together.reshape(*window, count * channels, count * outputs)))
    return found


def _merged_filter(x: Any, g: Any, geometry: Windows, groups: int) -> RawValue:
    channels, outputs = x.shape[-1] // groups, g.shape[-1] // groups
    count = _together(groups, channels, outputs, _MERGED_IN_FILTERS)
    blocks = groups // count
    if geometry.strides[0] == 1 and max(channels, outputs) <= _MERGED:
        parts = _block_products(x, g, geometry, blocks)
    else:
        pairs = zip(jnp.split(x, blocks, -1), jnp.split(g, blocks, -1), strict=True)
        found = [_conv_filter(a, b, geometry=geometry, groups=1) for a, b in pairs]
        parts = jnp.stack(found, -3)
    parts = parts.reshape(*geometry.window, blocks, count, channels, count, outputs)
    own = jnp.diagonal(parts, axis1=-4, axis2=-2)  # (*window, blocks, channels, outputs, count)
    own = jnp.moveaxis(own, (-4, -1), (-3, -2))
    filters: RawValue = own.reshape(*geometry.window, channels, -1)
    return filters


def _block_products(x: Any, g: Any, geometry: Windows, blocks: int) -> Any:
    """Returns the filter of each block of channels, (*window, blocks, channels, outputs).

    A product's rows are windows without their first axis, beside the cotangents of all windows that
    contain them. One image at a time is computed, whose memory is used again.
    """
    flat, (height, *rest) = _without_first(geometry), geometry.window

    def add_image(total: Any, pair: Any) -> Any:
        padded = padded_xla(pair[0], flat, 0), _with_edges(pair[1][None], geometry)[0]
        image, own = (jnp.moveaxis(v.reshape(*v.shape[:-1], blocks, -1), -2, 0) for v in padded)
        windows = jnp.concatenate(slices_xla(image.reshape(-1, *image.shape[2:]), flat), -1)
        windows = windows.reshape(blocks, -1, windows.shape[-1])
        moved = jnp.concatenate(_moved(own, geometry), -1)
        moved = moved.reshape(blocks, -1, moved.shape[-1])
        own = lax.dot_general(windows, moved, (((1,), (1,)), ((0,), (0,))), precision=EXACT)
        return total + own, None

    channels, outputs = x.shape[-1] // blocks, g.shape[-1] // blocks
    shape = (blocks, math.prod(rest) * channels, height * outputs)
    total, _ = lax.scan(add_image, jnp.zeros(shape, g.dtype), (x, g))
    return jnp.moveaxis(total.reshape(blocks, *rest, channels, height, outputs), (0, -2), (-3, 0))


def _with_edges(g: Any, geometry: Windows) -> Any:
    """Returns a cotangent with zeros along the first spatial axis, for `_moved`."""
    low, reach = geometry.pads[0][0], (geometry.window[0] - 1) * geometry.dilations[0]
    edges = (reach - low, geometry.space[0] + low - geometry.out[0], 0)
    return lax.pad(g, g.dtype.type(0), [(0, 0, 0), edges, *((0, 0, 0),) * (g.ndim - 2)])


def _moved(g: Any, geometry: Windows) -> list[Any]:
    """Returns for each element of the window along the first axis the cotangent of the windows.

    The results are as long as the image, whose elements they meet.
    """
    last = (geometry.window[0] - 1) * geometry.dilations[0]
    starts = range(last, -1, -geometry.dilations[0])
    return [g[:, start : start + geometry.space[0]] for start in starts]


def _without_first(geometry: Any) -> Windows:
    flat: Windows = type(geometry)(*(of_axes[1:] for of_axes in geometry))
    return flat


# What GPUs lack: a sum of products, one for each element of the window.


def _is_missing(x: Any, geometry: Windows) -> bool:
    """Whether GPUs have no convolution of such images: of integers, or of more than three axes."""
    return x.dtype.kind in "iu" or len(geometry.window) > _MOST_AXES


def _conv_by_places(x: Any, w: Any, geometry: Windows, groups: int) -> RawValue:
    parts = slices_xla(padded_xla(x, geometry, 0), geometry)
    places = w.reshape(len(parts), w.shape[-2], groups, -1)
    out: Any = 0
    for part, place in zip(parts, places, strict=True):
        own = part.reshape(*part.shape[:-1], groups, -1)
        out = out + _product("...gc,cgo->...go", own, place)
    images: RawValue = out.reshape(*out.shape[:-2], -1).astype(x.dtype)
    return images


def _input_by_places(g: Any, w: Any, geometry: Windows, groups: int) -> RawValue:
    own = g.reshape(*g.shape[:-1], groups, -1)
    places = w.reshape(-1, w.shape[-2], groups, own.shape[-1])
    parts = [_product("...go,cgo->...gc", own, place) for place in places]
    image: Any = spread_xla([part.reshape(*part.shape[:-2], -1) for part in parts], geometry)
    cotangent: RawValue = image.astype(g.dtype)
    return cotangent


def _filter_by_places(x: Any, g: Any, geometry: Windows, groups: int) -> RawValue:
    own = g.reshape(-1, groups, g.shape[-1] // groups)
    parts = [
        _product("ngc,ngo->cgo", part.reshape(len(own), groups, -1), own)
        for part in slices_xla(padded_xla(x, geometry, 0), geometry)
    ]
    filters: RawValue = jnp.stack(parts).reshape(*geometry.window, -1, g.shape[-1])
    return filters.astype(g.dtype)


def _product(equation: str, x: Any, y: Any) -> Any:
    """Returns a product, of halves as float32, in which several of them are added up."""
    wide = None if x.dtype.itemsize >= _SINGLE or x.dtype.kind in "iu" else np.float32
    return jnp.einsum(equation, x, y, precision=EXACT, preferred_element_type=wide)


# Three spatial axes: a sum of convolutions of two, with the depth in the batch.


def _is_by_depth(geometry: Windows, groups: int) -> bool:
    three = len(geometry.window) == 3
    return three and groups == 1 and math.prod(geometry.out) > 0


def _filter_by_plane(x: Any, g: Any, geometry: Windows) -> RawValue:
    """Returns the cotangent of the filter, to which the product of one plane at a time is added.

    Its factors are windows of a plane, and the cotangents of all windows that contain them.
    """
    flat, (channels, outputs) = _without_first(geometry), (x.shape[-1], g.shape[-1])
    parts = _moved(_with_edges(g, geometry), geometry)
    moved = [part.reshape(-1, math.prod(flat.out), outputs) for part in parts]

    def add_plane(total: Any, pair: Any) -> Any:
        plane, parts = pair
        windows = jnp.concatenate(slices_xla(padded_xla(plane[None], flat, 0), flat), -1)
        windows = windows.reshape(math.prod(flat.out), -1)
        own = jnp.concatenate(parts, -1)
        return total + jnp.matmul(own.T, windows, precision=EXACT), None

    shape = (len(moved) * outputs, math.prod(flat.window) * channels)
    total, _ = lax.scan(add_plane, jnp.zeros(shape, g.dtype), (x.reshape(-1, *x.shape[2:]), moved))
    out: RawValue = jnp.moveaxis(total.reshape(len(moved), outputs, *flat.window, channels), 1, -1)
    return out


def _by_depth(x: Any, geometry: Windows) -> list[Any]:
    """Returns for each depth in the window the images that meet it, with the depth in the batch."""
    stride, dilation, count = geometry.strides[0], geometry.dilations[0], geometry.out[0]
    x = lax.pad(x, x.dtype.type(0), [(0, 0, 0), (*geometry.pads[0], 0), *((0, 0, 0),) * 3])
    starts = range(0, geometry.window[0] * dilation, dilation)
    parts = [x[:, i : i + (count - 1) * stride + 1 : stride] for i in starts]
    return [part.reshape(-1, *part.shape[2:]) for part in parts]


def _input_by_depth(g: Any, w: Any, geometry: Windows) -> RawValue:
    stride, dilation, inner = geometry.strides[0], geometry.dilations[0], [(0, 0, 0)] * 3
    flat, own = _without_first(geometry), g.reshape(-1, *g.shape[2:])
    total: Any = 0
    for i, place in enumerate(w):
        part = _conv_input(own, place, geometry=flat, groups=1)
        part = part.reshape(*g.shape[:2], *part.shape[1:])
        start, length = i * dilation, (geometry.out[0] - 1) * stride + 1
        edges = (start, geometry.padded[0] - start - length, stride - 1)
        total += lax.pad(part, g.dtype.type(0), [(0, 0, 0), edges, *inner])
    low, high = geometry.pads[0]  # may be negative
    image: RawValue = lax.pad(total, g.dtype.type(0), [(0, 0, 0), (-low, -high, 0), *inner])
    return image


def _is_product(geometry: Windows, groups: int) -> bool:
    """Whether a product of matrices computes it, and is faster on the program's device."""
    return groups == 1 and set(geometry.window) <= {1}


def _is_depthwise(geometry: Windows, groups: int, channels: int) -> bool:
    """Whether each group has one channel, and a sum of shifted images is faster."""
    places = math.prod(geometry.window)
    return groups > 1 == channels and places <= _MOST_PLACES
