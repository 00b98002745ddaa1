"""The Gaussian error linear unit `x * Φ(x)` and its slope, where Φ is the normal distribution.

NumPy has no error function, and SciPy's takes 10 ns an element. For large arrays of float32,
Φ(-a) * exp(a**2 / 2) is a quotient of two polynomials, within 4e-7 of its value for all a from 0 to
13.6, beyond which Φ(-a) is 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._src.compute.axis_sums import LARGE
from gradtape._src.compute.formulas import Kernel, blockwise, in_single, special
from gradtape._src.compute.jax_modules import jax_special, jnp, lax
from gradtape._src.compute.raw_value import RawValue

_SINGLE = np.dtype(np.float32)
_ABOVE = [_SINGLE.type(c) for c in (0.01694355, 0.1190933, 0.36120884, 0.49999982)]
_BELOW = [_SINGLE.type(c) for c in (0.04247643, 0.29831325, 0.95134169, 1.52028418, 1.0)]
_DENSITY = 1 / math.sqrt(2 * math.pi)
_SIGN = np.int32(-(1 << 31))


@in_single
def gelu(x: RawValue) -> RawValue:
    """Returns `x * Φ(x)`."""
    out: RawValue = _gelu_large(x) if _many(x) else x * special().ndtr(x)
    return out


@in_single
def gelu_slope(x: RawValue) -> RawValue:
    """Returns `Φ(x) + x * φ(x)`, where φ is the density of Φ."""
    out: RawValue = _slope_large(x) if _many(x) else _slope(x)
    return out


def _many(x: Any) -> bool:
    return type(x) is np.ndarray and x.size >= LARGE and x.dtype is _SINGLE


def _slope(x: Any) -> Any:
    return special().ndtr(x) + x * (np.exp(x * x / -2) * x.dtype.type(_DENSITY))


def _polynomial(coefficients: list[Any], a: Any) -> Any:
    out = a * coefficients[0]
    out += coefficients[1]
    for c in coefficients[2:]:
        out *= a
        out += c
    return out


def _quotient(x: Any) -> tuple[Any, Any, Any]:
    """Returns `|x|`, `Φ(-|x|) * exp(x**2 / 2)` and `exp(-x**2 / 2)`."""
    a = np.abs(x)
    share = _polynomial(_ABOVE, a)
    share /= _polynomial(_BELOW, a)
    fall = np.multiply(a, a)
    fall *= _SINGLE.type(-0.5)
    return a, share, np.exp(fall, fall)


def _repaired(kernel: Kernel, x: Any, out: Any) -> None:
    """Computes what is NaN again, since polynomials of large numbers are infinite."""
    bad = np.isnan(out)
    if bad.any():
        out[bad] = kernel(x[bad])


def _gelu_into(x: Any, out: Any) -> None:
    """max(x, 0) - |x| * Φ(-|x|), where max(x, 0) is (x + |x|) / 2."""
    a, share, fall = _quotient(x)
    share *= fall
    share *= a
    np.add(x, a, out)
    out *= _SINGLE.type(0.5)
    out -= share
    _repaired(lambda few: few * special().ndtr(few), x, out)


def _slope_into(x: Any, out: Any) -> None:
    """1/2 + sign(x) * (1/2 - (Φ(-|x|) - |x| * φ(x)))."""
    a, share, fall = _quotient(x)
    a *= _SINGLE.type(_DENSITY)
    share -= a
    share *= fall
    half = _SINGLE.type(0.5)
    np.subtract(half, share, out)
    bits = out.view(np.int32)
    bits ^= np.bitwise_and(x.view(np.int32), _SIGN)
    out += half
    _repaired(_slope, x, out)


def normal_in_xla(x: RawValue) -> RawValue:
    """Returns `Φ(x)` on JAX's arrays."""
    out: RawValue
    if x.dtype != _SINGLE:
        out = jax_special.ndtr(x)
        return out
    a = jnp.minimum(abs(x), 16)  # Beyond, the exponential is 0.
    below = _value_of(_ABOVE, a) / _value_of(_BELOW, a) * jnp.exp(x * x * -0.5)
    out = jnp.where(x > 0, 1 - below, below)
    return out


def _value_of(coefficients: list[Any], a: Any) -> Any:
    out = coefficients[0]
    for c in coefficients[1:]:
        out = out * a + c
    return out


def gelu_in_xla(x: RawValue) -> RawValue:
    """Returns `gelu` on JAX's arrays."""
    out: RawValue = x * normal_in_xla(x)
    return out


def gelu_slope_in_xla(x: RawValue) -> RawValue:
    """Returns `gelu_slope` on JAX's arrays.

    The program computes it from `x` alone, rather than keep parts of `gelu` until then.
    """
    x = lax.optimization_barrier(x)
    out: RawValue = normal_in_xla(x) + x * (jnp.exp(x * x * -0.5) * _DENSITY)
    return out


# The approximation x/2 * (1 + tanh(INNER * x + CUBIC * x**3)).

INNER = math.sqrt(2 / math.pi)
CUBIC = 0.044715 * INNER


def _tanh_into(x: Any, square: Any, out: Any) -> None:
    np.multiply(square, CUBIC, out)
    out += INNER
    out *= x
    np.tanh(out, out)


def _by_tanh_into(x: Any, out: Any) -> None:
    np.multiply(x, x, out)
    _tanh_into(x, out, out)
    out += 1
    out *= 0.5  # first, since the product with x may overflow
    out *= x


def _slope_by_tanh_into(x: Any, out: Any) -> None:
    """(1 + t + x * (INNER + 3 * CUBIC * x**2) * (1 - t**2)) / 2, where t is the tangent."""
    square = x * x
    t = np.empty(x.shape, x.dtype)
    _tanh_into(x, square, t)
    square *= 3 * CUBIC
    square += INNER
    square *= x
    np.multiply(t, t, out)
    np.subtract(1, out, out)
    out *= square
    out += t
    out += 1
    out *= 0.5


def gelu_by_tanh(x: RawValue) -> RawValue:
    """Returns the approximation of `gelu` for float32 or float64."""
    out: RawValue
    if type(x) is np.ndarray:
        out = _by_tanh_large(x)
    else:
        out = x * ((1 + np.tanh(x * (INNER + CUBIC * (x * x)))) * 0.5)
    return out


def gelu_by_tanh_slope(x: np.ndarray[Any, Any]) -> RawValue:
    """Returns the derivative of `gelu_by_tanh` for an array."""
    out: RawValue = _slope_by_tanh_large(x)
    return out


def gelu_by_tanh_in_xla(x: RawValue) -> RawValue:
    """Returns `gelu_by_tanh` on JAX's arrays."""
    out: RawValue = x * ((1 + jnp.tanh(x * (INNER + CUBIC * (x * x)))) * 0.5)
    return out


_by_tanh_large = blockwise(_by_tanh_into)
_slope_by_tanh_large = blockwise(_slope_by_tanh_into)
_gelu_large = blockwise(_gelu_into)
_slope_large = blockwise(_slope_into)
