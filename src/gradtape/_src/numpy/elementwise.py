"""`tf.experimental.numpy`: elementwise functions, with NumPy's promotion and our derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from gradtape._src.base.dispatch import shorten_errors
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.export import export, export_value
from gradtape._src.core.tensor import Tensor
from gradtape._src.numpy.arrays import array, asarray, default, floating, promoted
from gradtape._src.ops.array.creation import zeros_like
from gradtape._src.ops.elementwise import (
    arithmetic,
    bitwise,
    comparison,
    complex_numbers,
    division,
    exponential,
    logical,
    powers,
    rounding,
    selection,
    trigonometric,
)
from gradtape._src.ops.elementwise.casting import cast

Unary = Callable[[Any], Tensor]
Binary = Callable[[Any, Any], Tensor]


def _named(function: Any, name: str, first_line: str) -> Any:
    function.__code__ = function.__code__.replace(co_name=name, co_qualname=name)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = first_line
    shorten_errors(function)
    return function


def _float(name: str, run: Callable[[Any], Any], what: str) -> Unary:
    """Returns a function of real or complex numbers: integers become float64 first."""
    out: Unary = _named(lambda x: run(floating(x)), name, f"{what}, elementwise.")
    return out


def _same(name: str, run: Callable[[Any], Any], what: str) -> Unary:
    """Returns a function that keeps the dtype of its argument."""
    out: Unary = _named(lambda x: run(asarray(x)), name, f"{what}, elementwise.")
    return out


def _two(
    name: str, run: Callable[[Any, Any], Tensor], what: str, *, float_: bool = False
) -> Binary:
    """Returns a function of two arguments, promoted as NumPy promotes them."""

    def function(x1: Any, x2: Any) -> Tensor:
        return run(*promoted(x1, x2, floating=float_))

    out: Binary = _named(function, name, f"{what}, elementwise.")
    return out


def _truth(x: Any) -> Any:
    """Returns whether elements differ from zero."""
    x = asarray(x)
    return x if x.dtype.name == "bool" else cast(x, "bool")


def _logical(name: str, run: Callable[..., Any], what: str) -> Binary:
    def function(x1: Any, x2: Any) -> Tensor:
        out: Tensor = run(_truth(x1), _truth(x2))
        return out

    out: Binary = _named(function, name, f"{what} of booleans or numbers, elementwise.")
    return out


def _for_truth(run: Callable[..., Any], truth: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function with a separate case for booleans, whose sum, for example, is `or`."""
    return lambda x, y: (truth if x.dtype.name == "bool" else run)(x, y)


sin = _float("sin", trigonometric.sin, "The sine")
cos = _float("cos", trigonometric.cos, "The cosine")
tan = _float("tan", trigonometric.tan, "The tangent")
arcsin = _float("arcsin", trigonometric.asin, "The inverse sine")
arccos = _float("arccos", trigonometric.acos, "The inverse cosine")
arctan = _float("arctan", trigonometric.atan, "The inverse tangent")
sinh = _float("sinh", trigonometric.sinh, "The hyperbolic sine")
cosh = _float("cosh", trigonometric.cosh, "The hyperbolic cosine")
tanh = _float("tanh", trigonometric.tanh, "The hyperbolic tangent")
arcsinh = _float("arcsinh", trigonometric.asinh, "The inverse hyperbolic sine")
arccosh = _float("arccosh", trigonometric.acosh, "The inverse hyperbolic cosine")
arctanh = _float("arctanh", trigonometric.atanh, "The inverse hyperbolic tangent")
exp = _float("exp", exponential.exp, "The exponential")
exp2 = _float("exp2", lambda x: array(2, x.dtype) ** x, "The power of 2")
expm1 = _float("expm1", exponential.expm1, "exp(x) - 1")
log = _float("log", exponential.log, "The natural logarithm")
log1p = _float("log1p", exponential.log1p, "log(1 + x)")
log2 = _float("log2", lambda x: exponential.log(x) / math.log(2), "The logarithm to the base 2")
log10 = _float("log10", lambda x: exponential.log(x) / math.log(10), "The logarithm to the base 10")
sqrt = _float("sqrt", powers.sqrt, "The square root")
cbrt = _float(
    "cbrt",
    lambda x: arithmetic.sign(x) * arithmetic.abs(x) ** (1 / 3),
    "The real cube root",
)
ceil = _float("ceil", rounding.ceil, "The integer above")
floor = _float("floor", rounding.floor, "The integer below")
deg2rad = _float("deg2rad", lambda x: x * (math.pi / 180), "Degrees in radians")
rad2deg = _float("rad2deg", lambda x: x * (180 / math.pi), "Radians in degrees")
fix = _float(
    "fix",
    lambda x: selection.where(x < 0, rounding.ceil(x), rounding.floor(x)),
    "The next integer towards zero",
)


