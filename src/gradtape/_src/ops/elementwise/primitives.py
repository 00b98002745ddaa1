"""Elementwise arithmetic, comparison, logic and elementary functions: the primitives."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradtape._src.base.dtype_overrides import STAND_INS
from gradtape._src.base.dtypes import bool_, string
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.compute import formulas
from gradtape._src.core.primitive import Bound
from gradtape._src.declare.families import (
    FLOATING,
    INEXACT,
    INTEGER,
    NUMERIC,
    REAL,
    SIGNED,
)
from gradtape._src.declare.pointwise import binary, itself_out, itself_x, itself_y, unary
from gradtape._src.declare.pointwise import mul_no_nan_p as mul_no_nan_p
from gradtape._src.declare.traits import Hazard, Traits

# Kernels from `operator` are ten times faster than ufuncs on NumPy scalars. Constants in rules are
# whole numbers, which keep the dtype of every value.

BOOL = frozenset({np.bool_})
_ndarray = np.ndarray

# Arithmetic.

add_p = binary("AddV2", operator.add, 1, 1)
sub_p = binary("Sub", operator.sub, 1, -1)
mul_p = binary("Mul", operator.mul, itself_y, itself_x, traits=Traits(hazard=Hazard.PRODUCT))
div_p = binary(
    "RealDiv",
    operator.truediv,
    lambda y: 1 / y,
    lambda y, out: -out / y,
    INEXACT,
    traits=Traits(hazard=Hazard.DIVISION),
)
neg_p = unary("Neg", operator.neg, -1, INEXACT | SIGNED, traits=Traits(passes_on=True))
reciprocal_p = unary(
    "Reciprocal",
    lambda x: 1 / x,
    lambda out: -(out * out),
    guarded=True,
    traits=Traits(hazard=Hazard.INVERSE),
)
square_p = unary("Square", lambda x: x * x, lambda x: 2 * x, NUMERIC)
squared_difference_p = binary(
    "SquaredDifference",
    lambda x, y: _squared_difference(x, y),
    lambda x, y: 2 * (x - y),
    lambda x, y: 2 * (y - x),
)


def _squared_difference(x: Any, y: Any) -> Any:
    d = x - y
    return d * np.conjugate(d) if d.dtype.kind == "c" else d * d


def _whole(kernel: Any, name: str) -> Any:
    """An integer division that raises where NumPy warns and gives 0."""

    def divide(x: Any, y: Any) -> Any:
        if y.dtype.kind in "iu" and not np.all(y):
            raise InvalidArgumentError(
                None, None, f"Integer division by zero [Op:{name}] (mask or clip the divisor `y`)"
            )
        return kernel(x, y)

    return divide


def _truncated_quotient(x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        return (x - np.fmod(x, y)) // y
    return np.trunc(x / y)


def _floor_quotient(x: Any, y: Any) -> Any:
    """The rounded quotient: NumPy's floor_divide has NaN for infinities, and 9 for 1 // 0.1."""
    return np.floor_divide(x, y) if x.dtype.kind in "iu" else np.floor(x / y)


floordiv_p = binary(
    "FloorDiv",
    _whole(_floor_quotient, "FloorDiv"),
    None,
    None,
    REAL,
    traits=Traits(hazard=Hazard.DIVISION),
)
mod_p = binary(
    "FloorMod",
    _whole(np.mod, "FloorMod"),
    1,
    lambda x, y: -floordiv_p(x, y),
    REAL,
    traits=Traits(hazard=Hazard.DIVISION),
)
truncatediv_p = binary(
    "TruncateDiv",
    _whole(_truncated_quotient, "TruncateDiv"),
    None,
    None,
    REAL,
    traits=Traits(hazard=Hazard.DIVISION),
)
truncatemod_p = binary(
    "TruncateMod",
    _whole(np.fmod, "TruncateMod"),
    1,
    lambda x, y: -truncatediv_p(x, y),
    REAL,
    traits=Traits(hazard=Hazard.DIVISION),
)


def _divide_no_nan(x: Any, y: Any) -> Any:
    if type(y) is not _ndarray:
        return x / y if y else x * 0 if np.all(np.isfinite(x)) else np.zeros_like(x)[()]
    zero = y == 0
    out = np.divide(x, y + zero if y.dtype.kind in "fc" else y)
    return formulas.select(_spread(zero, out), out.dtype.type(0), out) if zero.any() else out


