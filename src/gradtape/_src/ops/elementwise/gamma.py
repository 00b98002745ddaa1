"""The gamma, beta, zeta and polygamma functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.formulas import in_single, in_single_2, special
from gradtape._src.compute.jax_modules import jax_special, jnp, lax
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import reduced
from gradtape._src.declare.general import FLOATING, dtype_of_value, general
from gradtape._src.declare.pointwise import binary, unary
from gradtape._src.declare.registered import opaque
from gradtape._src.declare.same_dtype import pair
from gradtape._src.declare.structural import aligned, reduce_sum_p, unbroadcast
from gradtape._src.declare.traits import Hazard, Pattern, Traits
from gradtape._src.declare.xla_kernels import in_float32, number
from gradtape._src.ops.elementwise.exponential import exp_p
from gradtape._src.ops.elementwise.special import xlog1py_p, xlogy_p

_SINGLES = frozenset({np.float32, np.float64})


@in_single
def _lgamma(x: Any) -> Any:
    out = special().gammaln(x)
    return np.where(x == -np.inf, -out, out)[()] if np.any(x == -np.inf) else out


@in_single
def _digamma(x: Any) -> Any:
    out = special().digamma(x)
    pole = x == 0  # At these points, SciPy returns the limit from the right or from the left.
    return np.where(pole, out.dtype.type(np.nan), out)[()] if np.any(pole) else out


lgamma_p = unary(
    "Lgamma",
    _lgamma,
    lambda x: digamma_p(x),
    FLOATING,
    xla=in_float32(lambda x: jax_special.gammaln(x)),
    traits=Traits(hazard=Hazard.LOGARITHM),
)
lgamma_of = lgamma_p.of_arguments
digamma_p: Bound = unary(
    "Digamma",
    _digamma,
    lambda x: polygamma_p(dtype_of_value(x).type(1), x),
    FLOATING,
    xla=in_float32(lambda x: jax_special.digamma(x)),
    traits=Traits(hazard=Hazard.LOGARITHM),
)
digamma_of = digamma_p.of_arguments


@in_single_2
def _polygamma(a: Any, x: Any) -> Any:
    """Returns the polygamma function, `(-1)**(a + 1) * a! * zeta(a + 1, x)`."""
    f = special()
    one = x.dtype.type(1)
    sign = np.where(np.isinf(a), one, 1 - 2 * ((a + one) % 2))
    value = sign * f.gamma(a + one) * f.zeta(a + one, x)
    # At a pole, the limits from both sides agree only if the order is odd.
    value = np.where((x <= 0) & (x == np.floor(x)), np.where(sign > 0, np.inf, np.nan), value)
    out = np.where(a == 0, _digamma(x), np.where((a < 0) | (a != np.floor(a)), np.nan, value))
    return out.astype(x.dtype)[()]


_FAR = 1e4


@in_single_2
def _zeta(x: Any, q: Any) -> Any:
    """Returns Hurwitz's zeta function.

    At a pole, the limits from both sides agree only if the exponent is even.
    """
    out = special().zeta(x, q)
    pole = (q <= 0) & (q == np.floor(q)) & (x % 2 != 0) & (x != 1) & ~np.isinf(x)
    vanished = (x > _FAR) & (q > 1) & np.isnan(out)  # a power in SciPy's function overflows
    if np.any(pole) or np.any(vanished):
        out = np.where(pole, out.dtype.type(np.nan), np.where(vanished, out.dtype.type(0), out))[()]
    return out


def _right_zeta_in_xla(x: Any, q: Any) -> Any:
    """Returns Hurwitz's zeta function for positive q.

    Where XLA's function overflows, the first term of the series is accurate enough.
    """
    out = jax_special.zeta(x, q)
    lost = jnp.isnan(out) & (q > 0) & ((x > 100) | ((x > 1) & (q == np.inf)))
    return jnp.where(lost, jnp.power(q, -x), out)


def _zeta_in_xla(x: Any, q: Any) -> Any:
    """Returns Hurwitz's zeta function. XLA's function sums too few terms if q is negative.

    The sum of the terms with q + k <= 0, in reverse order, is the difference of two zeta functions
    of positive arguments.
    """
    x, q = jnp.broadcast_arrays(x, q)
    behind = q < 0
    count = jnp.where(behind, jnp.ceil(-q), number(0, q))
    sign = 1 - 2 * (x % 2)
    before = sign * (_right_zeta_in_xla(x, -(q + (count - 1))) - _right_zeta_in_xla(x, 1 - q))
    out = _right_zeta_in_xla(x, q + count) + jnp.where(behind, before, number(0, q))
    bad = (x < 1) | (behind & (x != jnp.floor(x)))
    pole = (x > 1) & (q <= 0) & (q == jnp.floor(q))
    odd = pole & (x % 2 != 0) & ~jnp.isinf(x)  # At these points, the limits from both sides differ.
    out = jnp.where(bad | odd, np.nan, jnp.where(pole, np.inf, out))
    return jnp.where(x == 1, np.inf, out).astype(q.dtype)


def _polygamma_in_xla(a: Any, x: Any) -> Any:
    one = number(1, x)
    sign = 1 - 2 * ((a + one) % 2)
    value = sign * jnp.exp(jax_special.gammaln(a + one)) * _zeta_in_xla(a + one, x)
    # At a pole, the limits from both sides agree only if the order is odd.
    pole = (x <= 0) & (x == jnp.floor(x))
    value = jnp.where(pole, jnp.where(sign > 0, np.inf, np.nan), value)
    bad = (a < 0) | (a != jnp.floor(a))
    nan = number(np.nan, x)
    return jnp.where(a == 0, jax_special.digamma(x), jnp.where(bad, nan, value)).astype(x.dtype)


polygamma_p: Bound = binary(
    "Polygamma",
    _polygamma,
    None,
    lambda x, y: polygamma_p(x + 1, y),
    _SINGLES,
    xla=in_float32(_polygamma_in_xla),
    traits=Traits(hazard=Hazard.DOMAIN),
)
polygamma_of = polygamma_p.of_arguments
zeta_p: Bound = binary(
    "Zeta",
    _zeta,
    None,
    lambda x, y: -x * zeta_p(x + 1, y),
    _SINGLES,
    xla=in_float32(_zeta_in_xla),
    traits=Traits(hazard=Hazard.DOMAIN),
)
zeta_of = zeta_p.of_arguments


def _gamma_density(a: Any, x: Any) -> Any:
    """Returns `x**(a - 1) * exp(-x) / gamma(a)`, the derivative of igamma with respect to x."""
    return exp_p(xlogy_p(a - 1, x) - x - lgamma_p(a))


def _igamma_by_a(a: Any, x: Any) -> Any:
    """Returns the derivative of igamma with respect to a.

    It is the sum over n of x**(a+n) exp(-x) / gamma(a+n+1) * (log x - digamma(a+n+1)), the
    term-by-term derivative of the series in NIST DLMF 8.7.1.
    """
    f = special()
    dtype = np.result_type(a, x)
    shape = np.broadcast_shapes(np.shape(a), np.shape(x))
    a, x = (np.broadcast_to(v, shape).astype(np.float64) for v in (a, x))
    with np.errstate(all="ignore"):
        # This far beyond a, at which the density has its maximum, the function is constant in
        # float64.
        reach = 40 * np.sqrt(np.maximum(a, x)) + 400
        inside = (a > 0) & (x > 0) & (np.abs(x - a) < reach)
        some_a, some_x = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
        log_x = np.log(some_x)
        total = np.zeros(shape)
        term = np.exp(f.xlogy(some_a, some_x) - some_x - f.gammaln(some_a + 1))
        digamma = f.digamma(some_a + 1)
        steps = np.max(some_x - some_a + 40 * np.sqrt(some_x), initial=0) + 200
        for n in range(int(min(steps, 100_000))):
            total += term * (log_x - digamma)
            digamma += 1 / (some_a + n + 1)
            term = term * some_x / (some_a + n + 1)
    outside = (x < 0) | ~(a > 0) | np.isnan(x)
    total = np.where(inside, total, np.where(outside & (x != 0), np.nan, 0))
    return total.astype(dtype)[()]


def _igamma(a: Any, x: Any) -> Any:
    out = special().gammainc(a, x)
    outside, zero = a <= 0, (x == 0) | _below(a, x, out)
    if np.any(outside) or np.any(zero):
        kind = out.dtype.type
        out = np.where(zero, kind(0), np.where(outside, kind(np.nan), out))[()]
    return out


def _igammac(a: Any, x: Any) -> Any:
    out = special().gammaincc(a, x)
    outside, one = a <= 0, _below(a, x, out)
    if np.any(outside) or np.any(one):
        kind = out.dtype.type
        out = np.where(outside, kind(np.nan), np.where(one, kind(1), out))[()]
    return out


def _below(a: Any, x: Any, out: Any) -> Any:
    """Returns a mask of the elements whose x is so far below a that SciPy's result is wrong."""
    return np.isnan(out) & (x >= 0) & (x < a / 2)


