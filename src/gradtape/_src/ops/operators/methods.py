"""Registers the operators of tensors and variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.display import EQUALITY
from gradtape._src.core.convert import tensor
from gradtape._src.core.operators import Operators, VariableMethods, register_method
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import shorten
from gradtape._src.core.variable import Variable
from gradtape._src.declare.same_dtype import gives_way, pair
from gradtape._src.ops.array import packing as _packing  # noqa: F401 (registers how lists are packed)
from gradtape._src.ops.array import variable_rows as _row_updates  # noqa: F401 (registers methods)
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.scatter import gather_nd
from gradtape._src.ops.array.slicing import getitem
from gradtape._src.ops.elementwise import arithmetic, bitwise, comparison, division, logical, powers
from gradtape._src.ops.elementwise.identities import identity_p
from gradtape._src.ops.linalg.matmul import matmul_p

Operator = Callable[[Any, Any], Any]
_KNOWN = (np.ndarray, np.generic)


def _bits_or_truth(truth: Bound, bits: Bound) -> Operator:
    """Implements `&`, `|` or `^`, which are logical for bools and bitwise for integers."""

    def operator(x: Any, y: Any) -> Any:
        if gives_way(y):
            return NotImplemented
        x, y = pair(x, y)
        return (truth if x._value.dtype.kind == "b" else bits)(x, y)

    return operator


def _invert(x: Any) -> Any:
    x = tensor(x)
    return (logical.logical_not_p if x._value.dtype.kind == "b" else bitwise.invert_p)(x)


def _equality(different: bool) -> Operator:
    """Implements `==` or `!=`, elementwise, or as one truth value if shapes don't broadcast."""

    def compared(x: Any, y: Any) -> Any:
        if EQUALITY.by_identity:
            return (x is y) is not different
        if type(x) is Tensor and not isinstance(x._value, _KNOWN):
            same = x._value.is_in(y) if hasattr(x._value, "is_in") else None
            if same is not None:  # The operand is a tensor in a TensorFlow 1 graph.
                return same is not different
        if y is None and not isinstance(x, Variable):
            return different
        if isinstance(y, CompositeTensor) and y.has_equality:
            return NotImplemented
        try:
            x, y = pair(x, y)
        except Exception as error:
            shorten(error)
            raise
        return comparison.compared(x, y, different)

    return compared


def _install(name: str, operator: Operator, *, reflected: bool = True) -> None:
    """Registers a function of two inputs as the operator of a given name."""

    def backwards(self: Any, other: Any) -> Any:
        return operator(other, self)

    register_method(Operators, f"__{name}__", operator)
    if reflected:
        register_method(Operators, f"__r{name}__", backwards)


_install("add", arithmetic.add_p.operator)
_install("sub", arithmetic.sub_p.operator)
_install("mul", arithmetic.mul_p.operator)
_install("truediv", division.quotient)
_install("floordiv", division.floordiv_p.operator)
_install("mod", division.mod_p.operator)
_install("pow", powers.power)
_install("matmul", matmul_p.operator)
_install("and", _bits_or_truth(logical.logical_and_p, bitwise.bitwise_and_p))
_install("or", _bits_or_truth(logical.logical_or_p, bitwise.bitwise_or_p))
_install("xor", _bits_or_truth(comparison.not_equal_p, bitwise.bitwise_xor_p))
_install("lt", comparison.less_p.operator, reflected=False)
_install("le", comparison.less_equal_p.operator, reflected=False)
_install("gt", comparison.greater_p.operator, reflected=False)
_install("ge", comparison.greater_equal_p.operator, reflected=False)
_install("eq", _equality(different=False), reflected=False)
_install("ne", _equality(different=True), reflected=False)
register_method(Operators, "__neg__", lambda self: arithmetic.neg_p(tensor(self)))
register_method(Operators, "__abs__", lambda self: arithmetic.abs(self))
register_method(Operators, "__invert__", _invert)
register_method(Operators, "__getitem__", getitem)
register_method(VariableMethods, "_copy_of", staticmethod(identity_p))


def _refuse_in_place(name: str, symbol: str, instead: str) -> None:
    """Makes `variable += value` an error, since it would not change the variable."""

    def refuse(self: Variable, other: Any) -> Any:
        raise RuntimeError(
            f"`variable {symbol}= value` with `tf.Variable`s is not supported. Use "
            f"`variable.{instead}` to modify the variable, or `out = variable {symbol} value` if "
            f"you need to get a new output Tensor."
        )

    register_method(VariableMethods, f"__i{name}__", refuse)


_refuse_in_place("add", "+", "assign_add(value)")
_refuse_in_place("sub", "-", "assign_sub(value)")
_refuse_in_place("mul", "*", "assign(variable * value)")
_refuse_in_place("truediv", "/", "assign(variable / value)")
_refuse_in_place("pow", "**", "assign(variable ** value)")
register_method(
    VariableMethods, "sparse_read", lambda self, indices, name=None: gather(self, indices)
)
register_method(
    VariableMethods, "gather_nd", lambda self, indices, name=None: gather_nd(self, indices)
)
