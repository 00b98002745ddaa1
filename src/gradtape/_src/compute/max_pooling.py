"""The largest element of each window of an image: its index, its value and its cotangent.

Images are (batch, *space, channels). The chosen element is the first one in the image that no other
element exceeds. A NaN is chosen only if it is the first element.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from gradtape._src.compute.axis_sums import wider
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.compute.parallel import over_blocks
from gradtape._src.compute.raw_value import RawValue
from gradtape._src.compute.window_views import (
    Axis,
    Scratch,
    added,
    apart,
    axes,
    by_lines,
    met,
    over_axes,
    over_windows,
    repeated,
    room,
    spread,
)
from gradtape._src.compute.xla_convolution import padded_xla, slices_xla, spread_xla
from gradtape._src.compute.xla_own_convolution import Windows

Array = np.ndarray[Any, Any]

_STORED = 4
"""The number of elements along an axis up to which their keys are stored, not computed anew."""


def _lowest(dtype: np.dtype[Any]) -> float:
    """Returns the value that pads an image, which is below all elements."""
    return int(np.iinfo(dtype).min) if dtype.kind in "iu" else -np.inf


def _filled(x: Array, geometry: Windows) -> Array:
    """Returns an image with padding whose elements no window chooses."""
    if not any(map(any, geometry.pads)):
        return x
    made = np.full((x.shape[0], *geometry.padded, x.shape[-1]), _lowest(x.dtype), x.dtype)
    made[_inner(geometry)] = x
    return made


def greatest(x: Any, *, geometry: Windows) -> Array:
    """Returns the largest element of each window; NaN if one is NaN."""
    return over_windows(np.maximum, x, geometry, _lowest(x.dtype))


def greatest_xla(x: Any, *, geometry: Windows) -> RawValue:
    """Computes `greatest` in an XLA program."""
    windows = met(geometry)
    out: RawValue
    out, *rest = slices_xla(padded_xla(x, windows, _lowest(x.dtype)), windows)
    for part in rest:
        out = jnp.maximum(out, part)
    return _repeated_xla(out, geometry)


def places(x: Any, *, geometry: Windows) -> Array:
    """Returns the index in the image of the chosen element, over all spatial axes."""
    windows = met(geometry)
    starts, within = _indices(windows)
    out = np.empty((x.shape[0], *windows.out, x.shape[-1]), np.int64)

    def step(block: slice) -> None:
        np.add(within[_chosen(_filled(x[block], windows), windows)], starts, out=out[block])

    over_blocks(step, len(x), elements(x))
    return repeated(out, geometry)


def places_xla(x: Any, *, geometry: Windows) -> RawValue:
    """Computes `places` in an XLA program."""
    windows = met(geometry)
    starts, within = _indices(windows)
    out = jnp.asarray(within)[_chosen_xla(x, windows)] + jnp.asarray(starts)
    return _repeated_xla(out, geometry)


def _repeated_xla(x: Any, geometry: Windows) -> RawValue:
    out: RawValue = jnp.broadcast_to(x, (x.shape[0], *geometry.out, x.shape[-1]))
    return out


def picked(t: Any, x: Any, *, geometry: Windows) -> Array:
    """Returns the elements of `t` at the positions of the chosen elements of `x`."""
    windows = met(geometry)
    out = np.empty((x.shape[0], *windows.out, x.shape[-1]), t.dtype)

    def step(block: slice) -> None:
        values, image = out[block], _filled(t[block], windows)
        for at, hit in zip(windows.offsets(), _hits(x[block], windows), strict=True):
            np.copyto(values, image[(slice(None), *at)], where=hit)

    over_blocks(step, len(x), elements(x))
    return repeated(out, geometry)


def picked_xla(t: Any, x: Any, *, geometry: Windows) -> RawValue:
    """Computes `picked` in an XLA program."""
    windows = met(geometry)
    choice = _chosen_xla(x, windows)
    out: RawValue
    out, *rest = slices_xla(padded_xla(t, windows, 0), windows)
    for k, part in enumerate(rest, 1):
        out = jnp.where(choice == k, part, out)
    return _repeated_xla(out, geometry)


def put(g: Any, x: Any, *, geometry: Windows) -> Array:
    """Returns an image with each cotangent added at the position of the chosen element of `x`."""
    if wider(g.dtype) is not g.dtype:
        return put(g.astype(wider(g.dtype)), x, geometry=geometry).astype(g.dtype)
    out: Array = np.empty(x.shape, g.dtype)
    if not g.size:
        out.fill(0)
        return out
    windows = met(geometry)
    g, keys = added(g, windows), _keys_dtype(windows)

    def step(block: slice, scratch: Scratch) -> None:
        image, onto = x[block], out[block]
        levels = over_axes(np.maximum, image, windows, _lowest(x.dtype), None, scratch)
        best = levels[-1][-1]
        if x.dtype.kind not in "iu" and np.isnan(np.minimum.reduce(best, None)):
            onto[...] = _put_each(g[block], image, windows)
        else:
            _put_along_axes(g[block], levels, keys, onto, scratch)

    of_axis = 2 * x.itemsize + 3 * g.itemsize + (3 + _STORED) * keys.itemsize + 1
    each = of_axis * len(windows.out) + g.itemsize
    by_lines(step, len(x), elements(x), room(windows, x.shape[-1], each))
    return out


def _put_along_axes(
    g: Array,
    levels: list[tuple[Axis, Array, Array]],
    keys: np.dtype[Any],
    out: Array,
    scratch: Scratch,
) -> None:
    """Writes what `put` returns into `out`, if there is no NaN.

    Args:
      g: The cotangents.
      levels: The axes with images and maxima, from `over_axes`.
      keys: The dtype of keys.
      out: The images.
      scratch: The memory for other arrays.
    """
    chosen: list[Any] = []
    key, shape = None, out.shape
    for axis, image, best in levels:
        own, key = _keys(axis, image, best, key, keys, scratch)
        chosen.append((axis, own, key, shape))
        shape = best.shape
    for axis, own, key, shape in reversed(chosen):
        onto = scratch.empty(shape, g.dtype) if axis.number else out
        before = scratch.used
        spread(_owns(g, axis, own, key, scratch), axis, onto, scratch)
        scratch.used = before
        g = onto


@lru_cache(256)
def _keys_dtype(geometry: Windows) -> np.dtype[Any]:
    """Returns the dtype of keys, which has more bits than the numbers of a window's elements."""
    return np.min_scalar_type(1 << sum(map(_bits, axes(geometry))))


