"""The largest element of each window of an image: its index, its value and its cotangent.

Images are (batch, *space, channels). The chosen element is the first one in the image that no other
element exceeds. A NaN is chosen only if it is the first element.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from gradtape._src.compute.axis_sums import wider
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.compute.parallel import over_blocks
from gradtape._src.compute.raw_value import RawValue
from gradtape._src.compute.xla_convolution import padded_xla, slices_xla, spread_xla
from gradtape._src.compute.xla_own_convolution import Windows

Array = np.ndarray[Any, Any]


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
    out = np.empty((x.shape[0], *geometry.out, x.shape[-1]), x.dtype)

    def step(block: slice) -> None:
        image, values = _filled(x[block], geometry), out[block]
        first, *rest = geometry.offsets()
        values[...] = image[(slice(None), *first)]
        for at in rest:
            np.maximum(values, image[(slice(None), *at)], out=values)

    over_blocks(step, len(x), elements(x))
    return out


def greatest_xla(x: Any, *, geometry: Windows) -> RawValue:
    """Computes `greatest` in an XLA program."""
    out: RawValue
    out, *rest = slices_xla(padded_xla(x, geometry, _lowest(x.dtype)), geometry)
    for part in rest:
        out = jnp.maximum(out, part)
    return out


def places(x: Any, *, geometry: Windows) -> Array:
    """Returns the index in the image of the chosen element, over all spatial axes."""
    starts, within = _indices(geometry)
    out = np.empty((x.shape[0], *geometry.out, x.shape[-1]), np.int64)

    def step(block: slice) -> None:
        np.add(within[_chosen(_filled(x[block], geometry), geometry)], starts, out=out[block])

    over_blocks(step, len(x), elements(x))
    return out


def places_xla(x: Any, *, geometry: Windows) -> RawValue:
    """Computes `places` in an XLA program."""
    starts, within = _indices(geometry)
    out: RawValue = jnp.asarray(within)[_chosen_xla(x, geometry)] + jnp.asarray(starts)
    return out


def picked(t: Any, x: Any, *, geometry: Windows) -> Array:
    """Returns the elements of `t` at the positions of the chosen elements of `x`."""
    out = np.empty((x.shape[0], *geometry.out, x.shape[-1]), t.dtype)

    def step(block: slice) -> None:
        values, image = out[block], _filled(t[block], geometry)
        for at, hit in zip(geometry.offsets(), _hits(x[block], geometry), strict=True):
            np.copyto(values, image[(slice(None), *at)], where=hit)

    over_blocks(step, len(x), elements(x))
    return out


def picked_xla(t: Any, x: Any, *, geometry: Windows) -> RawValue:
    """Computes `picked` in an XLA program."""
    choice = _chosen_xla(x, geometry)
    out: RawValue
    out, *rest = slices_xla(padded_xla(t, geometry, 0), geometry)
    for k, part in enumerate(rest, 1):
        out = jnp.where(choice == k, part, out)
    return out


def put(g: Any, x: Any, *, geometry: Windows) -> Array:
    """Returns an image with each cotangent added at the position of the chosen element of `x`."""
    if wider(g.dtype) is not g.dtype:
        return put(g.astype(wider(g.dtype)), x, geometry=geometry).astype(g.dtype)
    out: Array = np.zeros((x.shape[0], *geometry.padded, x.shape[-1]), g.dtype)
    apart = is_apart(geometry)

    def step(block: slice) -> None:
        values, onto = g[block], out[block]
        for at, hit in zip(geometry.offsets(), _hits(x[block], geometry), strict=True):
            target = onto[(slice(None), *at)]
            if apart:
                _where(hit, values, target)
            else:
                target += _where(hit, values, np.empty_like(values))

    over_blocks(step, len(x), elements(x))
    return out[_inner(geometry)]


def put_xla(g: Any, x: Any, *, geometry: Windows) -> RawValue:
    """Computes `put` in an XLA program."""
    choice, zero = _chosen_xla(x, geometry), g.dtype.type(0)
    parts = [jnp.where(choice == k, g, zero) for k in range(math.prod(geometry.window))]
    return spread_xla(parts, geometry)


def elements(x: Any) -> int:
    """Returns the number of elements of one image."""
    n: int = math.prod(x.shape[1:])
    return max(n, 1)


def _inner(geometry: Windows) -> tuple[slice, ...]:
    spaces = zip(geometry.space, geometry.pads, strict=True)
    return (slice(None), *(slice(lo, lo + n) for n, (lo, _) in spaces))


def is_apart(geometry: Windows) -> bool:
    """Whether no element of the image is in more than one window."""
    return all(
        (k - 1) * d < s
        for k, d, s in zip(geometry.window, geometry.dilations, geometry.strides, strict=True)
    )


def _where(mask: Any, values: Any, out: Any) -> Any:
    """Writes values where a mask is true, else 0; a bitwise "and" is faster than `where`."""
    bits = np.dtype(f"i{values.dtype.itemsize}")
    ones = np.negative(mask.view(np.int8)).astype(bits)  # sets all bits of an element, or none
    np.bitwise_and(values.view(bits), ones, out=out.view(bits))
    return out


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
