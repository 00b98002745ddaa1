"""Functions of one variable that XLA lacks, computed from Chebyshev series.

JAX is loaded when one of them first runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gradtape._src.compute.jax_modules import jnp
from gradtape._src.compute.raw_value import RawValue

Kernel = Callable[..., Any]


def series(n: int, part: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns the n-term Chebyshev series of `part(t)` on [0, 1], summed by Clenshaw's recurrence.

    `part` computes with NumPy. Choose n so that the remainder is below 1e-15.
    """

    @cache
    def coefficients() -> list[float]:
        from scipy.fft import dct

        angle = np.pi * (np.arange(n) + 0.5) / n
        found = dct(part(np.cos(angle / 2) ** 2)) / n
        return [found[0] / 2, *found[1:]]

    def run(t: Any) -> Any:
        first, *rest = [t.dtype.type(c) for c in coefficients()]
        double = 4 * t - 2
        one = two = jnp.zeros_like(t)
        for c in rest[::-1]:
            one, two = double * one - two + c, one
        return double * one / 2 - two + first

    return run


def either(x: Any, bound: float, near: Kernel, far: Kernel) -> RawValue:
    """Returns `near(x)` below a bound and `far(x)` above it; each gets only its own elements."""
    small, limit = x < bound, x.dtype.type(bound)
    out = jnp.where(small, near(jnp.minimum(x, limit)), far(jnp.where(small, limit, x)))
    result: RawValue = jnp.where(jnp.isnan(x), x, out)
    return result


def odd(x: Any, out: Any) -> RawValue:
    """Returns an odd function of x, given the function of |x|."""
    result: RawValue = jnp.where(jnp.signbit(x), -out, out)
    return result


def positive(x: Any, out: Any, pole: float) -> RawValue:
    """Returns a function of x > 0 that has a pole at 0 and is NaN for negative x."""
    other = jnp.where(x == 0, x.dtype.type(pole), x.dtype.type(np.nan))
    result: RawValue = jnp.where(x > 0, out, other)
    return result
