"""Convolutions in XLA programs: XLA's own, or products of matrices where these are faster.

On processors, XLA's own convolution is the fastest for most shapes. For two kinds, it takes 5 to 40
times as long as products: windows of one element, which are one product of matrices, and windows
with one channel each ("depthwise"), which are a sum of shifted images. The figures are in
benchmarks/README.md.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

from gradtape._src.compute.jax_modules import EXACT, jax, jnp, lax
from gradtape._src.compute.raw_value import RawValue

_SINGLE = 4  # the item size from which sums need no wider dtype
_MOST_PLACES = 100  # the largest window in elements, each of which needs its own operations


class Windows(Protocol):
    """The positions of windows on an image, with one entry for each spatial axis."""

    @property
    def space(self) -> tuple[int, ...]:
        """The image's extent."""

    @property
    def window(self) -> tuple[int, ...]:
        """The extent of a window."""

    @property
    def strides(self) -> tuple[int, ...]:
        """The distance from a window to the next."""

    @property
    def pads(self) -> tuple[tuple[int, int], ...]:
        """The lengths of the padding before and after the image."""

    @property
    def dilations(self) -> tuple[int, ...]:
        """The distances between the elements of a window."""

    @property
    def out(self) -> tuple[int, ...]:
        """The number of windows along each axis."""

    @property
    def padded(self) -> tuple[int, ...]:
        """The image's extent with its padding."""

    def offsets(self) -> list[tuple[slice, ...]]:
        """Returns for each element of the window the slices of the padded image that meet it."""

    def __hash__(self) -> int:
        """Returns the same number for equal positions."""


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
    spaces = zip(geometry.space, geometry.pads, strict=True)
    image: RawValue = total[(slice(None), *(slice(lo, lo + n) for n, (lo, _) in spaces))]
    return image


def conv_xla(x: Any, w: Any, *, geometry: Windows, groups: int) -> RawValue:
    """Returns the convolution of images (batch, *space, channels) with a filter."""
    out: RawValue
    if _is_product(x, geometry, groups):
        (part,) = slices_xla(padded_xla(x, geometry, 0), geometry)
        out = jnp.matmul(part, w.reshape(w.shape[-2:]), precision=EXACT)
        return out
    if _is_depthwise(x, geometry, groups, w.shape[-2]):
        parts = slices_xla(padded_xla(_repeated(x, w), geometry, 0), geometry)
        places = w.reshape(len(parts), -1)
        out = sum([part * place for part, place in zip(parts, places, strict=True)])
        return out
    out = lax.conv_general_dilated(
        x,
        w,
        geometry.strides,
        geometry.pads,
        rhs_dilation=geometry.dilations,
        dimension_numbers=_numbers(len(geometry.space)),
        feature_group_count=groups,
        precision=EXACT,
    )
    return out


def conv_input_xla(g: Any, w: Any, *, geometry: Windows, groups: int) -> RawValue:
    """Returns the cotangent of the images, from that of the convolution."""
    if not math.prod(geometry.out):  # XLA gives it another shape
        out: RawValue = jnp.zeros((g.shape[0], *geometry.space, groups * w.shape[-2]), g.dtype)
        return out
    if _is_product(g, geometry, groups):
        return spread_xla([jnp.matmul(g, w.reshape(w.shape[-2:]).T, precision=EXACT)], geometry)
    if _is_depthwise(g, geometry, groups, w.shape[-2]):
        parts = [g * place for place in w.reshape(-1, w.shape[-1])]
        if g.shape[-1] > groups:
            parts = [p.reshape(*p.shape[:-1], groups, -1).sum(-1) for p in parts]
        return spread_xla(parts, geometry)
    return _conv_input(g, w, geometry, groups)


