"""What XLA computes for signals, images, alignments and other rare things; needs JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from gradtape._src.ops.image.color import from_hsv, with_hue, with_saturation
from gradtape._src.ops.image.resize import area_weights
from gradtape._src.ops.nn.ctc import Lattice

Kernel = Callable[..., Any]


def _turn(n: int, size: float, dtype: Any) -> Any:
    """exp(-i pi k / size) for k up to n."""
    kind = np.result_type(dtype, np.complex64)
    return np.exp(-1j * np.pi * np.arange(n) / size).astype(kind)


def _dct(x: Any, *, kind: int) -> Any:
    """Makhoul, "A fast cosine transform in one and two dimensions" (1980)."""
    n = x.shape[-1]
    if kind == 1:
        out = jnp.fft.rfft(jnp.concatenate([x, x[..., -2:0:-1]], -1)).real
    elif kind == 2:
        out = 2 * (jnp.fft.fft(x, 2 * n)[..., :n] * _turn(n, 2 * n, x.dtype)).real
    elif kind == 3:
        turned = x * jnp.conj(_turn(n, 2 * n, x.dtype))
        out = 2 * n * jnp.fft.irfft(turned, 2 * n)[..., :n]
    else:
        turned = jnp.fft.fft(x * _turn(n, 2 * n, x.dtype), 2 * n)[..., :n]
        out = 2 * (turned * _turn(2 * n, 4 * n, x.dtype)[1::2]).real
    return out.astype(x.dtype)


def _tridiagonal_solve(diagonals: Any, rhs: Any, *, pivoting: bool) -> Any:
    lead = np.broadcast_shapes(diagonals.shape[:-2], rhs.shape[:-2])
    d = jnp.broadcast_to(diagonals, (*lead, *diagonals.shape[-2:]))
    b = jnp.broadcast_to(rhs, (*lead, *rhs.shape[-2:]))
    above, below = d[..., 0, :].at[..., -1].set(0), d[..., 2, :].at[..., 0].set(0)
    return lax.linalg.tridiagonal_solve(below, d[..., 1, :], above, b)


def _walked(grid: Lattice, lengths: Any) -> tuple[Any, Any]:
    """The states of a lattice of labels after the last step, and after each."""

    def step(alpha: Any, now: Any) -> tuple[Any, Any]:
        number, emitted = now
        moved = jnp.where(number > 0, grid.forward(alpha), alpha) + emitted
        alpha = jnp.where((number < lengths)[:, None], moved, alpha)
        return alpha, alpha

    return lax.scan(step, grid.start(), (np.arange(len(grid.emitted)), grid.emitted))  # type: ignore[no-any-return]


def _ctc_loss(
    logits: Any, labels: Any, label_length: Any, logit_length: Any, *, blank: int, floor: bool
) -> Any:
    grid = Lattice(jnp, logits, labels, label_length, blank, floor)
    alpha, _ = _walked(grid, logit_length)
    return grid.loss(alpha, logit_length).astype(logits.dtype)


def _ctc_gradient(
    logits: Any, labels: Any, label_length: Any, logit_length: Any, *, blank: int, floor: bool
) -> Any:
    grid = Lattice(jnp, logits, labels, label_length, blank, floor)
    _, alphas = _walked(grid, logit_length)
    rows, none = np.arange(labels.shape[0])[:, None], jnp.zeros(logits.shape[1:], np.float64)

    def step(beta: Any, now: Any) -> tuple[Any, Any]:
        number, alpha, emitted = now
        counts = none.at[rows, grid.states].add(grid.shares(alpha + beta))
        moved = grid.backward(beta + emitted)
        return jnp.where((number < logit_length)[:, None], moved, beta), counts

    steps = (np.arange(len(logits)), alphas, grid.emitted)
    _, counts = lax.scan(step, grid.end(), steps, reverse=True)
    return grid.gradient(counts, logit_length).astype(logits.dtype)


def _adjust_contrast(images: Any, factor: Any) -> Any:
    mean = jnp.mean(images, (-3, -2), np.float32, keepdims=True)
    return ((images - mean) * factor + mean).astype(images.dtype)


def _resize_area(x: Any, *, size: tuple[int, int]) -> Any:
    rows, columns = (area_weights(n, m) for n, m in zip(x.shape[1:3], size, strict=True))
    exact = lax.Precision.HIGHEST
    return jnp.einsum("ih,bhwc,jw->bijc", rows, x, columns, precision=exact)


def _in_top_k(predictions: Any, targets: Any, k: Any) -> Any:
    classes = predictions.shape[1]
    inside = (targets >= 0) & (targets < classes)
    own = jnp.take_along_axis(predictions, targets[:, None], 1, mode="fill", fill_value=0)
    better = jnp.sum(predictions > own, -1)
    return inside & jnp.isfinite(predictions).all(-1) & (better < k)


KERNELS: dict[str, Kernel] = {
    "AdjustContrastv2": _adjust_contrast,
    "AdjustHue": partial(with_hue, jnp),
    "AdjustSaturation": partial(with_saturation, jnp),
    "CTCLoss": _ctc_loss,
    "CTCLossGradient": _ctc_gradient,
    "DCT": _dct,
    "HSVToRGB": partial(from_hsv, jnp),
    "InTopKV2": _in_top_k,
    "ResizeArea": _resize_area,
    "TridiagonalSolve": _tridiagonal_solve,
}
