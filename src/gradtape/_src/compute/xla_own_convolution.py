"""XLA's own convolution, of images of one group or several.

XLA divides a convolution among threads by the last spatial axis and the outputs alone. If this
would leave threads idle, the images of a batch, or strips of them, stand beside each other along
the last axis. In the cotangent of images with strides, XLA multiplies by the zeros between strides,
or adds up windows in one thread; the positions within a stride are outputs of one convolution where
this is faster. The figures are in docs/design/0025-convolutions.md.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, cast

import numpy as np

from gradtape._src.compute.jax_modules import EXACT, jnp, lax
from gradtape._src.compute.parallel import crew
from gradtape._src.compute.raw_value import RawValue

_FEW_OUTPUTS = 64  # up to which a convolution without strides replaces XLA's spread images
_TASK = 64  # the extent of a convolution's parts, which XLA divides among threads
_MOST_COPIED = 1 << 25  # the bytes of images and results; more are mapped anew at each call
_EVEN = 2  # the parts for each thread from which XLA divides the work evenly
_LEAST_SUM = 128  # the least products for an element from which copies of the images pay off
_LEAST_WORK = 1 << 22  # the least products of a convolution for the same
_SINGLE = 4  # the item size from which sums need no wider dtype


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


def by_platform(processor: Any, native: Any, *values: Any) -> RawValue:
    """Returns `processor(*values)` in programs for processors, otherwise `native(*values)`.

    A traced program is compiled for each platform on which its inputs lie, so that its own platform
    is known only then. Sums of halves are left to XLA, which adds them up in a wider dtype.
    """
    if values[0].dtype.itemsize < _SINGLE:
        out: RawValue = native(*values)
    else:
        out = lax.platform_dependent(*values, cpu=processor, default=native)
    return out


def convolved(
    x: Any, w: Any, strides: Any, pads: Any, dilations: Any, groups: int, spread: Any = None
) -> RawValue:
    """Returns XLA's own convolution, of images that may stand beside each other."""
    if not spread:
        x, pads = _cropped(x, pads)
    out: RawValue
    if (
        groups == 1
        and not spread
        and _is_narrow(x, w, lengths := _lengths(x, w, strides, pads, dilations))
    ):
        reach = (w.shape[0] - 1) * dilations[0] + 1
        count = _number_of_strips(x, w, lengths, reach)
        if count > 1:
            x = _strips(x, lengths, strides, pads, count, reach)
            pads = [(0, 0), *pads[1:]]
        if len(x) > 1:
            out = _side_by_side(x, w, strides, pads, dilations)
            return out.reshape(-1, *lengths, w.shape[-1])
    return native_convolution(x, w, strides, pads, dilations, groups, spread)


def native_convolution(
    x: Any, w: Any, strides: Any, pads: Any, dilations: Any, groups: int, spread: Any = None
) -> RawValue:
    """Returns XLA's own convolution, of images whose elements may be spread."""
    if not spread:
        x, pads = _cropped(x, pads)
    out: RawValue = lax.conv_general_dilated(
        x,
        w,
        strides,
        pads,
        lhs_dilation=spread,
        rhs_dilation=dilations,
        dimension_numbers=_numbers(len(strides)),
        feature_group_count=groups,
        precision=EXACT,
    )
    return out


def _cropped(x: Any, pads: Any) -> tuple[Any, list[tuple[int, int]]]:
    """Replaces negative paddings, with which XLA may read elements of the next image."""
    if min(map(min, pads)) >= 0:
        return x, pads
    edges = [(min(low, 0), min(high, 0), 0) for low, high in pads]
    x = lax.pad(x, x.dtype.type(0), [(0, 0, 0), *edges, (0, 0, 0)])
    return x, [(max(low, 0), max(high, 0)) for low, high in pads]


