"""What XLA computes for elementwise operations; this module needs JAX.

Each function takes the same arguments as the NumPy kernel of the operation of that name. Those
whose NumPy kernel is a plain ufunc or operator stand nowhere: `found` derives them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from gradtape._src.declare.xla_kernels import number, wide
from gradtape._src.graph.auto_jit import leave_out

Kernel = Callable[..., Any]


def _divide_no_nan(x: Any, y: Any) -> Any:
    zero = y == 0
    out = x / jnp.where(zero, jnp.ones_like(y), y)
    return jnp.where(zero, jnp.zeros_like(out), out)


def _mul_no_nan(x: Any, y: Any) -> Any:
    out = x * y
    return jnp.where(y == 0, jnp.zeros_like(out), out)


def _safe_log(x: Any) -> Any:
    ok = x != 0 if x.dtype.kind == "c" else x > 0
    return jnp.where(ok, jnp.log(jnp.where(ok, x, jnp.ones_like(x))), jnp.zeros_like(x))


def _safe_reciprocal(x: Any) -> Any:
    ok = x != 0 if x.dtype.kind == "c" else x > 0
    return jnp.where(ok, 1 / jnp.where(ok, x, jnp.ones_like(x)), jnp.zeros_like(x))


def _reciprocal_no_nan(x: Any) -> Any:
    return _divide_no_nan(jnp.ones_like(x), x)


def _truncated_quotient(x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        return lax.div(*jnp.broadcast_arrays(x, y))
    return jnp.trunc(x / y)


def _squared_difference(x: Any, y: Any) -> Any:
    d = x - y
    return d * jnp.conj(d) if d.dtype.kind == "c" else d * d


_POWERS = (-1.0, 1.0, 2.0, 3.0, 4.0)


def _pow(x: Any, y: Any) -> Any:
    if isinstance(y, (np.ndarray, np.generic)) and y.size == 1 and x.dtype.kind in "fc":
        n = float(np.real(y).item())
        if n in _POWERS and np.imag(y).item() == 0:
            out = lax.integer_pow(x, int(n))
            return jnp.broadcast_to(out, np.broadcast_shapes(x.shape, y.shape))
    return jnp.power(x, y)


def _within(y: Any) -> Any:
    return jnp.clip(y, 0, y.dtype.itemsize * 8 - 1).astype(y.dtype)


def _sign(x: Any) -> Any:
    if x.dtype.kind == "c":
        size = jnp.abs(x)
        return jnp.where(x == 0, 0, x / jnp.where(size == 0, 1, size)).astype(x.dtype)
    return jnp.sign(x)


def _mask(test: Kernel) -> Kernel:
    """A test whose result has the dtype of its input."""
    return lambda x: test(x).astype(x.dtype)


def _softplus(x: Any) -> Any:
    return jnp.maximum(x, 0) + jnp.log1p(jnp.exp(-jnp.abs(x)))


def _ndtr(x: Any) -> Any:
    return special.ndtr(x)


def _grown(scaled: Kernel) -> Kernel:
    """`scaled(x) * exp(|x|)`, which is finite for some x where exp(|x|) is not."""

    def run(x: Any) -> Any:
        half = jnp.exp(jnp.abs(x) / 2)
        return scaled(x) * half * half

    return run


def _right_zeta(x: Any, q: Any) -> Any:
    """Hurwitz's zeta for positive q; where XLA's overflows the first term is all."""
    out = special.zeta(x, q)
    lost = jnp.isnan(out) & (q > 0) & ((x > 100) | ((x > 1) & (q == np.inf)))
    return jnp.where(lost, jnp.power(q, -x), out)


def _zeta(x: Any, q: Any) -> Any:
    """Hurwitz's zeta: XLA's sums too few terms where q is negative.

    Those up to 0 are, in the other order, the difference of two zetas of positive numbers.
    """
    x, q = jnp.broadcast_arrays(x, q)
    behind = q < 0
    count = jnp.where(behind, jnp.ceil(-q), number(0, q))
    sign = 1 - 2 * (x % 2)
    before = sign * (_right_zeta(x, -(q + (count - 1))) - _right_zeta(x, 1 - q))
    out = _right_zeta(x, q + count) + jnp.where(behind, before, number(0, q))
    bad = (x < 1) | (behind & (x != jnp.floor(x)))
    pole = (x > 1) & (q <= 0) & (q == jnp.floor(q))
    odd = pole & (x % 2 != 0) & ~jnp.isinf(x)  # there the limits from both sides differ
    out = jnp.where(bad | odd, np.nan, jnp.where(pole, np.inf, out))
    return jnp.where(x == 1, np.inf, out).astype(q.dtype)


def _floor_quotient(x: Any, y: Any) -> Any:
    """The rounded quotient: `floor_divide` has NaN for infinities."""
    whole = jnp.issubdtype(x.dtype, np.integer)
    return jnp.floor_divide(x, y) if whole else jnp.floor(x / y)


def _igamma(a: Any, x: Any) -> Any:
    out = jnp.where((a == np.inf) & (x > 0) & jnp.isfinite(x), 0, special.gammainc(a, x))
    return jnp.where(x == 0, 0, jnp.where(a <= 0, np.nan, out)).astype(x.dtype)


def _igammac(a: Any, x: Any) -> Any:
    out = jnp.where((a == np.inf) & (x >= 0) & jnp.isfinite(x), 1, special.gammaincc(a, x))
    return jnp.where(a <= 0, np.nan, out).astype(x.dtype)


def _polygamma(a: Any, x: Any) -> Any:
    one = number(1, x)
    sign = 1 - 2 * ((a + one) % 2)
    value = sign * jnp.exp(special.gammaln(a + one)) * _zeta(a + one, x)
    # At a pole the limits from both sides agree for an odd order alone.
    pole = (x <= 0) & (x == jnp.floor(x))
    value = jnp.where(pole, jnp.where(sign > 0, np.inf, np.nan), value)
    bad = (a < 0) | (a != jnp.floor(a))
    nan = number(np.nan, x)
    return jnp.where(a == 0, special.digamma(x), jnp.where(bad, nan, value)).astype(x.dtype)


def _unless_zero(kernel: Kernel) -> Kernel:
    def run(x: Any, y: Any) -> Any:
        zero = x == 0
        safe = jnp.where(zero, number(1, y), y)
        out = kernel(x, safe)
        return jnp.where(zero, jnp.zeros_like(out), out)

    return run


def _clip(x: Any, low: Any, high: Any) -> Any:
    return jnp.maximum(jnp.minimum(x, high), low)


def _select(condition: Any, x: Any, y: Any) -> Any:
    return jnp.where(condition, x, y)


def _cast(x: Any, *, dtype: Any) -> Any:
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = x.real if dtype.kind != "b" else x != 0
    if x.dtype.kind == "f" and dtype.kind in "iu":
        x = jnp.trunc(x)
    return lax.convert_element_type(x, dtype)


def _complex(real: Any, imag: Any) -> Any:
    return lax.complex(*jnp.broadcast_arrays(real, imag))


@wide
def _add_n(*xs: Any) -> Any:
    total = xs[0]
    for x in xs[1:]:
        total = total + x
    return total


def _check_numerics(x: Any, *, message: str) -> Any:
    leave_out("check_numerics")
    return x


KERNELS: dict[str, Kernel] = {
    "Abs": jnp.abs,
    "AddN": _add_n,
    "Angle": jnp.angle,
    "BesselI0": wide(_grown(special.i0e)),
    "BesselI0e": wide(special.i0e),
    "BesselI1": wide(_grown(special.i1e)),
    "BesselI1e": wide(special.i1e),
    "Betainc": wide(special.betainc),
    "Bitcast": lambda x, *, dtype: lax.bitcast_convert_type(x, dtype),
    "Cast": _cast,
    "CheckNumerics": _check_numerics,
    "ClipByValue": _clip,
    "Complex": _complex,
    "ComplexAbs": jnp.abs,
    "Conj": jnp.conj,
    "Digamma": wide(special.digamma),
    "DivNoNan": _divide_no_nan,
    "Erf": wide(special.erf),
    "Erfc": wide(special.erfc),
    "Erfinv": wide(special.erfinv),
    "Expm1": wide(jnp.expm1),
    "FloorDiv": _floor_quotient,
    "FloorMod": jnp.mod,
    "Identity": lambda x: x,
    "Igamma": wide(_igamma),
    "IgammaGradA": wide(lambda a, x: lax.igamma_grad_a(*jnp.broadcast_arrays(a, x))),
    "Igammac": wide(_igammac),
    "Imag": jnp.imag,
    "IsZero": _mask(lambda x: x == 0),
    "LeftShift": lambda x, y: jnp.left_shift(x, _within(y)),
    "Lgamma": wide(special.gammaln),
    "Log1p": wide(jnp.log1p),
    "Maximum": jnp.maximum,
    "Minimum": jnp.minimum,
    "MulNoNan": _mul_no_nan,
    "Ndtr": wide(_ndtr),
    "Ndtri": wide(special.ndtri),
    "NextAfter": jnp.nextafter,
    "NotZero": _mask(lambda x: x != 0),
    "Polygamma": wide(_polygamma),
    "Pow": _pow,
    "Real": jnp.real,
    "RealAngle": lambda x: jnp.where(x < 0, number(np.pi, x), number(0, x)),
    "Reciprocal": lambda x: 1 / x,
    "ReciprocalNoNan": _reciprocal_no_nan,
    "RightShift": lambda x, y: jnp.right_shift(x, _within(y)),
    "Rsqrt": lambda x: lax.rsqrt(x),
    "SafeLog": _safe_log,
    "SafeReciprocal": _safe_reciprocal,
    "SelectV2": _select,
    "Sigmoid": wide(jax.nn.sigmoid),
    "Sign": _sign,
    "Softplus": wide(_softplus),
    "Spence": wide(special.spence),
    "Square": jnp.square,
    "SquaredDifference": _squared_difference,
    "StopGradient": lambda x: x,
    "TruncateDiv": _truncated_quotient,
    "TruncateMod": lambda x, y: lax.rem(*jnp.broadcast_arrays(x, y)),
    "Xdivy": wide(_unless_zero(lambda x, y: x / y)),
    "Xlog1py": wide(_unless_zero(lambda x, y: x * jnp.log1p(y))),
    "Xlogy": wide(_unless_zero(lambda x, y: x * jnp.log(y))),
    "Zeta": wide(_zeta),
}