def _igamma_in_xla(a: Any, x: Any) -> Any:
    out = jnp.where((a == np.inf) & (x > 0) & jnp.isfinite(x), 0, jax_special.gammainc(a, x))
    return jnp.where(x == 0, 0, jnp.where(a <= 0, np.nan, out)).astype(x.dtype)


def _igammac_in_xla(a: Any, x: Any) -> Any:
    out = jnp.where((a == np.inf) & (x >= 0) & jnp.isfinite(x), 1, jax_special.gammaincc(a, x))
    return jnp.where(a <= 0, np.nan, out).astype(x.dtype)


# As in TensorFlow, it has no gradient.
igamma_by_a_p = opaque(
    "IgammaGradA",
    in_single_2(_igamma_by_a),
    xla=in_float32(lambda a, x: lax.igamma_grad_a(*jnp.broadcast_arrays(a, x))),
)
igamma_p = binary(
    "Igamma",
    in_single_2(_igamma),
    lambda x, y: igamma_by_a_p(x, y),
    lambda x, y: _gamma_density(x, y),
    FLOATING,
    xla=in_float32(_igamma_in_xla),
    traits=Traits(hazard=Hazard.DOMAIN),
)
igamma_of = igamma_p.of_arguments
igammac_p = binary(
    "Igammac",
    in_single_2(_igammac),
    lambda x, y: -igamma_by_a_p(x, y),
    lambda x, y: -_gamma_density(x, y),
    FLOATING,
    xla=in_float32(_igammac_in_xla),
    traits=Traits(hazard=Hazard.DOMAIN),
)
igammac_of = igammac_p.of_arguments