def _spread(mask: Any, out: Any) -> Any:
    return mask if mask.shape == out.shape else np.broadcast_to(mask, out.shape)


div_no_nan_p: Bound = binary(
    "DivNoNan",
    _divide_no_nan,
    lambda y: reciprocal_no_nan_p(y),
    lambda y, out: 0 - div_no_nan_p(out, y),  # 0, not -0
    INEXACT,
)
reciprocal_no_nan_p: Bound = unary(
    "ReciprocalNoNan",
    lambda x: _divide_no_nan(x.dtype.type(1), x),
    lambda out: -(out * out),
)


not_zero_p: Bound = unary("NotZero", lambda x: (x != 0).astype(x.dtype), None)

# Powers: `np.power` costs fifty multiplications.

_SMALL = {2, 3, 4}


def _pow(x: Any, y: Any) -> Any:
    if type(x) is not _ndarray:
        return np.power(x, y) if type(y) is _ndarray else _scalar_pow(x, y)
    if y.size == 1 and y.dtype.kind == "f" and y.ndim <= x.ndim and x.dtype.itemsize > 2:
        n = float(y.item())
        if n in _SMALL:
            square = x * x
            return square if n == 2 else square * (x if n == 3 else square)
        if n == 1:
            return x
        if n == 0.5:  # np.power takes the square root, which has NaN for -inf and -0 for -0
            root = np.sqrt(x) + y.dtype.type(0)
            return (
                np.where(x == -np.inf, x.dtype.type(np.inf), root) if np.isnan(root).any() else root
            )
        if n == -1:
            return 1 / x
    return np.power(x, y)


def _scalar_pow(x: Any, y: Any) -> Any:
    return x**y if x.dtype.kind in "fc" else np.power(x, y)


pow_p: Bound = binary(
    "Pow",
    _pow,
    lambda x, y: y * pow_p(x, y - 1),
    lambda x, out: out * safe_log_p(x),
    INEXACT | SIGNED,
    traits=Traits(hazard=Hazard.POWER),
)


def _safe_log(x: Any) -> Any:
    if x.dtype.kind == "c":
        zero = x == 0
        return np.where(zero, x.dtype.type(0), np.log(x + zero))[()]
    positive = x > 0
    if type(x) is not _ndarray:
        return np.log(x) if positive else x.dtype.type(0)
    return formulas.select(
        positive, np.log(formulas.select(positive, x, x.dtype.type(1))), x.dtype.type(0)
    )


def _safe_reciprocal(x: Any) -> Any:
    positive = x != 0 if x.dtype.kind == "c" else x > 0
    if type(x) is not _ndarray:
        return 1 / x if positive else x.dtype.type(0)
    return np.divide(positive, np.where(positive, x, x.dtype.type(1)), dtype=x.dtype)


# log(x) and 1 / x where x > 0 (x != 0 if complex), else 0: what a power's exponent multiplies.
safe_log_p: Bound = unary("SafeLog", _safe_log, lambda x: safe_reciprocal_p(x))
safe_reciprocal_p: Bound = unary("SafeReciprocal", _safe_reciprocal, lambda out: -(out * out))

# Comparison and logic.


def _join(x: Any, y: Any) -> Any:
    out = np.empty(np.broadcast_shapes(x.shape, y.shape), object)
    out[...] = x + y
    return out


less_p = binary("Less", operator.lt, None, None, REAL)
less_equal_p = binary("LessEqual", operator.le, None, None, REAL)
greater_p = binary("Greater", operator.gt, None, None, REAL)
greater_equal_p = binary("GreaterEqual", operator.ge, None, None, REAL)
equal_p = binary("Equal", operator.eq, None, None, None)
not_equal_p = binary("NotEqual", operator.ne, None, None, None)

logical_and_p = binary("LogicalAnd", np.logical_and, None, None, BOOL)
logical_or_p = binary("LogicalOr", np.logical_or, None, None, BOOL)
logical_not_p = unary("LogicalNot", np.logical_not, None, BOOL)
string_join_p = binary("StringJoin", _join, None, None, frozenset({np.object_}))
STAND_INS["AddV2", string] = string_join_p
STAND_INS["Mul", bool_] = logical_and_p

bitwise_and_p = binary("BitwiseAnd", operator.and_, None, None, INTEGER)
bitwise_or_p = binary("BitwiseOr", operator.or_, None, None, INTEGER)
bitwise_xor_p = binary("BitwiseXor", operator.xor, None, None, INTEGER)
invert_p = unary("Invert", operator.invert, None, INTEGER)


