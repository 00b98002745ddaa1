"""Elementwise arithmetic, comparison and logic."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradtape._core.errors import InvalidArgumentError
from gradtape._ops.families import FLOATING, INEXACT, INTEGER, NUMERIC, REAL
from gradtape._ops.pointwise import binary, unary

# Kernels from `operator` are ten times faster than ufuncs on NumPy scalars.

BOOL = frozenset({np.bool_})

add_p = binary("AddV2", operator.add, 1, 1)
sub_p = binary("Sub", operator.sub, 1, -1)
mul_p = binary("Mul", operator.mul, lambda y: y, lambda x: x)
div_p = binary("RealDiv", operator.truediv, lambda y: 1 / y, lambda y, out: -out / y, INEXACT)
neg_p = unary("Neg", operator.neg, -1, NUMERIC)


def _whole(kernel: Any, name: str) -> Any:
    """An integer division that raises where NumPy warns and gives 0."""

    def divide(x: Any, y: Any) -> Any:
        if y.dtype.kind in "iu" and not np.all(y):
            raise InvalidArgumentError(None, None, f"Integer division by zero [Op:{name}]")
        return kernel(x, y)

    return divide


floordiv_p = binary("FloorDiv", _whole(np.floor_divide, "FloorDiv"), None, None, REAL)
mod_p = binary(
    "FloorMod", _whole(np.mod, "FloorMod"), 1, lambda x, y: -floordiv_p(x, y), REAL
)

less_p = binary("Less", operator.lt, None, None, REAL)
less_equal_p = binary("LessEqual", operator.le, None, None, REAL)
greater_p = binary("Greater", operator.gt, None, None, REAL)
greater_equal_p = binary("GreaterEqual", operator.ge, None, None, REAL)
equal_p = binary("Equal", operator.eq, None, None, None)
not_equal_p = binary("NotEqual", operator.ne, None, None, None)

logical_and_p = binary("LogicalAnd", np.logical_and, None, None, BOOL)
logical_or_p = binary("LogicalOr", np.logical_or, None, None, BOOL)
logical_not_p = unary("LogicalNot", np.logical_not, None, BOOL)
bitwise_and_p = binary("BitwiseAnd", operator.and_, None, None, INTEGER)
bitwise_or_p = binary("BitwiseOr", operator.or_, None, None, INTEGER)
bitwise_xor_p = binary("BitwiseXor", operator.xor, None, None, INTEGER)
invert_p = unary("Invert", operator.invert, None, INTEGER)

exp_p = unary("Exp", np.exp, lambda out: out)
log_p = unary("Log", np.log, lambda x: 1 / x)
sin_p = unary("Sin", np.sin, lambda x: cos_p(x))
cos_p = unary("Cos", np.cos, lambda x: -sin_p(x))
tanh_p = unary("Tanh", np.tanh, lambda out: 1 - out * out)
sqrt_p = unary("Sqrt", np.sqrt, lambda out: 0.5 / out)
square_p = unary("Square", np.square, lambda x: 2 * x, NUMERIC)
sign_p = unary("Sign", np.sign, 0, NUMERIC)
abs_p = unary("Abs", operator.abs, lambda x: sign_p(x), REAL)