def _betainc(a: Any, b: Any, x: Any) -> Any:
    out = special().betainc(a, b, x)
    outside, end = (a <= 0) | (b <= 0), (x == 0) | (x == 1)
    if np.any(outside) or np.any(end):
        out = np.where(outside, out.dtype.type(np.nan), np.where(end, x, out))[()]
    return out


def _beta_density(g: Any, a: Any, b: Any, x: Any) -> Any:
    log_beta = lgamma_p(a) + lgamma_p(b) - lgamma_p(a + b)
    return g * exp_p(xlogy_p(a - 1, x) + xlog1py_p(b - 1, -x) - log_beta)


def _beta_vjp(g: Any, a: Any, b: Any, x: Any, x_shape: Any, out_shape: Any) -> Any:
    return unbroadcast(_beta_density(g, a, b, x), out_shape, x_shape)


# As in TensorFlow, it is differentiable with respect to x only.
betainc_p: Bound = general(
    "Betainc",
    _betainc,
    {"x": _beta_vjp},
    batching=lambda size, batched, inputs, params: betainc_p(*aligned(size, batched, inputs)),
    dtypes=_SINGLES,
    same=slice(0, 3),
    xla=in_float32(lambda a, b, x: jax_special.betainc(a, b, x)),
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)


@export("math.lgamma")
@raw_op("Lgamma")
def lgamma(x: Any, name: str | None = None) -> Tensor:
    """Returns the logarithm of the absolute value of the gamma function, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.

    >>> tf.math.lgamma([1.0, 5.0]).numpy().round(4)
    array([0.    , 3.1781], dtype=float32)
    """
    return lgamma_of(x)


@export("math.digamma")
@raw_op("Digamma")
def digamma(x: Any, name: str | None = None) -> Tensor:
    """Returns the derivative of `lgamma`, elementwise.

    Args:
      x: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    return digamma_of(x)


@export("math.polygamma", direct=False)
@raw_op("Polygamma")
def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns the derivative of order `a` of `digamma`, elementwise; not differentiable in `a`.

    Args:
      a: A floating-point tensor.
      x: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return polygamma_of(a, x)


@export("math.zeta")
@raw_op("Zeta")
def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """Returns the Hurwitz zeta function, elementwise; not differentiable in `x`.

    Args:
      x: A floating-point tensor.
      q: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return zeta_of(x, q)


@export("math.igamma", direct=False)
@raw_op("Igamma")
def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns the lower regularized incomplete gamma function P(a, x), elementwise.

    Args:
      a: A floating-point tensor.
      x: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return igamma_of(a, x)


@export("math.igammac", direct=False)
@raw_op("Igammac")
def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns the upper regularized incomplete gamma function Q(a, x), elementwise.

    Args:
      a: A floating-point tensor.
      x: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported, or shapes do not broadcast.
    """
    return igammac_of(a, x)


@export("math.betainc")
@raw_op("Betainc")
def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """Returns the regularized incomplete beta function I_x(a, b), elementwise.

    Differentiable with respect to `x` only.

    Args:
      a: A float32 or float64 tensor, positive.
      b: A tensor of the same dtype, positive; shapes broadcast.
      x: A tensor of the same dtype, between 0 and 1.
      name: Accepted for compatibility.

    Returns:
      A tensor of the broadcast shape.

    Raises:
      InvalidArgumentError: The dtypes differ or are not supported.
    """
    a, x = pair(a, x)
    return betainc_p(a, pair(x, b)[1], x)


@export("math.lbeta")
def lbeta(x: Any, name: str | None = None) -> Tensor:
    """Returns the logarithm of the multivariate beta function along the last axis.

    `sum(lgamma(x)) - lgamma(sum(x))`.

    Args:
      x: A floating-point tensor of rank 1 or more.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `x` without its last axis; -inf if that axis is empty.

    Raises:
      InvalidArgumentError: The dtype of `x` is not supported.
    """
    x = tensor(x)
    reduced((-1,), x._value.ndim, "Sum")
    product = reduce_sum_p(lgamma_p(x), axis=(-1,), keepdims=False)
    return product - lgamma_p(reduce_sum_p(x, axis=(-1,), keepdims=False))