def _is_narrow(x: Any, w: Any, out: list[int]) -> bool:
    """Whether XLA, which divides the last axis and the outputs, would leave threads idle."""
    batch, *_, width, channels = x.shape
    *window, _, outputs = w.shape
    work = math.prod(window) * channels
    tasks: int = max(outputs, outputs * width // _TASK, _TASK) // _TASK
    copied: int = (x.size + batch * math.prod(out) * outputs) * x.dtype.itemsize
    return (
        tasks < crew.size
        and work >= _LEAST_SUM
        and work * outputs * x.size // channels >= _LEAST_WORK
        and x.dtype == np.float32
        and copied <= _MOST_COPIED
    )


def _lengths(x: Any, w: Any, strides: Any, pads: Any, dilations: Any) -> list[int]:
    """Returns the number of windows along each axis."""
    axes = zip(x.shape[1:-1], w.shape[:-2], strides, pads, dilations, strict=True)
    return [(lo + size + hi - (k - 1) * d - 1) // s + 1 for size, k, s, (lo, hi), d in axes]


def _number_of_strips(x: Any, w: Any, out: list[int], reach: int) -> int:
    """Returns into how many strips, of lines along the first axis, each image is divided."""
    (height, *others), columns = out, len(x) * out[-1] * w.shape[-1]
    least = -(-_EVEN * crew.size * _TASK**2 // max(columns, 1))
    counts = range(least, height // reach + 1) if others else ()
    return next((n for n in counts if height % n == 0), 1)


def _strips(x: Any, out: list[int], strides: Any, pads: Any, count: int, reach: int) -> Any:
    """Divides images into strips, (images and strips, *space, channels), with the lines they need.

    The lines of the padding belong to the strips.
    """
    edges = [(0, 0, 0), (*pads[0], 0), *((0, 0, 0),) * (x.ndim - 2)]
    padded, rows = lax.pad(x, x.dtype.type(0), edges), out[0] // count * strides[0]
    lines = rows - strides[0] + reach
    parts = [padded[:, top : top + lines] for top in range(0, count * rows, rows)]
    return jnp.stack(parts, 1).reshape(-1, *parts[0].shape[1:])


def _side_by_side(x: Any, w: Any, strides: Any, pads: Any, dilations: Any) -> RawValue:
    """Returns the convolution of one image that consists of all images of the batch.

    They stand beside each other along the last spatial axis, with zeros in between.
    """
    batch, *_, width, _ = x.shape
    n, stride, (low, high) = len(strides), strides[-1], pads[-1]
    reach = (w.shape[n - 1] - 1) * dilations[-1] + 1
    out = (low + width + high - reach) // stride + 1
    pitch = -(-((out - 1) * stride + reach) // stride) * stride
    edges = [(0, 0, 0)] * n + [(low, pitch - low - width, 0), (0, 0, 0)]
    padded = lax.pad(x, x.dtype.type(0), edges)
    joined = jnp.moveaxis(padded, 0, n - 1)
    joined = joined.reshape(1, *joined.shape[: n - 1], batch * pitch, -1)
    found: Any = lax.conv_general_dilated(
        joined,
        w,
        strides,
        [*pads[:-1], (0, max(reach - stride, 0))],
        rhs_dilation=dilations,
        dimension_numbers=_numbers(n),
        precision=EXACT,
    )
    found = found.reshape(*found.shape[1:n], batch, pitch // stride, -1)[..., :out, :]
    images: RawValue = jnp.moveaxis(found, n - 1, 0)
    return images


def is_by_phases(w: Any, geometry: Windows, groups: int) -> bool:
    """Whether a convolution without strides, which has more products, is faster."""
    counts, window = _by_strides(geometry.padded, geometry), _by_strides(geometry.window, geometry)
    places = math.prod(geometry.strides)
    products = math.prod(counts) * math.prod(window) * places
    return (
        groups == 1
        and places > 1
        and set(geometry.dilations) == {1}
        and w.shape[-2] <= _FEW_OUTPUTS
        and 2 * products <= 3 * math.prod(geometry.out) * math.prod(geometry.window)
    )


def _by_strides(lengths: Any, geometry: Windows) -> list[int]:
    """Returns how many strides cover each length."""
    return [-(-length // s) for length, s in zip(lengths, geometry.strides, strict=True)]


def input_by_phases(g: Any, w: Any, geometry: Windows) -> RawValue:
    """Returns the cotangent of the images, whose elements within a stride are outputs first."""
    n, (*window, channels, outputs), strides = len(geometry.space), w.shape, geometry.strides
    counts, reach = _by_strides(geometry.padded, geometry), _by_strides(window, geometry)
    edges = [(0, m * s - k, 0) for m, s, k in zip(reach, strides, window, strict=True)]
    taps = lax.pad(w, w.dtype.type(0), [*edges, (0, 0, 0), (0, 0, 0)])
    taps = taps.reshape(*paired(reach, strides), channels, outputs)
    evens, odds = range(0, 2 * n, 2), range(1, 2 * n, 2)
    taps = jnp.flip(taps.transpose(*evens, 2 * n + 1, *odds, 2 * n), tuple(range(n)))
    taps = taps.reshape(*reach, outputs, -1)
    pads = [(m - 1, q - o) for m, q, o in zip(reach, counts, geometry.out, strict=True)]
    found: Any = convolved(g, taps, (1,) * n, pads, geometry.dilations, 1)
    found = found.reshape(-1, *counts, *strides, channels)
    order = [axis for k in range(1, n + 1) for axis in (k, n + k)]
    found = found.transpose(0, *order, 2 * n + 1)
    whole = (q * s for q, s in zip(counts, strides, strict=True))
    found = found.reshape(-1, *whole, channels)
    return within_padding(found, geometry)


def within_padding(padded: Any, geometry: Windows) -> RawValue:
    """Returns the image within its padding, which may be negative."""
    sizes = zip(geometry.space, geometry.pads, padded.shape[1:-1], strict=True)
    edges = [(-low, low + size - room, 0) for size, (low, _), room in sizes]
    zero = padded.dtype.type(0)
    image: RawValue = lax.pad(padded, zero, [(0, 0, 0), *edges, (0, 0, 0)])
    return image


def paired(a: Any, b: Any) -> list[int]:
    """Returns the elements of both in turn."""
    return [x for pair in zip(a, b, strict=True) for x in pair]


def plain_conv_input(
    g: Any, w: Any, geometry: Windows, groups: int, convolve: Any = native_convolution
) -> RawValue:
    n = len(geometry.space)
    spread = [(k - 1) * d for k, d in zip(geometry.window, geometry.dilations, strict=True)]
    pads: list[tuple[int, int]] = []
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
    dilated = geometry.strides if max(geometry.strides) > 1 else None
    return cast("RawValue", convolve(g, w, (1,) * n, pads, geometry.dilations, groups, dilated))


def plain_conv_filter(x: Any, g: Any, geometry: Windows, groups: int) -> RawValue:
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
    x, pads = _cropped(x, pads)
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
