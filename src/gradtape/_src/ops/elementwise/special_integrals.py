"""Functions defined as integrals: Dawson's, Fresnel's, the exponential integral, Spence's.

Derivatives: NIST DLMF 7.10 (Dawson, Fresnel), 6.2 (Ei), 25.12 (Spence).
"""

from __future__ import annotations

import math
from typing import Any

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.formulas import number, scipy
from gradtape._src.core.convert import tensor
from gradtape._src.declare.families import FLOATING
from gradtape._src.declare.pointwise import unary
from gradtape._src.declare.traits import Hazard, Traits
from gradtape._src.ops.elementwise.comparison import is_zero_p
from gradtape._src.ops.elementwise.exponential import exp_p, log_p
from gradtape._src.ops.elementwise.powers import square_p
from gradtape._src.ops.elementwise.trigonometric import cos_p, sin_p

dawsn_p = unary("Dawsn", scipy("dawsn"), lambda x, out: 1 - 2 * (x * out), FLOATING)
expint_p = unary(
    "Expint", scipy("expi"), lambda x: exp_p(x) / x, FLOATING, traits=Traits(hazard=Hazard.DOMAIN)
)


def _quarter(x: Any) -> Any:
    return number(math.pi / 2, x) * square_p(x)


fresnel_cos_p = unary("FresnelCos", scipy("fresnel_cos"), lambda x: cos_p(_quarter(x)), FLOATING)
fresnel_sin_p = unary("FresnelSin", scipy("fresnel_sin"), lambda x: sin_p(_quarter(x)), FLOATING)


def _log_over(x: Any) -> Any:
    """`log(x) / (1 - x)`, which is -1 at 1 and has the derivative 1/2 there."""
    one = is_zero_p(1 - x)
    return log_p(x) * (1 - one) / (1 - x + one) - one * (1 - (x - 1) / 2)


spence_p = unary(
    "Spence", scipy("spence"), _log_over, FLOATING, traits=Traits(hazard=Hazard.DOMAIN)
)


@export("math.special.dawsn")
@raw_op("Dawsn")
def dawsn(x: Any, name: str | None = None) -> Any:
    """Dawson's integral `exp(-x**2)` times that of `exp(t**2)` from 0 to x, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return dawsn_p(tensor(x))


@export("math.special.expint")
@raw_op("Expint")
def expint(x: Any, name: str | None = None) -> Any:
    """The exponential integral Ei(x), elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return expint_p(tensor(x))


@export("math.special.fresnel_cos")
@raw_op("FresnelCos")
def fresnel_cos(x: Any, name: str | None = None) -> Any:
    """Fresnel's cosine integral, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return fresnel_cos_p(tensor(x))


@export("math.special.fresnel_sin")
@raw_op("FresnelSin")
def fresnel_sin(x: Any, name: str | None = None) -> Any:
    """Fresnel's sine integral, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return fresnel_sin_p(tensor(x))


@export("math.special.spence")
@raw_op("Spence")
def spence(x: Any, name: str | None = None) -> Any:
    """Spence's integral of `log(t) / (1 - t)` from 1 to x, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return spence_p(tensor(x))