def _sinc(x: Any) -> Any:
    turn = math.pi * x
    zero = x == 0
    one = array(1, x.dtype)
    return selection.where(zero, one, trigonometric.sin(turn) / selection.where(zero, one, turn))


sinc = _float("sinc", _sinc, "sin(πx) / (πx)")

abs = absolute = fabs = _same("abs", arithmetic.abs, "The absolute value")
negative = _same("negative", arithmetic.negative, "The value with the opposite sign")
positive = _same("positive", lambda x: x, "The value itself")
square = _same("square", powers.square, "The square")
reciprocal = _same("reciprocal", division.reciprocal, "1 / x")
conj = conjugate = _same("conj", complex_numbers.conj, "The complex conjugate")
real: Callable[[Any], Tensor] = _named(
    lambda val: complex_numbers.real(asarray(val)), "real", "The real part, elementwise."
)
bitwise_not = _same(
    "bitwise_not",
    lambda x: (logical.logical_not if x.dtype.is_bool else bitwise.invert)(x),
    "The bitwise inverse, `not` of truth values",
)
signbit = _same(
    "signbit",
    lambda x: cast(np.zeros(x.shape), "bool") if x.dtype.name == "bool" else x < 0,
    "Whether a number is negative",
)
isfinite = _float("isfinite", comparison.is_finite, "Whether a number is finite")
isinf = _float("isinf", comparison.is_inf, "Whether a number is infinite")
isnan = _float("isnan", comparison.is_nan, "Whether a value is not a number")
isposinf = _float("isposinf", lambda x: x == math.inf, "Whether a number is plus infinity")
isneginf = _float("isneginf", lambda x: x == -math.inf, "Whether a number is minus infinity")


@export("experimental.numpy.imag")
def imag(val: Any) -> Tensor:
    """Returns the imaginary part, zeros for real numbers.

    Args:
      val: An array or array-like object.

    Returns:
      A real tensor of the shape of `val`.
    """
    val = asarray(val)
    return complex_numbers.imag(val) if val.dtype.is_complex else zeros_like(val)


@export("experimental.numpy.iscomplex")
def iscomplex(x: Any) -> Tensor:
    """Tests whether numbers have an imaginary part, element by element.

    Args:
      x: An array or array-like object.

    Returns:
      A bool tensor of the shape of `x`.
    """
    return imag(x) != 0


def _quotient(x: Any, y: Any) -> Any:
    """Divides; integers of 8 and 16 bits become float32, other integers and booleans float64."""
    if x.dtype.is_bool:
        x, y = floating(x), floating(y)
    return division.truediv(x, y)


@export("experimental.numpy.isreal")
def isreal(x: Any) -> Tensor:
    """Tests whether numbers have no imaginary part, element by element.

    Args:
      x: An array or array-like object.

    Returns:
      A bool tensor of the shape of `x`.
    """
    return imag(x) == 0


@export("experimental.numpy.angle")
def angle(z: Any, deg: bool = False) -> Tensor:
    """Computes the angle of complex numbers.

    Args:
      z: An array or array-like object.
      deg: Whether the result is in degrees rather than radians.

    Returns:
      A real tensor of the shape of `z`.
    """
    z = asarray(z)
    if z.dtype in ("float16", "float64"):
        z = cast(z, "float32")  # TensorFlow's dtype for real numbers
    made = complex_numbers.angle(floating(z))
    return made * (180 / math.pi) if deg else made


@export("experimental.numpy.sign")
def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Tensor:
    """Returns the sign of each element: -1, 0 or 1.

    Args:
      x: An array or array-like object.
      out: Must be None, as a tensor cannot be written into.
      where: Must be None.
      **kwargs: Must be empty.

    Returns:
      A tensor of the shape and dtype of `x`.

    Raises:
      ValueError: `out`, `where` or another argument is given.
    """
    if out is not None or where is not None or kwargs:
        raise ValueError("tf.experimental.numpy.sign takes x only: a tensor can't be written into")
    return arithmetic.sign(asarray(x))


