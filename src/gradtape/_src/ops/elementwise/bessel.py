"""Bessel functions.

Derivatives: NIST DLMF 10.6 and 10.29.
"""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.formulas import number, scipy
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.declare.families import FLOATING
from gradtape._src.declare.pointwise import unary
from gradtape._src.declare.traits import Hazard, Traits
from gradtape._src.ops.elementwise.arithmetic import sign_p
from gradtape._src.ops.elementwise.comparison import is_zero_p


def _over_x(numerator: Any, x: Any) -> Any:
    """`f(x) / x` for an odd f with derivative 1/2 at 0, where the quotient's derivative is 0."""
    zero = is_zero_p(x)
    return numerator * (1 - zero) / (x + zero) + number(0.5, x) * zero


bessel_i0_p: Bound = unary("BesselI0", scipy("i0"), lambda x: bessel_i1_p(x), FLOATING)
bessel_i1_p: Bound = unary(
    "BesselI1", scipy("i1"), lambda x, out: bessel_i0_p(x) - _over_x(out, x), FLOATING
)
bessel_i0e_p: Bound = unary(
    "BesselI0e", scipy("i0e"), lambda x, out: bessel_i1e_p(x) - sign_p(x) * out, FLOATING
)
bessel_i1e_p: Bound = unary(
    "BesselI1e",
    scipy("i1e"),
    lambda x, out: bessel_i0e_p(x) - _over_x(out, x) - sign_p(x) * out,
    FLOATING,
)
bessel_j0_p: Bound = unary("BesselJ0", scipy("j0"), lambda x: -bessel_j1_p(x), FLOATING)
bessel_j1_p: Bound = unary(
    "BesselJ1", scipy("j1"), lambda x, out: bessel_j0_p(x) - _over_x(out, x), FLOATING
)
bessel_y0_p: Bound = unary(
    "BesselY0",
    scipy("y0"),
    lambda x: -bessel_y1_p(x),
    FLOATING,
    traits=Traits(hazard=Hazard.INVERSE),
)
bessel_y1_p: Bound = unary(
    "BesselY1",
    scipy("y1"),
    lambda x, out: bessel_y0_p(x) - out / x,
    FLOATING,
    traits=Traits(hazard=Hazard.INVERSE),
)
bessel_k0_p: Bound = unary(
    "BesselK0",
    scipy("k0"),
    lambda x: -bessel_k1_p(x),
    FLOATING,
    traits=Traits(hazard=Hazard.INVERSE),
)
bessel_k1_p: Bound = unary(
    "BesselK1",
    scipy("k1"),
    lambda x, out: -bessel_k0_p(x) - out / x,
    FLOATING,
    traits=Traits(hazard=Hazard.INVERSE),
)
bessel_k0e_p: Bound = unary(
    "BesselK0e",
    scipy("k0e"),
    lambda x, out: out - bessel_k1e_p(x),
    FLOATING,
    traits=Traits(hazard=Hazard.INVERSE),
)
bessel_k1e_p: Bound = unary(
    "BesselK1e",
    scipy("k1e"),
    lambda x, out: out * (1 - 1 / x) - bessel_k0e_p(x),
    FLOATING,
    traits=Traits(hazard=Hazard.INVERSE),
)


@export("math.bessel_i0", "math.special.bessel_i0")
@raw_op("BesselI0")
def bessel_i0(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of the first kind of order 0, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_i0_p(tensor(x))


@export("math.bessel_i0e", "math.special.bessel_i0e")
@raw_op("BesselI0e")
def bessel_i0e(x: Any, name: str | None = None) -> Any:
    """`exp(-|x|) * bessel_i0(x)`, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_i0e_p(tensor(x))


@export("math.bessel_i1", "math.special.bessel_i1")
@raw_op("BesselI1")
def bessel_i1(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of the first kind of order 1, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_i1_p(tensor(x))


@export("math.bessel_i1e", "math.special.bessel_i1e")
@raw_op("BesselI1e")
def bessel_i1e(x: Any, name: str | None = None) -> Any:
    """`exp(-|x|) * bessel_i1(x)`, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_i1e_p(tensor(x))


@export("math.special.bessel_j0")
@raw_op("BesselJ0")
def bessel_j0(x: Any, name: str | None = None) -> Any:
    """The Bessel function of the first kind of order 0, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_j0_p(tensor(x))


@export("math.special.bessel_j1")
@raw_op("BesselJ1")
def bessel_j1(x: Any, name: str | None = None) -> Any:
    """The Bessel function of the first kind of order 1, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_j1_p(tensor(x))


@export("math.special.bessel_k0")
@raw_op("BesselK0")
def bessel_k0(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of the second kind of order 0, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_k0_p(tensor(x))


@export("math.special.bessel_k0e")
@raw_op("BesselK0e")
def bessel_k0e(x: Any, name: str | None = None) -> Any:
    """`exp(x) * bessel_k0(x)`, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_k0e_p(tensor(x))


@export("math.special.bessel_k1")
@raw_op("BesselK1")
def bessel_k1(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of the second kind of order 1, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_k1_p(tensor(x))


@export("math.special.bessel_k1e")
@raw_op("BesselK1e")
def bessel_k1e(x: Any, name: str | None = None) -> Any:
    """`exp(x) * bessel_k1(x)`, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_k1e_p(tensor(x))


@export("math.special.bessel_y0")
@raw_op("BesselY0")
def bessel_y0(x: Any, name: str | None = None) -> Any:
    """The Bessel function of the second kind of order 0, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_y0_p(tensor(x))


@export("math.special.bessel_y1")
@raw_op("BesselY1")
def bessel_y1(x: Any, name: str | None = None) -> Any:
    """The Bessel function of the second kind of order 1, elementwise.

    Args:
      x: A floating tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: `x` has another dtype.
    """
    return bessel_y1_p(tensor(x))