def _bits(axis: Axis) -> int:
    return max(len(axis.elements) - 1, 0).bit_length()


def _keys(
    axis: Axis, image: Array, best: Array, before: Any, dtype: Any, scratch: Scratch
) -> tuple[Callable[[int], Array], Array]:
    """Returns a function for keys of windows' elements along an axis, and each window's least key.

    The key of a maximum is its number along this axis, and above these bits the numbers along the
    axes before. The key of any other element has all bits set. So the least key is that of the
    first maximum. If there is no axis before, the last element gets no key: the others say where
    it is first.

    Args:
      axis: The axis.
      image: The images, apart.
      best: The maxima.
      before: The least keys along the axis before, or None.
      dtype: The dtype of keys.
      scratch: The memory for other arrays.
    """
    if before is not None:
        moved = apart(before, axis, scratch)
        other = scratch.empty(moved.shape, dtype) if moved is before else moved
        before = np.multiply(moved, dtype.type(1 << _bits(axis)), out=other)

    def own(i: int) -> Array:
        to, of = axis.elements[i]
        values = best if axis.is_whole else best[to]
        narrow = scratch.empty(values.shape, np.int8)
        np.not_equal(image[of], values, out=narrow.view(bool))
        np.negative(narrow, out=narrow)
        made = narrow.view(dtype) if dtype.itemsize == 1 else scratch.empty(values.shape, dtype)
        if dtype.itemsize > 1:
            made.view(f"i{dtype.itemsize}")[...] = narrow
        if before is not None:
            np.bitwise_or(made, before[of], out=made)
        if i:
            np.bitwise_or(made, dtype.type(i), out=made)
        return made

    key, stored = scratch.empty(best.shape, dtype), []
    count = len(axis.elements)
    is_less = before is None and axis.is_whole and count > 1
    if is_less or not axis.is_whole:
        key.fill(count - 1 if is_less else np.iinfo(dtype).max)
    for i, (to, _) in enumerate(axis.elements[: count - is_less]):
        mark = scratch.used
        made = own(i)
        onto = key if axis.is_whole else key[to]
        if i == 0 and axis.is_whole and not is_less:
            np.copyto(onto, made)
        else:
            np.minimum(onto, made, out=onto)
        if count <= _STORED:
            stored.append(made)
        else:
            scratch.used = mark
    return (stored.__getitem__ if stored else own), key


def _owns(
    g: Array, axis: Axis, keys: Callable[[int], Array], key: Array, scratch: Scratch
) -> Callable[[int, Any], Any]:
    """Returns a function for `spread`: the cotangents whose element of a window is chosen.

    Those of the last element are what the others leave.
    """
    dtype, bits = g.dtype, np.dtype(f"i{g.dtype.itemsize}")
    g = g.view(bits)
    hit, ones, rest = (scratch.empty(g.shape, t) for t in (np.int8, bits, bits))
    last, given = len(axis.elements) - 1, g
    if last and not axis.is_whole:
        np.copyto(rest, g)

    def own(i: int, out: Any) -> Any:
        nonlocal given
        to, target = axis.elements[i][0], None if out is None else out.view(bits)
        if i and axis.is_whole:
            left = target if i == last and target is not None else rest
            np.bitwise_xor(g if i == 1 else rest, given, out=left)
        elif i:
            left = rest[axis.elements[i - 1][0]]
            np.bitwise_xor(left, given, out=left)
        if i == last:
            values = rest[to] if last else g[to]
            if target is not None and not (last and axis.is_whole):
                np.copyto(target, values)
            return values.view(dtype)
        mark, mask = scratch.used, hit[to]
        np.equal(keys(i), key[to], out=mask.view(bool))
        scratch.used = mark
        np.negative(mask, out=mask)
        given = ones[to] if target is None else target
        np.copyto(given, mask)  # all bits of an element, or none
        np.bitwise_and(given, g[to], out=given)
        return given.view(dtype)

    return own


