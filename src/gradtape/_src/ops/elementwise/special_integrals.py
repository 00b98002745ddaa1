"""Functions defined as integrals: Dawson's, Fresnel's, the exponential integral, Spence's.

Derivatives: NIST DLMF 7.10 (Dawson, Fresnel), 6.2 (Ei), 25.12 (Spence).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.chebyshev import Kernel, either, odd, series
from gradtape._src.compute.formulas import number, scipy, special
from gradtape._src.compute.jax_modules import jax_special, jnp
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import FLOATING
from gradtape._src.declare.pointwise import unary
from gradtape._src.declare.traits import Hazard, Traits
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.elementwise.comparison import is_zero_p
from gradtape._src.ops.elementwise.exponential import exp_p, log_p
from gradtape._src.ops.elementwise.powers import square_p
from gradtape._src.ops.elementwise.trigonometric import cos_p, sin_p

# XLA has only Spence's integral, and JAX's exponential integral does not terminate for large
# arguments. The others are composed of smooth parts (NIST DLMF 6.6, 6.12, 7.5, 7.12), each a
# Chebyshev series fitted to SciPy's values.

# Dawson's integral: for x below 5, x times a series in x**2; above, 1 / x times a series in 1 /
# x**2.

_SHORE = 5.0


def _dawson_over(t: Any) -> Any:
    x = _SHORE * np.sqrt(t)
    return special().dawsn(x) / x


def _dawson_times(t: Any) -> Any:
    x = _SHORE / np.sqrt(t)
    return special().dawsn(x) * x


_NEAR_DAWSON, _FAR_DAWSON = series(36, _dawson_over), series(17, _dawson_times)


@in_float32
def _dawsn_in_xla(x: Any) -> Any:
    out = either(
        jnp.abs(x),
        _SHORE,
        lambda z: _NEAR_DAWSON(jnp.square(z / _SHORE)) * z,
        lambda z: _FAR_DAWSON(jnp.square(_SHORE / z)) / z,
    )
    return odd(x, out)


# Fresnel's integrals: for x below 2, a power of x times a series in x**4; above, 1/2 plus a wave.

_EDGE = 2.0


def _fresnel_over(power: int, t: Any) -> Any:
    x = _EDGE * t**0.25
    sine, cosine = special().fresnel(x)
    return (cosine if power == 1 else sine) / x**power


def _auxiliary(t: Any) -> Any:
    """Returns t and the auxiliary functions at t as g + i f, by DLMF 7.5.3, 7.5.4 and 7.5.8."""
    x = _EDGE / t**0.25
    return x, (0.5 + 0.5j) * special().wofz(np.sqrt(np.pi) / 2 * (1 + 1j) * x)


def _f_times(t: Any) -> Any:
    x, both = _auxiliary(t)
    return both.imag * x


def _g_times(t: Any) -> Any:
    x, both = _auxiliary(t)
    return both.real * x**3


_NEAR_FRESNEL = {power: series(20, partial(_fresnel_over, power)) for power in (1, 3)}
_F, _G = series(26, _f_times), series(26, _g_times)


def _fresnel_in_xla(power: int) -> Kernel:
    """Returns the cosine integral, whose series begins with x, or the sine integral (with x**3)."""

    def near(x: Any) -> Any:
        return _NEAR_FRESNEL[power]((x / _EDGE) ** 4) * x**power

    def far(x: Any) -> Any:
        t = (_EDGE / x) ** 4
        f, g = _F(t) / x, _G(t) / x**3
        # For such x, the wave is smaller than the rounding error.
        turn = np.pi / 2 * jnp.square(jnp.minimum(x, 1e9))
        s, c = jnp.sin(turn), jnp.cos(turn)
        return 0.5 + (f * s - g * c if power == 1 else -f * c - g * s)

    def run(x: Any) -> Any:
        # In float32, the square of x is too inexact to give its position in the period.
        size = jnp.abs(x.astype(np.float64))
        return odd(x, either(size, _EDGE, near, far).astype(x.dtype))

    return run


# The exponential integral: between -2 and 6, log |x| plus a series; outside, exp(x) / x times a
# series in 1 / x. It is computed in float64, since one series serves both small and large values.

_BELOW, _NEAR, _FURTHER = -2.0, 6.0, 20.0


def _ei_beside(t: Any) -> Any:
    x = _BELOW + (_NEAR - _BELOW) * t
    return special().expi(x) - np.log(np.abs(x))


def _ei_scaled(x: Any) -> Any:
    near = np.where(np.abs(x) > 100, 50.0, x)
    far = sum(math.factorial(k) / x**k for k in range(20))
    return np.where(np.abs(x) > 100, far, near * np.exp(-near) * special().expi(near))


_EI = series(24, _ei_beside)
_EI_BELOW = series(30, lambda t: _ei_scaled(_BELOW / t))
_EI_ABOVE = series(26, lambda t: _ei_scaled(1 / (1 / _FURTHER + (1 / _NEAR - 1 / _FURTHER) * t)))
_EI_FAR = series(26, lambda t: _ei_scaled(_FURTHER / t))


def _expint_in_xla(x: Any) -> Any:
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


dawsn_p = unary(
    "Dawsn", scipy("dawsn"), lambda x, out: 1 - 2 * (x * out), FLOATING, xla=_dawsn_in_xla
)
dawsn_of = dawsn_p.of_arguments
expint_p = unary(
    "Expint",
    scipy("expi"),
    lambda x: exp_p(x) / x,
    FLOATING,
    xla=_expint_in_xla,
    traits=Traits(hazard=Hazard.DOMAIN),
)
expint_of = expint_p.of_arguments


def _quarter(x: Any) -> Any:
    return number(math.pi / 2, x) * square_p(x)


fresnel_cos_p = unary(
    "FresnelCos",
    scipy("fresnel_cos"),
    lambda x: cos_p(_quarter(x)),
    FLOATING,
    xla=_fresnel_in_xla(1),
)
fresnel_cos_of = fresnel_cos_p.of_arguments
fresnel_sin_p = unary(
    "FresnelSin",
    scipy("fresnel_sin"),
    lambda x: sin_p(_quarter(x)),
    FLOATING,
    xla=_fresnel_in_xla(3),
)
fresnel_sin_of = fresnel_sin_p.of_arguments


def _log_over(x: Any) -> Any:
    """Returns `log(x) / (1 - x)`, which is -1 at 1 and has the derivative 1/2 there."""
    one = is_zero_p(1 - x)
    return log_p(x) * (1 - one) / (1 - x + one) - one * (1 - (x - 1) / 2)


spence_p = unary(
    "Spence",
    scipy("spence"),
    _log_over,
    FLOATING,
    xla=in_float32(lambda x: jax_special.spence(x)),
    traits=Traits(hazard=Hazard.DOMAIN),
)
spence_of = spence_p.of_arguments


@export("math.special.dawsn")
@raw_op("Dawsn")
def dawsn(x: Any, name: str | None = None) -> Tensor:
    """Returns Dawson's integral: `exp(-x**2)` times the integral of `exp(t**2)` from 0 to x.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return dawsn_of(x)


@export("math.special.expint")
@raw_op("Expint")
def expint(x: Any, name: str | None = None) -> Tensor:
    """Returns the exponential integral Ei(x), elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return expint_of(x)


@export("math.special.fresnel_cos")
@raw_op("FresnelCos")
def fresnel_cos(x: Any, name: str | None = None) -> Tensor:
    """Returns Fresnel's cosine integral, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return fresnel_cos_of(x)


@export("math.special.fresnel_sin")
@raw_op("FresnelSin")
def fresnel_sin(x: Any, name: str | None = None) -> Tensor:
    """Returns Fresnel's sine integral, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return fresnel_sin_of(x)


@export("math.special.spence")
@raw_op("Spence")
def spence(x: Any, name: str | None = None) -> Tensor:
    """Returns Spence's integral of `log(t) / (1 - t)` from 1 to x, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return spence_of(x)
