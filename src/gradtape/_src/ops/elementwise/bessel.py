"""Bessel functions.

Derivatives: NIST DLMF 10.6 and 10.29.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.chebyshev import Kernel, either, odd, positive, series
from gradtape._src.compute.formulas import number, scipy, special
from gradtape._src.compute.jax_modules import jax_special, jnp
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import FLOATING
from gradtape._src.declare.pointwise import unary
from gradtape._src.declare.traits import Hazard, Traits
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.elementwise.arithmetic import sign_p
from gradtape._src.ops.elementwise.comparison import is_zero_p


def _over_x(numerator: Any, x: Any) -> Any:
    """Returns `f(x) / x` for an odd function f whose derivative at 0 is 1/2.

    The derivative of the quotient at 0 is 0.
    """
    zero = is_zero_p(x)
    return numerator * (1 - zero) / (x + zero) + number(0.5, x) * zero


def _grown(scaled: Kernel) -> Kernel:
    """Returns `scaled(x) * exp(|x|)`, which may be finite although exp(|x|) overflows."""

    def run(x: Any) -> Any:
        half = jnp.exp(jnp.abs(x) / 2)
        return scaled(x) * half * half

    return run


bessel_i0_p: Bound = unary(
    "BesselI0",
    scipy("i0"),
    lambda x: bessel_i1_p(x),
    FLOATING,
    xla=in_float32(_grown(lambda x: jax_special.i0e(x))),
)
bessel_i0_of = bessel_i0_p.of_arguments
bessel_i1_p: Bound = unary(
    "BesselI1",
    scipy("i1"),
    lambda x, out: bessel_i0_p(x) - _over_x(out, x),
    FLOATING,
    xla=in_float32(_grown(lambda x: jax_special.i1e(x))),
)
bessel_i1_of = bessel_i1_p.of_arguments
bessel_i0e_p: Bound = unary(
    "BesselI0e",
    scipy("i0e"),
    lambda x, out: bessel_i1e_p(x) - sign_p(x) * out,
    FLOATING,
    xla=in_float32(lambda x: jax_special.i0e(x)),
)
bessel_i0e_of = bessel_i0e_p.of_arguments
bessel_i1e_p: Bound = unary(
    "BesselI1e",
    scipy("i1e"),
    lambda x, out: bessel_i0e_p(x) - _over_x(out, x) - sign_p(x) * out,
    FLOATING,
    xla=in_float32(lambda x: jax_special.i1e(x)),
)
bessel_i1e_of = bessel_i1e_p.of_arguments


# XLA has only I0e and I1e of the functions below. The others are composed of smooth parts (NIST
# DLMF 10.8, 10.17, 10.31, 10.40), each a Chebyshev series fitted to SciPy's values.

# J and Y: for x below 8, a series in x**2, to which Y adds a logarithm and a pole; above, a wave
# whose amplitude and phase vary slowly.

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


_J = [series(18, partial(_j_over, v)) for v in (0, 1)]
_Y = [series(18, partial(_y_beside, v)) for v in (0, 1)]
_P = [series(13, partial(_hankel_real, v)) for v in (0, 1)]
_Q = [series(13, partial(_hankel_imaginary, v)) for v in (0, 1)]


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
    # The sine and cosine of the phase, times sqrt(2).
    cos, sin = (s - c, -s - c) if v else (s + c, s - c)
    out = p * sin + q * cos if second else p * cos - q * sin
    return out / jnp.sqrt(x * x.dtype.type(np.pi))


def _bessel_j_in_xla(v: int) -> Kernel:
    def run(x: Any) -> Any:
        far = partial(_wave, v, second=False)
        out = either(jnp.abs(x), _TURN, partial(_small_j, v), far)
        return odd(x, out) if v else out

    return in_float32(run)


def _bessel_y_in_xla(v: int) -> Kernel:
    def run(x: Any) -> Any:
        out = either(x, _TURN, partial(_small_y, v), partial(_wave, v, second=True))
        return positive(x, out, -np.inf)

    return in_float32(run)


# K: for x below 2, a logarithm times I plus a series in x**2; above, exp(-x) / sqrt(x) times a
# series in 1 / x.

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


_I = [series(10, partial(_i_over, v)) for v in (0, 1)]
_K = [series(11, partial(_k_beside, v)) for v in (0, 1)]
_FAR_K = [series(23, partial(_k_far, v)) for v in (0, 1)]


def _bessel_k_in_xla(v: int, *, scaled: bool) -> Kernel:
    def near(x: Any) -> Any:
        t = jnp.square(x / _HALF)
        log = (jnp.log(x) - x.dtype.type(np.log(2))) * _I[v](t)
        rest = _K[v](t)
        out = x * (log + rest) + 1 / x if v else rest - log
        return out * jnp.exp(x) if scaled else out

    def far(x: Any) -> Any:
        out = _FAR_K[v](_HALF / x) / jnp.sqrt(x)
        return out if scaled else out * jnp.exp(-x)

    return in_float32(lambda x: positive(x, either(x, _HALF, near, far), np.inf))


bessel_j0_p: Bound = unary(
    "BesselJ0", scipy("j0"), lambda x: -bessel_j1_p(x), FLOATING, xla=_bessel_j_in_xla(0)
)
bessel_j0_of = bessel_j0_p.of_arguments
bessel_j1_p: Bound = unary(
    "BesselJ1",
    scipy("j1"),
    lambda x, out: bessel_j0_p(x) - _over_x(out, x),
    FLOATING,
    xla=_bessel_j_in_xla(1),
)
bessel_j1_of = bessel_j1_p.of_arguments
bessel_y0_p: Bound = unary(
    "BesselY0",
    scipy("y0"),
    lambda x: -bessel_y1_p(x),
    FLOATING,
    xla=_bessel_y_in_xla(0),
    traits=Traits(hazard=Hazard.INVERSE),
)
bessel_y0_of = bessel_y0_p.of_arguments
bessel_y1_p: Bound = unary(
    "BesselY1",
    scipy("y1"),
    lambda x, out: bessel_y0_p(x) - out / x,
    FLOATING,
    xla=_bessel_y_in_xla(1),
    traits=Traits(hazard=Hazard.INVERSE),
)
bessel_y1_of = bessel_y1_p.of_arguments
bessel_k0_p: Bound = unary(
    "BesselK0",
    scipy("k0"),
    lambda x: -bessel_k1_p(x),
    FLOATING,
    xla=_bessel_k_in_xla(0, scaled=False),
    traits=Traits(hazard=Hazard.INVERSE),
)
bessel_k0_of = bessel_k0_p.of_arguments
bessel_k1_p: Bound = unary(
    "BesselK1",
    scipy("k1"),
    lambda x, out: -bessel_k0_p(x) - out / x,
    FLOATING,
    xla=_bessel_k_in_xla(1, scaled=False),
    traits=Traits(hazard=Hazard.INVERSE),
)
bessel_k1_of = bessel_k1_p.of_arguments
bessel_k0e_p: Bound = unary(
    "BesselK0e",
    scipy("k0e"),
    lambda x, out: out - bessel_k1e_p(x),
    FLOATING,
    xla=_bessel_k_in_xla(0, scaled=True),
    traits=Traits(hazard=Hazard.INVERSE),
)
bessel_k0e_of = bessel_k0e_p.of_arguments
bessel_k1e_p: Bound = unary(
    "BesselK1e",
    scipy("k1e"),
    lambda x, out: out * (1 - 1 / x) - bessel_k0e_p(x),
    FLOATING,
    xla=_bessel_k_in_xla(1, scaled=True),
    traits=Traits(hazard=Hazard.INVERSE),
)
bessel_k1e_of = bessel_k1e_p.of_arguments


@export("math.bessel_i0", "math.special.bessel_i0")
@raw_op("BesselI0")
def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """Returns the modified Bessel function of the first kind of order 0, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_i0_of(x)


