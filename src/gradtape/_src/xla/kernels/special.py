"""What XLA computes for Bessel functions and integrals of special functions; needs JAX.

XLA has none of them, and JAX's exponential integral never ends for large arguments. They are put
together of smooth parts (NIST DLMF 6.6, 6.12, 7.5, 7.12, 10.8, 10.17, 10.31, 10.40), and each part
is a Chebyshev series through SciPy's values, found on first use.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from gradtape._src.compute.formulas import special
from gradtape._src.declare.xla_kernels import wide

Kernel = Callable[..., Any]


def _series(n: int, part: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The Chebyshev series of n terms of `part(t)`, t in [0, 1], summed by Clenshaw's recurrence.

    `part` computes with NumPy. So many terms are asked for that the rest is below 1e-15.
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


def _either(x: Any, bound: float, near: Kernel, far: Kernel) -> Any:
    """`near(x)` below a bound, `far(x)` from there; neither sees what is the other's."""
    small, limit = x < bound, x.dtype.type(bound)
    out = jnp.where(small, near(jnp.minimum(x, limit)), far(jnp.where(small, limit, x)))
    return jnp.where(jnp.isnan(x), x, out)


def _odd(x: Any, out: Any) -> Any:
    """What an odd function is of x, given what it is of |x|."""
    return jnp.where(jnp.signbit(x), -out, out)


def _positive(x: Any, out: Any, pole: float) -> Any:
    """A function with a pole at 0 that is not real for negative x."""
    return jnp.where(x > 0, out, jnp.where(x == 0, x.dtype.type(pole), x.dtype.type(np.nan)))


# J and Y: below 8 a series in x**2, for Y beside a logarithm and a pole; then a wave whose height
# and phase vary slowly.

_TURN = 8.0


def _j_over(v: int, t: Any) -> Any:
    x = _TURN * np.sqrt(t)
    return special().jv(v, x) / x**v


def _y_beside(v: int, t: Any) -> Any:
    x = _TURN * np.sqrt(t)
    return (special().yv(v, x) - 2 / np.pi * (np.log(x) * special().jv(v, x) - v / x)) / x**v


def _hankel(v: int, t: Any) -> Any:
    x = _TURN / np.sqrt(t)
    turn = np.exp(1j * np.pi * (0.25 + v / 2))
    return x, np.sqrt(np.pi * x / 2) * special().hankel1e(v, x) * turn


def _hankel_real(v: int, t: Any) -> Any:
    return _hankel(v, t)[1].real


def _hankel_imaginary(v: int, t: Any) -> Any:
    x, h = _hankel(v, t)
    return x * h.imag


_J = [_series(18, partial(_j_over, v)) for v in (0, 1)]
_Y = [_series(18, partial(_y_beside, v)) for v in (0, 1)]
_P = [_series(13, partial(_hankel_real, v)) for v in (0, 1)]
_Q = [_series(13, partial(_hankel_imaginary, v)) for v in (0, 1)]


def _small_j(v: int, x: Any) -> Any:
    return _J[v](jnp.square(x / _TURN)) * (x if v else 1)


def _small_y(v: int, x: Any) -> Any:
    rest = _Y[v](jnp.square(x / _TURN)) * (x if v else 1)
    singular = jnp.log(x) * _small_j(v, x) - (1 / x if v else 0)
    return x.dtype.type(2 / np.pi) * singular + rest


def _wave(v: int, x: Any, *, second: bool) -> Any:
    t = jnp.square(_TURN / x)
    p, q = _P[v](t), _Q[v](t) / x
    s, c = jnp.sin(x), jnp.cos(x)
    cos, sin = (s - c, -s - c) if v else (s + c, s - c)  # of the phase, times sqrt 2
    out = p * sin + q * cos if second else p * cos - q * sin
    return out / jnp.sqrt(x * x.dtype.type(np.pi))


def _bessel_j(v: int) -> Kernel:
    def run(x: Any) -> Any:
        far = partial(_wave, v, second=False)
        out = _either(jnp.abs(x), _TURN, partial(_small_j, v), far)
        return _odd(x, out) if v else out

    return wide(run)


def _bessel_y(v: int) -> Kernel:
    def run(x: Any) -> Any:
        out = _either(x, _TURN, partial(_small_y, v), partial(_wave, v, second=True))
        return _positive(x, out, -np.inf)

    return wide(run)


# K: below 2 a logarithm times I and a series in x**2, then exp(-x) / sqrt(x) times one in 1 / x.

_HALF = 2.0


def _i_over(v: int, t: Any) -> Any:
    x = _HALF * np.sqrt(t)
    return special().iv(v, x) / x**v


def _k_beside(v: int, t: Any) -> Any:
    x = _HALF * np.sqrt(t)
    log = np.log(x / 2) * special().iv(v, x)
    return (special().kv(v, x) + (-log - 1 / x if v else log)) / x**v


def _k_far(v: int, t: Any) -> Any:
    x = _HALF / t
    return special().kve(v, x) * np.sqrt(x)


_I = [_series(10, partial(_i_over, v)) for v in (0, 1)]
_K = [_series(11, partial(_k_beside, v)) for v in (0, 1)]
_FAR_K = [_series(23, partial(_k_far, v)) for v in (0, 1)]


def _bessel_k(v: int, *, scaled: bool) -> Kernel:
    def near(x: Any) -> Any:
        t = jnp.square(x / _HALF)
        log = (jnp.log(x) - x.dtype.type(np.log(2))) * _I[v](t)
        rest = _K[v](t)
        out = x * (log + rest) + 1 / x if v else rest - log
        return out * jnp.exp(x) if scaled else out

    def far(x: Any) -> Any:
        out = _FAR_K[v](_HALF / x) / jnp.sqrt(x)
        return out if scaled else out * jnp.exp(-x)

    return wide(lambda x: _positive(x, _either(x, _HALF, near, far), np.inf))


