"""What XLA computes for signals, tridiagonal matrices and other rare things; needs JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from gradtape._ops.ctc import ctc_gradient_p, ctc_loss_p

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


def _ctc(kernel: Kernel, *, whole: bool) -> Kernel:
    """A lattice of labels, which the program asks NumPy for while it runs."""

    def run(logits: Any, *given: Any, **params: Any) -> Any:
        def host(*xs: Any) -> Any:
            return np.asarray(kernel(*[np.asarray(x) for x in xs], **params))

        shape = logits.shape if whole else logits.shape[1:2]
        return jax.pure_callback(host, jax.ShapeDtypeStruct(shape, logits.dtype), logits, *given)

    return run


KERNELS: dict[str, Kernel] = {
    "CTCLoss": _ctc(ctc_loss_p.primitive.kernel, whole=False),
    "CTCLossGradient": _ctc(ctc_gradient_p.primitive.kernel, whole=True),
    "DCT": _dct,
    "TridiagonalSolve": _tridiagonal_solve,
}