def _put_each(g: Array, x: Array, geometry: Windows) -> Array:
    """Returns what `put` returns, element by element of the windows."""
    made = np.zeros((len(x), *geometry.padded, x.shape[-1]), g.dtype)
    for at, hit in zip(geometry.offsets(), _hits(x, geometry), strict=True):
        made[(slice(None), *at)] += np.where(hit, g, g.dtype.type(0))
    return made[_inner(geometry)]


def put_xla(g: Any, x: Any, *, geometry: Windows) -> RawValue:
    """Computes `put` in an XLA program."""
    windows = met(geometry)
    g, zero = added(g, windows), g.dtype.type(0)
    choice = _chosen_xla(x, windows)
    parts = [jnp.where(choice == k, g, zero) for k in range(math.prod(windows.window))]
    return spread_xla(parts, windows)


def elements(x: Any) -> int:
    """Returns the number of elements of one image."""
    n: int = math.prod(x.shape[1:])
    return max(n, 1)


def _inner(geometry: Windows) -> tuple[slice, ...]:
    spaces = zip(geometry.space, geometry.pads, strict=True)
    return (slice(None), *(slice(lo, lo + n) for n, (lo, _) in spaces))


@lru_cache(256)
def _first(geometry: Windows, dtype: Any) -> Any:
    """Returns, for each window, the number of its first element that lies in the image."""
    inside = np.zeros(geometry.padded, bool)
    inside[_inner(geometry)[1:]] = True
    return np.argmax([inside[at] for at in geometry.offsets()], 0).astype(dtype)[..., None]


def _numbers(geometry: Windows) -> np.dtype[Any]:
    """Returns a dtype for the numbers of a window's elements."""
    return np.min_scalar_type(math.prod(geometry.window))


def _hits(x: Any, geometry: Windows) -> Iterator[Array]:
    """Yields, for each element of a window, where it is the chosen one."""
    image = _filled(x, geometry)
    first, *rest = [image[(slice(None), *at)] for at in geometry.offsets()]
    best = first.copy()
    for part in rest:
        np.maximum(best, part, out=best)
    if image is not x or (image.dtype.kind not in "iu" and np.isnan(best).any()):
        choice = _chosen(image, geometry)
        yield from (choice == k for k in range(1 + len(rest)))
        return
    free = np.ones(best.shape, bool)
    for part in (first, *rest):
        hit = np.equal(part, best)
        hit &= free
        yield hit
        free ^= hit


def _chosen(image: Any, geometry: Windows) -> Any:
    """Returns the number of the chosen element within each window of a padded image."""
    dtype = _numbers(geometry)
    first, floating = _first(geometry, dtype), image.dtype.kind not in "iu"
    parts = [image[(slice(None), *at)] for at in geometry.offsets()]
    best = parts[0].copy()
    choice = np.empty(best.shape, dtype)
    choice[...] = first
    for k, part in enumerate(parts):
        better = np.greater(part, best)
        np.fmax(best, part, out=best)
        np.maximum(choice, better.view(np.uint8) * dtype.type(k), out=choice)
        if floating and (first == k).any():  # a NaN at the beginning stays chosen
            np.copyto(best, np.inf, where=(part != part) & (first == k))  # noqa: PLR0124
    return choice


def _chosen_xla(x: Any, geometry: Windows) -> Any:
    best, *rest = slices_xla(padded_xla(x, geometry, _lowest(x.dtype)), geometry)
    first = _first(geometry, np.int32)
    choice = jnp.broadcast_to(jnp.asarray(first), best.shape)
    for k, part in enumerate(rest, 1):
        better = (part > best) | jnp.asarray(first == k)
        best, choice = jnp.where(better, part, best), jnp.where(better, k, choice)
    return choice


@lru_cache(256)
def _indices(geometry: Windows) -> tuple[Any, Any]:
    """Returns the indices of each window's first element, and the distances of the others."""
    steps = [math.prod(geometry.space[i + 1 :]) for i in range(len(geometry.space))]
    starts: Any = 0
    for i, step in enumerate(steps):
        lo, stride = geometry.pads[i][0], geometry.strides[i]
        line = (np.arange(geometry.out[i]) * stride - lo) * step
        starts = np.add.outer(starts, line)
    reaches = [range(0, k * d, d) for k, d in zip(geometry.window, geometry.dilations, strict=True)]
    within = [sum(map(math.prod, zip(at, steps, strict=True))) for at in product(*reaches)]
    return starts[..., None], np.array(within, np.int64)