add = _two("add", _for_truth(arithmetic.add, logical.logical_or), "The sum, `or` of truth values")
subtract = _two("subtract", arithmetic.subtract, "The difference")
multiply = _two(
    "multiply",
    _for_truth(arithmetic.multiply, logical.logical_and),
    "The product, `and` of truth values",
)
divide = true_divide = _two("divide", _quotient, "The quotient")
floor_divide = _two("floor_divide", division.floordiv, "The quotient rounded down")
mod = remainder = _two("mod", division.floormod, "The remainder, of the divisor's sign")
power = float_power = _two("power", powers.pow, "The power")
maximum = _two(
    "maximum", _for_truth(selection.maximum, logical.logical_or), "The larger of two numbers"
)
minimum = _two(
    "minimum", _for_truth(selection.minimum, logical.logical_and), "The smaller of two numbers"
)
arctan2 = _two("arctan2", trigonometric.atan2, "The angle of (x2, x1)", float_=True)
hypot = _two(
    "hypot",
    lambda x, y: powers.sqrt(x * x + y * y),
    "The length of the vector (x1, x2)",
    float_=True,
)
nextafter = _two("nextafter", rounding.nextafter, "The next number towards x2", float_=True)
bitwise_and = _two("bitwise_and", lambda x, y: x & y, "The bitwise AND")
bitwise_or = _two("bitwise_or", lambda x, y: x | y, "The bitwise OR")
bitwise_xor = _two("bitwise_xor", lambda x, y: x ^ y, "The bitwise XOR")
equal = _two("equal", comparison.equal, "Whether two numbers are equal")
not_equal = _two("not_equal", comparison.not_equal, "Whether two numbers differ")
greater = _two("greater", comparison.greater, "Whether x1 > x2")
greater_equal = _two("greater_equal", comparison.greater_equal, "Whether x1 >= x2")
less = _two("less", comparison.less, "Whether x1 < x2")
less_equal = _two("less_equal", comparison.less_equal, "Whether x1 <= x2")
logical_and = _logical("logical_and", logical.logical_and, "The logical AND")
logical_or = _logical("logical_or", logical.logical_or, "The logical OR")
logical_xor = _logical("logical_xor", logical.logical_xor, "The logical XOR")
logical_not: Unary = _named(
    lambda x: logical.logical_not(_truth(x)),
    "logical_not",
    "The logical NOT of booleans or numbers, elementwise.",
)


def _logaddexp(x: Any, y: Any) -> Any:
    return selection.maximum(x, y) + exponential.log1p(exponential.exp(-arithmetic.abs(x - y)))


def _logaddexp2(x: Any, y: Any) -> Any:
    """Computes log2(2**x + 2**y); scaling only the difference keeps large numbers exact."""
    power = exponential.exp(-arithmetic.abs(x - y) * math.log(2))
    return selection.maximum(x, y) + exponential.log1p(power) / math.log(2)


logaddexp = _two("logaddexp", _logaddexp, "log(exp(x1) + exp(x2))", float_=True)
logaddexp2 = _two(
    "logaddexp2",
    _logaddexp2,
    "log2(2**x1 + 2**x2)",
    float_=True,
)


def _gcd(x: Any, y: Any) -> Any:
    """Returns the greatest common divisor, by Euclid's algorithm."""
    zero, one = array(0, x.dtype), array(1, x.dtype)
    while np.any(y._numpy()):
        over = y == zero
        rest = division.floormod(x, selection.where(over, one, y))
        x, y = selection.where(over, x, y), selection.where(over, zero, rest)
    return arithmetic.abs(x)


def _lcm(x: Any, y: Any) -> Any:
    common = selection.maximum(_gcd(x, y), array(1, x.dtype))
    return arithmetic.abs(division.floordiv(x, common) * y)


def _whole(name: str, run: Callable[[Any, Any], Tensor], what: str) -> Binary:
    """Returns a function of two integer arrays."""

    def function(x1: Any, x2: Any) -> Tensor:
        x1, x2 = promoted(x1, x2)
        if not x1.dtype.is_integer:
            raise ValueError(f"Arguments to {name} must be integers, got {x1.dtype.name}.")
        return run(x1, x2)

    out: Binary = _named(function, name, f"{what}, elementwise.")
    return out


gcd = _whole("gcd", _gcd, "The greatest common divisor of two integers")
lcm = _whole("lcm", _lcm, "The least common multiple of two integers")