def _conv_input(g: Any, w: Any, geometry: Windows, groups: int) -> RawValue:
    n = len(geometry.space)
    spread = [(k - 1) * d for k, d in zip(geometry.window, geometry.dilations, strict=True)]
    pads = []
    for size, (lo, _), reach, s, o in zip(
        geometry.space, geometry.pads, spread, geometry.strides, geometry.out, strict=True
    ):
        before = reach - lo
        pads.append((before, size + reach - ((o - 1) * s + 1) - before))
    *window, c, outputs = w.shape
    w = jnp.flip(w, tuple(range(n)))
    w = w.reshape(*window, c, groups, outputs // groups)
    w = jnp.moveaxis(w, n + 2, n).reshape(*window, outputs // groups, c, groups)
    w = jnp.swapaxes(w, -1, -2).reshape(*window, outputs // groups, groups * c)
    out: RawValue = lax.conv_general_dilated(
        g,
        w,
        (1,) * n,
        pads,
        lhs_dilation=geometry.strides,
        rhs_dilation=geometry.dilations,
        dimension_numbers=_numbers(n),
        feature_group_count=groups,
        precision=EXACT,
    )
    return out


def conv_filter_xla(x: Any, g: Any, *, geometry: Windows, groups: int) -> RawValue:
    """Returns the cotangent of the filter, from that of the convolution."""
    out: RawValue
    if not math.prod(geometry.out):  # XLA refuses it
        out = jnp.zeros((*geometry.window, x.shape[-1] // groups, g.shape[-1]), g.dtype)
        return out
    if _is_product(x, geometry, groups):
        (part,) = slices_xla(padded_xla(x, geometry, 0), geometry)
        rows, flat = (v.reshape(-1, v.shape[-1]) for v in (part, g))
        if rows.shape[1] <= flat.shape[1]:  # the narrower one is transposed
            out = jnp.matmul(rows.T, flat, precision=EXACT)
        else:
            out = jnp.matmul(flat.T, rows, precision=EXACT).T
        return out.reshape(*geometry.window, *out.shape)
    if _is_depthwise(x, geometry, groups, x.shape[-1] // groups):
        return _depthwise_filter(padded_xla(_repeated(x, g), geometry, 0), g, geometry)
    return _conv_filter(x, g, geometry, groups)


def _repeated(x: Any, like: Any) -> Any:
    """Repeats each channel of an image as often as it has outputs."""
    outputs = like.shape[-1] // x.shape[-1]
    return x if outputs == 1 else jnp.repeat(x, outputs, -1)


def _depthwise_filter(x: Any, g: Any, geometry: Windows) -> RawValue:
    """The cotangent of a filter of one channel, by few lines or by whole images."""
    stride, dilation, window = geometry.strides[0], geometry.dilations[0], geometry.window[0]
    lines = geometry.out[0] if stride > 1 else 2 - geometry.out[0] % 2  # by what was measured
    blocks, stop = geometry.out[0] // lines, (lines - 1) * stride + 1
    within = [at[1:] for at in geometry.offsets()[: math.prod(geometry.window[1:])]]
    starts = range(0, window * dilation, dilation)
    places = [(slice(i, i + stop, stride), *at) for i in starts for at in within]
    axes, zeros = tuple(range(g.ndim - 2)), (0,) * (g.ndim - 2)
    x, g = lax.optimization_barrier((x, g))  # not computed anew for each element of the window

    def add(total: Any, number: Any) -> Any:
        image, block = number // blocks, number % blocks
        shape = (1, stop + (window - 1) * dilation, *x.shape[2:])
        part = lax.dynamic_slice(x, (image, block * lines * stride, *zeros), shape)[0]
        own = lax.dynamic_slice(g, (image, block * lines, *zeros), (1, lines, *g.shape[2:]))[0]
        return total + jnp.stack([(part[at] * own).sum(axes) for at in places]), None

    start = jnp.zeros((len(places), g.shape[-1]), g.dtype)
    total, _ = lax.scan(add, start, jnp.arange(x.shape[0] * blocks))
    out: RawValue = total.reshape(*geometry.window, 1, g.shape[-1])
    return out


def _conv_filter(x: Any, g: Any, geometry: Windows, groups: int) -> RawValue:
    pads = []
    for size, (lo, _), k, d, s, o in zip(
        geometry.space,
        geometry.pads,
        geometry.window,
        geometry.dilations,
        geometry.strides,
        geometry.out,
        strict=True,
    ):
        pads.append((lo, (k - 1) * d + (o - 1) * s + 1 - size - lo))
    out: RawValue = lax.conv_general_dilated(
        x,
        g,
        geometry.dilations,
        pads,
        rhs_dilation=geometry.strides,
        dimension_numbers=_numbers(len(geometry.space), "C{}N", "I{}O", "{}NC"),
        batch_group_count=groups,
        precision=EXACT,
    )
    return out


def _numbers(n: int, x: str = "N{}C", w: str = "{}IO", out: str = "N{}C") -> tuple[str, str, str]:
    space = "DHW"[-n:] if n <= 3 else "ABDEFGHJKL"[:n]
    return x.format(space), w.format(space), out.format(space)


def _is_product(x: Any, geometry: Windows, groups: int) -> bool:
    """Whether a product of matrices computes it, and is faster on the program's device."""
    return groups == 1 and set(geometry.window) <= {1} and _by_products(x)


def _is_depthwise(x: Any, geometry: Windows, groups: int, channels: int) -> bool:
    """Whether each group has one channel, and a sum of shifted images is faster."""
    places = math.prod(geometry.window)
    return groups > 1 == channels and places <= _MOST_PLACES and _by_products(x)


def _by_products(x: Any) -> bool:
    on_processor: bool = jax.default_backend() == "cpu"
    return on_processor and x.dtype.itemsize >= _SINGLE