# Dawson's integral: x times a series in x**2, from 5 on one in 1 / x**2 over x.

_SHORE = 5.0


def _dawson_over(t: Any) -> Any:
    x = _SHORE * np.sqrt(t)
    return special().dawsn(x) / x


def _dawson_times(t: Any) -> Any:
    x = _SHORE / np.sqrt(t)
    return special().dawsn(x) * x


_NEAR_DAWSON, _FAR_DAWSON = _series(36, _dawson_over), _series(17, _dawson_times)


@wide
def _dawsn(x: Any) -> Any:
    out = _either(
        jnp.abs(x),
        _SHORE,
        lambda z: _NEAR_DAWSON(jnp.square(z / _SHORE)) * z,
        lambda z: _FAR_DAWSON(jnp.square(_SHORE / z)) / z,
    )
    return _odd(x, out)


# Fresnel's integrals: a power of x times a series in x**4, from 2 on 1/2 and a wave.

_EDGE = 2.0


def _fresnel_over(power: int, t: Any) -> Any:
    x = _EDGE * t**0.25
    sine, cosine = special().fresnel(x)
    return (cosine if power == 1 else sine) / x**power


def _auxiliary(t: Any) -> Any:
    """Where t is, and g + i f there, by DLMF 7.5.3, 7.5.4 and 7.5.8."""
    x = _EDGE / t**0.25
    return x, (0.5 + 0.5j) * special().wofz(np.sqrt(np.pi) / 2 * (1 + 1j) * x)


def _f_times(t: Any) -> Any:
    x, both = _auxiliary(t)
    return both.imag * x


def _g_times(t: Any) -> Any:
    x, both = _auxiliary(t)
    return both.real * x**3


_NEAR_FRESNEL = {power: _series(20, partial(_fresnel_over, power)) for power in (1, 3)}
_F, _G = _series(26, _f_times), _series(26, _g_times)


def _fresnel(power: int) -> Kernel:
    """The cosine integral, which begins with x, or the sine integral, which does with x**3."""

    def near(x: Any) -> Any:
        return _NEAR_FRESNEL[power]((x / _EDGE) ** 4) * x**power

    def far(x: Any) -> Any:
        t = (_EDGE / x) ** 4
        f, g = _F(t) / x, _G(t) / x**3
        turn = np.pi / 2 * jnp.square(jnp.minimum(x, 1e9))  # the wave is below rounding there
        s, c = jnp.sin(turn), jnp.cos(turn)
        return 0.5 + (f * s - g * c if power == 1 else -f * c - g * s)

    def run(x: Any) -> Any:
        size = jnp.abs(x.astype(np.float64))  # in float32 the square of x has lost its place
        return _odd(x, _either(size, _EDGE, near, far).astype(x.dtype))

    return run


# The exponential integral: log |x| and a series between -2 and 6, outside exp(x) / x times one in
# 1 / x; computed in float64, since one series is for small and large values.

_BELOW, _NEAR, _FURTHER = -2.0, 6.0, 20.0


def _ei_beside(t: Any) -> Any:
    x = _BELOW + (_NEAR - _BELOW) * t
    return special().expi(x) - np.log(np.abs(x))


def _ei_scaled(x: Any) -> Any:
    near = np.where(np.abs(x) > 100, 50.0, x)
    far = sum(math.factorial(k) / x**k for k in range(20))
    return np.where(np.abs(x) > 100, far, near * np.exp(-near) * special().expi(near))


_EI = _series(24, _ei_beside)
_EI_BELOW = _series(30, lambda t: _ei_scaled(_BELOW / t))
_EI_ABOVE = _series(26, lambda t: _ei_scaled(1 / (1 / _FURTHER + (1 / _NEAR - 1 / _FURTHER) * t)))
_EI_FAR = _series(26, lambda t: _ei_scaled(_FURTHER / t))


def _expint(x: Any) -> Any:
    z = x.astype(np.float64)
    middle = _EI((jnp.clip(z, _BELOW, _NEAR) - _BELOW) / (_NEAR - _BELOW)) + jnp.log(jnp.abs(z))
    over = 1 / jnp.where((z >= _BELOW) & (z <= _NEAR), _NEAR, z)
    above = (over - 1 / _FURTHER) / (1 / _NEAR - 1 / _FURTHER)
    factor = jnp.where(
        z < 0,
        _EI_BELOW(jnp.clip(_BELOW * over, 0, 1)),
        jnp.where(
            z < _FURTHER,
            _EI_ABOVE(jnp.clip(above, 0, 1)),
            _EI_FAR(jnp.clip(_FURTHER * over, 0, 1)),
        ),
    )
    out = jnp.where((z >= _BELOW) & (z <= _NEAR), middle, jnp.exp(z) * over * factor)
    return jnp.where(z == np.inf, z, out).astype(x.dtype)


KERNELS: dict[str, Kernel] = {
    "BesselJ0": _bessel_j(0),
    "BesselJ1": _bessel_j(1),
    "BesselK0": _bessel_k(0, scaled=False),
    "BesselK0e": _bessel_k(0, scaled=True),
    "BesselK1": _bessel_k(1, scaled=False),
    "BesselK1e": _bessel_k(1, scaled=True),
    "BesselY0": _bessel_y(0),
    "BesselY1": _bessel_y(1),
    "Dawsn": _dawsn,
    "Expint": _expint,
    "FresnelCos": _fresnel(1),
    "FresnelSin": _fresnel(3),
}