@export("math.bessel_i0e", "math.special.bessel_i0e")
@raw_op("BesselI0e")
def bessel_i0e(x: Any, name: str | None = None) -> Tensor:
    """Returns `exp(-|x|) * bessel_i0(x)`, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_i0e_of(x)


@export("math.bessel_i1", "math.special.bessel_i1")
@raw_op("BesselI1")
def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """Returns the modified Bessel function of the first kind of order 1, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_i1_of(x)


@export("math.bessel_i1e", "math.special.bessel_i1e")
@raw_op("BesselI1e")
def bessel_i1e(x: Any, name: str | None = None) -> Tensor:
    """Returns `exp(-|x|) * bessel_i1(x)`, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_i1e_of(x)


@export("math.special.bessel_j0")
@raw_op("BesselJ0")
def bessel_j0(x: Any, name: str | None = None) -> Tensor:
    """Returns the Bessel function of the first kind of order 0, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_j0_of(x)


@export("math.special.bessel_j1")
@raw_op("BesselJ1")
def bessel_j1(x: Any, name: str | None = None) -> Tensor:
    """Returns the Bessel function of the first kind of order 1, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_j1_of(x)


@export("math.special.bessel_k0")
@raw_op("BesselK0")
def bessel_k0(x: Any, name: str | None = None) -> Tensor:
    """Returns the modified Bessel function of the second kind of order 0, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_k0_of(x)


@export("math.special.bessel_k0e")
@raw_op("BesselK0e")
def bessel_k0e(x: Any, name: str | None = None) -> Tensor:
    """Returns `exp(x) * bessel_k0(x)`, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_k0e_of(x)


@export("math.special.bessel_k1")
@raw_op("BesselK1")
def bessel_k1(x: Any, name: str | None = None) -> Tensor:
    """Returns the modified Bessel function of the second kind of order 1, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_k1_of(x)


@export("math.special.bessel_k1e")
@raw_op("BesselK1e")
def bessel_k1e(x: Any, name: str | None = None) -> Tensor:
    """Returns `exp(x) * bessel_k1(x)`, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_k1e_of(x)


@export("math.special.bessel_y0")
@raw_op("BesselY0")
def bessel_y0(x: Any, name: str | None = None) -> Tensor:
    """Returns the Bessel function of the second kind of order 0, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_y0_of(x)


@export("math.special.bessel_y1")
@raw_op("BesselY1")
def bessel_y1(x: Any, name: str | None = None) -> Tensor:
    """Returns the Bessel function of the second kind of order 1, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return bessel_y1_of(x)