@export("experimental.numpy.divmod")
def divmod_(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """Computes the quotient, rounded down, and the remainder.

    Args:
      x1: An array or array-like object.
      x2: The divisor; broadcasts against `x1`.

    Returns:
      A pair of tensors.
    """
    return floor_divide(x1, x2), mod(x1, x2)


@export("experimental.numpy.heaviside")
def heaviside(x1: Any, x2: Any) -> Tensor:
    """Returns 0 where x1 < 0, x2 where x1 is 0, and 1 where x1 > 0.

    Args:
      x1: An array or array-like object.
      x2: The value at 0; broadcasts against `x1`.

    Returns:
      A tensor.
    """
    x1, x2 = promoted(x1, x2, floating=True)
    zero, one = array(0, x1.dtype), array(1, x1.dtype)
    return selection.where(x1 < 0, zero, selection.where(x1 > 0, one, x2))


@export("experimental.numpy.clip")
def clip(a: Any, a_min: Any, a_max: Any) -> Tensor:
    """Clips values to two bounds; the lower bound wins if they contradict each other.

    Args:
      a: An array or array-like object.
      a_min: The lower bound, or None.
      a_max: The upper bound, or None.

    Returns:
      A tensor.

    Raises:
      ValueError: Both are None.
    """
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is None:
        return minimum(a, a_max)
    return maximum(a if a_max is None else minimum(a, a_max), a_min)


@export("experimental.numpy.around")
def around(a: Any, decimals: int = 0) -> Tensor:
    """Rounds to a number of decimals, halves to the even neighbour.

    Args:
      a: An array or array-like object.
      decimals: The number of decimals.

    Returns:
      A tensor of the shape of `a`.
    """
    a = asarray(a)
    kind = a.dtype
    if kind.is_integer and decimals >= 0:
        return a if decimals else cast(floating(a), default(np.float64))
    x = floating(a)
    scale = 10.0 ** math.fabs(decimals)
    moved = x * scale if decimals >= 0 else x / scale
    moved = rounding.round(moved)
    return cast(moved / scale if decimals >= 0 else moved * scale, kind)


round = around


@export("experimental.numpy.isclose")
def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Returns whether |a - b| <= atol + rtol·|b|, elementwise.

    Args:
      a: Numbers.
      b: The values to compare with.
      rtol: The relative tolerance.
      atol: The absolute tolerance.
      equal_nan: Whether two values that are not numbers are close.

    Returns:
      A bool tensor.
    """
    a, b = promoted(a, b)
    if not (a.dtype.is_floating or a.dtype.is_complex):
        return comparison.equal(a, b)
    made = comparison.less_equal(arithmetic.abs(a - b), atol + rtol * arithmetic.abs(b))
    if not a.dtype.is_complex:
        infinite = logical.logical_or(comparison.is_inf(a), comparison.is_inf(b))
        made = selection.where(infinite, comparison.equal(a, b), made)
    if equal_nan:
        both = logical.logical_and(comparison.is_nan(a), comparison.is_nan(b))
        made = logical.logical_or(made, both)
    return made


@overload
def where(condition: Any) -> list[Tensor]: ...
@overload
def where(condition: Any, x: Any, y: Any) -> Tensor: ...
@export("experimental.numpy.where")
def where(condition: Any, x: Any = None, y: Any = None) -> Tensor | list[Tensor]:
    """Chooses between two arrays by a condition, or finds where the condition holds.

    Args:
      condition: An array of truth values.
      x: The values where the condition holds.
      y: The values elsewhere.

    Returns:
      A tensor; without `x` and `y`, a list with a vector of indices for each axis.

    Raises:
      ValueError: Only one of x and y is given.
    """
    truth = _truth(condition)
    if x is None and y is None:
        return [array(axis) for axis in np.nonzero(truth._numpy())]
    if x is None or y is None:
        raise ValueError("Both x and y must be specified, or neither.")
    first, second = promoted(x, y)
    return selection.where(truth, first, second)


@export("experimental.numpy.select")
def select_(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """Returns, for each position, the element of the first choice whose condition is true.

    Args:
      condlist: The conditions.
      choicelist: The choices, one array for each condition.
      default: The value at positions where all conditions are false.

    Returns:
      A tensor.

    Raises:
      ValueError: There are no conditions, or the numbers of conditions and choices differ.
    """
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ValueError(
            f"condlist and choicelist must be of one length above 0, got {len(condlist)} and "
            f"{len(choicelist)}"
        )
    *choices, made = promoted(*choicelist, default)
    for condition, choice in zip(reversed(list(condlist)), reversed(choices), strict=True):
        made = selection.where(_truth(condition), choice, made)
    return made


def as_type(x: Any, dtype: Any) -> Tensor:
    """Returns the value in another dtype."""
    return cast(asarray(x), as_dtype(dtype))


export_value(abs, "experimental.numpy.abs")
export_value(absolute, "experimental.numpy.absolute")
export_value(add, "experimental.numpy.add")
export_value(arccos, "experimental.numpy.arccos")
export_value(arccosh, "experimental.numpy.arccosh")
export_value(arcsin, "experimental.numpy.arcsin")
export_value(arcsinh, "experimental.numpy.arcsinh")
export_value(arctan, "experimental.numpy.arctan")
export_value(arctan2, "experimental.numpy.arctan2")
export_value(arctanh, "experimental.numpy.arctanh")
export_value(bitwise_and, "experimental.numpy.bitwise_and")
export_value(bitwise_not, "experimental.numpy.bitwise_not")
export_value(bitwise_or, "experimental.numpy.bitwise_or")
export_value(bitwise_xor, "experimental.numpy.bitwise_xor")
export_value(cbrt, "experimental.numpy.cbrt")
export_value(ceil, "experimental.numpy.ceil")
export_value(conj, "experimental.numpy.conj")
export_value(conjugate, "experimental.numpy.conjugate")
export_value(cos, "experimental.numpy.cos")
export_value(cosh, "experimental.numpy.cosh")
export_value(deg2rad, "experimental.numpy.deg2rad")
export_value(divide, "experimental.numpy.divide")
export_value(equal, "experimental.numpy.equal")
export_value(exp, "experimental.numpy.exp")
export_value(exp2, "experimental.numpy.exp2")
export_value(expm1, "experimental.numpy.expm1")
export_value(fabs, "experimental.numpy.fabs")
export_value(fix, "experimental.numpy.fix")
export_value(float_power, "experimental.numpy.float_power")
export_value(floor, "experimental.numpy.floor")
export_value(floor_divide, "experimental.numpy.floor_divide")
export_value(gcd, "experimental.numpy.gcd")
export_value(greater, "experimental.numpy.greater")
export_value(greater_equal, "experimental.numpy.greater_equal")
export_value(hypot, "experimental.numpy.hypot")
export_value(isfinite, "experimental.numpy.isfinite")
export_value(isinf, "experimental.numpy.isinf")
export_value(isnan, "experimental.numpy.isnan")
export_value(isneginf, "experimental.numpy.isneginf")
export_value(isposinf, "experimental.numpy.isposinf")
export_value(lcm, "experimental.numpy.lcm")
export_value(less, "experimental.numpy.less")
export_value(less_equal, "experimental.numpy.less_equal")
export_value(log, "experimental.numpy.log")
export_value(log1p, "experimental.numpy.log1p")
export_value(log2, "experimental.numpy.log2")
export_value(log10, "experimental.numpy.log10")
export_value(logaddexp, "experimental.numpy.logaddexp")
export_value(logaddexp2, "experimental.numpy.logaddexp2")
export_value(logical_and, "experimental.numpy.logical_and")
export_value(logical_not, "experimental.numpy.logical_not")
export_value(logical_or, "experimental.numpy.logical_or")
export_value(logical_xor, "experimental.numpy.logical_xor")
export_value(maximum, "experimental.numpy.maximum")
export_value(minimum, "experimental.numpy.minimum")
export_value(mod, "experimental.numpy.mod")
export_value(multiply, "experimental.numpy.multiply")
export_value(negative, "experimental.numpy.negative")
export_value(nextafter, "experimental.numpy.nextafter")
export_value(not_equal, "experimental.numpy.not_equal")
export_value(positive, "experimental.numpy.positive")
export_value(power, "experimental.numpy.power")
export_value(rad2deg, "experimental.numpy.rad2deg")
export_value(real, "experimental.numpy.real")
export_value(reciprocal, "experimental.numpy.reciprocal")
export_value(remainder, "experimental.numpy.remainder")
export_value(round, "experimental.numpy.round")
export_value(signbit, "experimental.numpy.signbit")
export_value(sin, "experimental.numpy.sin")
export_value(sinc, "experimental.numpy.sinc")
export_value(sinh, "experimental.numpy.sinh")
export_value(sqrt, "experimental.numpy.sqrt")
export_value(square, "experimental.numpy.square")
export_value(subtract, "experimental.numpy.subtract")
export_value(tan, "experimental.numpy.tan")
export_value(tanh, "experimental.numpy.tanh")
export_value(true_divide, "experimental.numpy.true_divide")
