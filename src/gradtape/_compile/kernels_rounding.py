"""What XLA computes for fake quantization and projective transforms; this module needs JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

Kernel = Callable[..., Any]


def _nudged(low: Any, high: Any, bits: int, narrow: bool) -> tuple[Any, Any, Any]:
    least, most = np.float32(1 if narrow else 0), np.float32(2**bits - 1)
    scale = (high - low) / (most - least)
    zero = jnp.floor(least - low / scale + np.float32(0.5))
    zero = jnp.clip(jnp.where(jnp.isnan(zero), least, zero), least, most)
    return (least - zero) * scale, (most - zero) * scale, scale


def _quantized(inputs: Any, low: Any, high: Any, *, num_bits: int, narrow_range: bool) -> Any:
    least, most, scale = _nudged(low, high, num_bits, narrow_range)
    shifted = jnp.maximum(jnp.minimum(inputs, most), least) - least
    out = jnp.floor(shifted * (1 / scale) + np.float32(0.5)) * scale + least
    return jnp.where((low == 0) & (high == 0), np.float32(0), out)


def _regions(inputs: Any, low: Any, high: Any, *, num_bits: int, narrow_range: bool) -> Any:
    least, most, _ = _nudged(low, high, num_bits, narrow_range)
    nothing = (low == 0) & (high == 0)
    below, above = (inputs < least) & ~nothing, (inputs > most) & ~nothing
    return tuple(m.astype(np.float32) for m in (~(below | above), below, above))


def _within(at: Any, n: int, mode: str) -> Any:
    if mode == "CONSTANT":
        return at
    if mode == "NEAREST" or n <= 1:
        return jnp.clip(at, 0, n - 1)
    if mode == "REFLECT":
        period = np.float32(2 * n)
        at = jnp.fmod(at, period)
        below = jnp.where(at < -n, at + period, -at - 1)
        at = jnp.where(at < 0, below, jnp.where(at >= n, period - at - 1, at))
    else:
        turns = jnp.trunc(at / np.float32(n - 1))
        at = jnp.where(at < 0, at - n * (turns - 1), jnp.where(at > n - 1, at - n * turns, at))
    return jnp.clip(at, 0, n - 1)


def _project(
    images: Any,
    transforms: Any,
    fill_value: Any,
    *,
    output_shape: tuple[int, int],
    interpolation: str,
    fill_mode: str,
) -> Any:
    batch, height, width = images.shape[:3]
    images = jnp.asarray(images)
    x = np.arange(output_shape[1], dtype=np.float32)
    y = np.arange(output_shape[0], dtype=np.float32)[:, None]
    a = transforms.astype(np.float32)[:, :, None, None]
    scale = a[:, 6] * x + a[:, 7] * y + 1
    there = scale != 0
    scale = jnp.where(there, scale, 1)
    at_x = _within((a[:, 0] * x + a[:, 1] * y + a[:, 2]) / scale, width, fill_mode)
    at_y = _within((a[:, 3] * x + a[:, 4] * y + a[:, 5]) / scale, height, fill_mode)
    fill = fill_value.astype(images.dtype)
    which = np.arange(batch)[:, None, None]

    def read(row: Any, column: Any) -> Any:
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        row = jnp.where(inside, row, 0).astype(np.int32)
        column = jnp.where(inside, column, 0).astype(np.int32)
        return jnp.where(inside[..., None], images[which, row, column], fill)

    def rounded(at: Any) -> Any:
        return jnp.trunc(at + jnp.copysign(np.float32(0.5), at))

    if interpolation == "NEAREST":
        out = read(rounded(at_y), rounded(at_x))
    else:
        top, left = jnp.floor(at_y), jnp.floor(at_x)
        down, right = (at_y - top)[..., None], (at_x - left)[..., None]
        upper = (1 - right) * read(top, left) + right * read(top, left + 1)
        lower = (1 - right) * read(top + 1, left) + right * read(top + 1, left + 1)
        out = (1 - down) * upper + down * lower
    return jnp.where(there[..., None], out, fill).astype(images.dtype)


def _inverted(transforms: Any) -> Any:
    count = transforms.shape[0]
    ones = jnp.ones((count, 1), transforms.dtype)
    matrices = jnp.concatenate([transforms, ones], 1).reshape(count, 3, 3)
    back = jnp.linalg.inv(matrices).reshape(count, 9)
    return (back / back[:, 8:])[:, :8]


KERNELS: dict[str, Kernel] = {
    "FakeQuantRegions": _regions,
    "FakeQuantWithMinMaxArgs": _quantized,
    "FakeQuantWithMinMaxVars": _quantized,
    "FakeQuantWithMinMaxVarsPerChannel": _quantized,
    "ImageProjectiveTransformV3": _project,
    "InvertProjectiveTransform": _inverted,
}
