"""The well-known causes of NaN and infinity, and ways to recognize and mend them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.declare.traits import Hazard


@export("debugging.Trap")
class Trap(enum.Enum):
    """A well-known cause of non-finite numbers. The value of a member describes the cause."""

    WHERE_BRANCH = "`where` over an unsafe branch"
    NORM_AT_ZERO = "the norm of a zero vector"
    SQRT_AT_ZERO = "the derivative of sqrt at 0"
    SQRT_OF_NEGATIVE = "the square root of a negative number"
    LOG_OF_ZERO = "log of 0"
    LOG_OF_NEGATIVE = "log of a negative number"
    DIVISION_BY_ZERO = "division by zero"
    POWER_AT_ZERO = "the derivative of a power at 0"
    POWER_OF_NEGATIVE = "a fractional power of a negative number"
    ZERO_TIMES_INFINITY = "0 * inf"
    OVERFLOW = "overflow"
    OUT_OF_DOMAIN = "an argument outside the function's domain, or at its edge"
    EMPTY_MEAN = "the mean of no elements"
    NOT_FINITE_BEFORE = "a number that was not finite to begin with"
    UNKNOWN = "no known trap"


MENDING = {
    Trap.WHERE_BRANCH: "the gradient of the branch that was not taken is 0 * inf = NaN. Make its "
    "argument safe before the function: x_safe = tf.where(ok, x, 1.0), and then "
    "tf.where(ok, f(x_safe), other).",
    Trap.NORM_AT_ZERO: (
        "a norm has no derivative at the zero vector: write tf.sqrt(tf.reduce_sum(x**2) + 1e-12), "
        "or use the squared norm."
    ),
    Trap.SQRT_AT_ZERO: (
        "the slope of sqrt at 0 is infinite: write tf.sqrt(x + 1e-12) or tf.sqrt(tf.maximum(x, "
        "1e-12)), or avoid the root."
    ),
    Trap.SQRT_OF_NEGATIVE: (
        "write tf.sqrt(tf.maximum(x, 0.0)) if rounding made x negative; otherwise, tf.cast x to a "
        "complex dtype."
    ),
    Trap.LOG_OF_ZERO: "tf.math.log(x + 1e-7), tf.math.log(tf.maximum(x, 1e-7)), tf.math.xlogy for "
    "x * log(y), tf.nn.log_softmax for the logarithm of a softmax, or a loss that takes "
    "from_logits=True.",
    Trap.LOG_OF_NEGATIVE: (
        "find out why the argument is negative, or write tf.math.log(tf.maximum(x, 1e-7))."
    ),
    Trap.DIVISION_BY_ZERO: (
        "use tf.math.divide_no_nan(x, y), which gives 0 where y is 0, or divide by y + 1e-12 or "
        "by tf.where(y == 0, 1.0, y)."
    ),
    Trap.POWER_AT_ZERO: "x**p has an infinite slope (or x**y a log(0) in the slope along y) at 0: "
    "(x + 1e-12)**p, or tf.where round both the argument and the result.",
    Trap.POWER_OF_NEGATIVE: "use an integer exponent, tf.abs(x)**p, or a complex dtype.",
    Trap.ZERO_TIMES_INFINITY: (
        "keep the factor finite where the other one is zero, with tf.where, or use "
        "tf.math.multiply_no_nan(x, y), which is 0 where y is 0."
    ),
    Trap.OVERFLOW: "the result is too large for {dtype}: tf.nn.softplus for log(1 + exp(x)), "
    "tf.reduce_logsumexp and tf.nn.log_softmax for sums of exponentials, "
    "tf.clip_by_value(x, -80, 80) before exp, a smaller step or loss scaling, or a wider dtype.",
    Trap.OUT_OF_DOMAIN: "clip the argument to the inside of the domain, as "
    "tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6) for acos and asin.",
    Trap.EMPTY_MEAN: "check for an empty batch or mask, or use tf.math.divide_no_nan(sum, count).",
    Trap.NOT_FINITE_BEFORE: (
        "find out where the operand comes from: data, a constant, an initial value or an "
        "assignment."
    ),
    Trap.UNKNOWN: "check the ranges of the operands.",
}


class Operand(NamedTuple):
    """The range of an operand.

    Attributes:
      name: Its name.
      shape, dtype: Its shape and dtype.
      low, high: The least and the greatest finite element (of the absolute values, if complex).
      zeros, nans, infinities: The number of such elements.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    low: float
    high: float
    zeros: int
    nans: int
    infinities: int

    @classmethod
    def of(cls, name: str, value: Any) -> Operand:
        """Returns the range of a raw value."""
        array = np.asarray(value)
        dtype = array.dtype.name
        if array.dtype.kind == "c":
            array = np.abs(array)
        elif array.dtype.kind == "V":  # bfloat16 and other types of ml_dtypes
            array = array.astype(np.float32)
        if array.dtype.kind not in "fiub":
            return cls(name, array.shape, dtype, 0, 0, 0, 0, 0)
        finite = array[np.isfinite(array)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
        nans = int(np.isnan(array).sum()) if array.dtype.kind == "f" else 0
        infinities = int(np.isinf(array).sum()) if array.dtype.kind == "f" else 0
        zeros = int((array == 0).sum())
        return cls(name, array.shape, dtype, low, high, zeros, nans, infinities)

    @property
    def finite(self) -> bool:
        """Whether all elements are finite."""
        return not self.nans and not self.infinities

    def __str__(self) -> str:
        counts = {"zero": self.zeros, "NaN": self.nans, "infinite": self.infinities}
        shown = "".join(f", {n} {kind}" for kind, n in counts.items() if n)
        span = f"{self.low:.6g}" if self.low == self.high else f"{self.low:.6g} to {self.high:.6g}"
        return f"{self.name}: shape {self.shape}, {self.dtype}, {span}{shown}"


_AT_ZERO = (Hazard.DIVISION, Hazard.INVERSE, Hazard.INVERSE_ROOT)
"""The hazards of operations that divide by an operand, or by a function that is 0 if the operand is
0."""


def forward(hazard: Hazard | None, operands: Sequence[Operand], *, nan: bool) -> Trap:
    """Returns the trap that explains an operation's non-finite result.

    Args:
      hazard: The hazard in its declaration.
      operands: Its operands' ranges.
      nan: Whether the result has at least one NaN.
    """
    if not operands:
        return Trap.UNKNOWN
    if not all(x.finite for x in operands):
        zero = any(x.zeros for x in operands) and any(x.infinities for x in operands)
        product = hazard is Hazard.PRODUCT and nan
        return Trap.ZERO_TIMES_INFINITY if zero and product else Trap.NOT_FINITE_BEFORE
    return _from_finite(hazard, operands[0], operands[-1], nan=nan)


def _from_finite(hazard: Hazard | None, first: Operand, last: Operand, *, nan: bool) -> Trap:
    found = Trap.UNKNOWN if nan else Trap.OVERFLOW
    if hazard is Hazard.LOGARITHM:
        found = Trap.LOG_OF_NEGATIVE if last.low < 0 and nan else Trap.LOG_OF_ZERO
    elif hazard is Hazard.DIVISION and last.zeros:
        found = Trap.DIVISION_BY_ZERO
    elif hazard is Hazard.POWER and first.low < 0 and nan:
        found = Trap.POWER_OF_NEGATIVE
    elif hazard in (Hazard.ROOT, Hazard.INVERSE_ROOT) and first.low < 0:
        found = Trap.SQRT_OF_NEGATIVE
    elif hazard in (Hazard.INVERSE, Hazard.INVERSE_ROOT, Hazard.POWER) and first.zeros:
        found = Trap.DIVISION_BY_ZERO
    elif hazard is Hazard.DOMAIN or (hazard is Hazard.INVERSE and nan):
        found = Trap.OUT_OF_DOMAIN
    elif hazard is Hazard.MEAN and 0 in first.shape:
        found = Trap.EMPTY_MEAN
    return found


def backward(
    hazard: Hazard | None, kept: Sequence[Operand], *, of_squares: bool, masked: bool
) -> Trap:
    """Returns the trap that explains the non-finite derivative of an operation.

    Args:
      hazard: The hazard in the operation's declaration.
      kept: The ranges of the values that its derivative needs.
      of_squares: Whether its argument is a sum of squares.
      masked: Whether the incoming gradient is zero where the outgoing one is non-finite.
    """
    zero = any(x.zeros for x in kept)
    found = Trap.ZERO_TIMES_INFINITY if masked else Trap.OVERFLOW
    if hazard is Hazard.NORM or (hazard is Hazard.ROOT and of_squares and zero):
        found = Trap.NORM_AT_ZERO
    elif hazard is Hazard.ROOT and zero:
        found = Trap.SQRT_AT_ZERO
    elif hazard is Hazard.LOGARITHM and zero:
        found = Trap.LOG_OF_ZERO
    elif hazard is Hazard.POWER and zero:
        found = Trap.POWER_AT_ZERO
    elif hazard in _AT_ZERO and zero:
        found = Trap.DIVISION_BY_ZERO
    elif hazard is Hazard.DOMAIN:
        found = Trap.OUT_OF_DOMAIN
    return found