def _within(y: Any) -> Any:
    return np.clip(y, 0, y.dtype.itemsize * 8 - 1)


left_shift_p = binary("LeftShift", lambda x, y: np.left_shift(x, _within(y)), None, None, INTEGER)
right_shift_p = binary(
    "RightShift", lambda x, y: np.right_shift(x, _within(y)), None, None, INTEGER
)

is_nan_p = unary("IsNan", np.isnan, None, FLOATING)
is_inf_p = unary("IsInf", np.isinf, None, FLOATING)
is_finite_p = unary("IsFinite", np.isfinite, None, FLOATING)

# Rounding and signs.

floor_p = unary("Floor", np.floor, None, FLOATING)
ceil_p = unary("Ceil", np.ceil, None, FLOATING)
round_p = unary("Round", np.rint, None, NUMERIC)
rint_p = unary("Rint", np.rint, None, FLOATING)


def _sign(x: Any) -> Any:
    return np.sign(x) if x.dtype.kind != "c" else np.sign(x).astype(x.dtype)


sign_p = unary("Sign", _sign, 0, INEXACT | SIGNED, traits=Traits(passes_on=True))
abs_p = unary(
    "Abs", operator.abs, lambda x: sign_p(x), FLOATING | SIGNED, traits=Traits(passes_on=True)
)
next_after_p = binary("NextAfter", np.nextafter, 1, 0, frozenset({np.float32, np.float64}))

# Exponentials and logarithms.

exp_p = unary("Exp", formulas.exp, itself_out)
expm1_p = unary("Expm1", formulas.expm1, lambda x: exp_p(x))
log_p = unary(
    "Log", formulas.log, lambda x: reciprocal_p(x), traits=Traits(hazard=Hazard.LOGARITHM)
)
log1p_p = unary(
    "Log1p", formulas.log1p, lambda x: reciprocal_p(1 + x), traits=Traits(hazard=Hazard.DOMAIN)
)
sqrt_p = unary(
    "Sqrt", np.sqrt, lambda out: 1 / (out + out), guarded=True, traits=Traits(hazard=Hazard.ROOT)
)


def _rsqrt(x: Any) -> Any:
    return 1 / np.sqrt(x)


rsqrt_p = unary(
    "Rsqrt",
    _rsqrt,
    lambda out: -(out * out * out) / 2,
    guarded=True,
    traits=Traits(hazard=Hazard.INVERSE_ROOT),
)
sigmoid_p = unary("Sigmoid", formulas.sigmoid, lambda out: out * (1 - out))
softplus_p = unary("Softplus", formulas.softplus, lambda x: sigmoid_p(x), FLOATING)

# Trigonometric and hyperbolic functions.

sin_p = unary("Sin", formulas.sin, lambda x: cos_p(x))
cos_p: Bound = unary("Cos", formulas.cos, lambda x: -sin_p(x))
tan_p = unary("Tan", formulas.tan, lambda out: 1 + out * out)
asin_p = unary("Asin", np.arcsin, lambda x: rsqrt_p(1 - x * x), traits=Traits(hazard=Hazard.DOMAIN))
acos_p = unary(
    "Acos", np.arccos, lambda x: -rsqrt_p(1 - x * x), traits=Traits(hazard=Hazard.DOMAIN)
)
atan_p = unary("Atan", np.arctan, lambda x: 1 / (1 + x * x))
sinh_p = unary("Sinh", formulas.sinh, lambda x: cosh_p(x))
cosh_p: Bound = unary("Cosh", formulas.cosh, lambda x: sinh_p(x))
tanh_p = unary("Tanh", formulas.tanh, lambda out: formulas.less_square(out))
asinh_p = unary("Asinh", np.arcsinh, lambda out: 1 / cosh_p(out))
acosh_p = unary(
    "Acosh", np.arccosh, lambda out: 1 / sinh_p(out), traits=Traits(hazard=Hazard.DOMAIN)
)
atanh_p = unary("Atanh", np.arctanh, lambda x: 1 / (1 - x * x), traits=Traits(hazard=Hazard.DOMAIN))
atan2_p = binary(
    "Atan2",
    np.arctan2,
    lambda x, y: y / (x * x + y * y),
    lambda x, y: -x / (x * x + y * y),
    FLOATING,
    traits=Traits(hazard=Hazard.DOMAIN),
)
