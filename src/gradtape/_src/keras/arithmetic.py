"""Fast conversions and arithmetic of floating-point tensors of one dtype and Python numbers.

All other arguments are passed to Keras' own functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.optional_dtypes import BFLOAT16
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.unknown_sizes import are_alike
from gradtape._src.ops.elementwise.arithmetic import add_p
from gradtape._src.ops.linalg.einsum import einsum
from gradtape._src.ops.linalg.matmul import matmul

FLOATS = frozenset(map(np.dtype, (np.float16, *BFLOAT16, np.float32, np.float64)))
_NUMBERS = {float, int}
_SCALARS: dict[Any, Any] = {"float32": np.float32, "float64": np.float64}
_constants: dict[Any, Any] = {}  # raw values of Python numbers

Binary = Callable[[Any, Any], Any]


def convert_to_tensor(original: Any, module: Any) -> Callable[..., Any]:
    """Returns tensors that already have the dtype unchanged."""

    @functools.wraps(original)
    def convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
        if type(x) is Tensor:
            if dtype is None or x.dtype.name == dtype:
                return x
        elif type(x) is float and dtype in _SCALARS:
            return Tensor(_SCALARS[dtype](x))
        return original(x, dtype, sparse, ragged)

    return convert_to_tensor


def cast(original: Any, module: Any) -> Callable[..., Any]:
    """Returns values that already have the dtype unchanged."""

    @functools.wraps(original)
    def cast(x: Any, dtype: Any) -> Any:
        if type(x) is Tensor:
            if x.dtype.name == dtype:
                return x
        elif type(x) is float and dtype == "float32":  # other dtypes need float32 and rounding
            return Tensor(np.float32(x))
        return original(x, dtype)

    return cast


def arithmetic(primitive: Binary) -> Callable[[Any, Any], Any]:
    """Returns a function that computes with a primitive on floating-point tensors of one dtype.

    It replaces an operation of Keras on two values.

    Args:
      primitive: Computes the operation.
    """

    def replace(original: Any, module: Any) -> Any:
        @functools.wraps(original)
        def operation(x1: Any, x2: Any) -> Any:
            pair = _pair(x1, x2)
            return original(x1, x2) if pair is None else primitive(*pair)

        return operation

    return replace


def as_tensor(x: Any) -> object:
    """Returns the tensor of `x`, which may be a Keras variable; other values are unchanged."""
    while type(x) is not Tensor:
        if type(x) is Variable:
            return x._read()
        if not hasattr(type(x), "_should_act_as_resource_variable"):
            return x
        x = x.value  # a variable of Keras, which may be cast
    return x


def _pair(x1: Any, x2: Any) -> tuple[Any, Any] | None:
    """Returns two floating-point tensors of one dtype, or None."""
    if type(x1) is not Tensor:
        x1 = as_tensor(x1)
    if type(x2) is not Tensor:
        x2 = as_tensor(x2)
    if type(x1) is Tensor:
        dtype = x1._value.dtype
        if dtype not in FLOATS:
            return None
        if type(x2) is Tensor:
            return (x1, x2) if x2._value.dtype is dtype else None
        return (x1, _constant(x2, dtype)) if type(x2) in _NUMBERS else None
    if type(x2) is Tensor and type(x1) in _NUMBERS and x2._value.dtype in FLOATS:
        return _constant(x1, x2._value.dtype), x2
    return None


def _constant(number: Any, dtype: np.dtype[Any]) -> Any:
    """Returns a Python number as a tensor of a floating-point dtype."""
    known = _constants.get((number, dtype))
    if known is None:
        with np.errstate(over="ignore"):
            known = dtype.type(number)
        if number and len(_constants) < 4096:  # 0.0 is left out, since 0.0 and -0.0 are equal keys
            _constants[number, dtype] = known
    return Tensor(known)


def add(original: Any, module: Any) -> Callable[..., Any]:
    """Adds floating-point tensors of one dtype, unless the second may be a bias."""

    @functools.wraps(original)
    def add(x1: Any, x2: Any) -> Any:
        pair = _pair(x1, x2)
        if pair is None:
            return original(x1, x2)
        a, b = pair[0]._value.shape, pair[1]._value.shape
        # Otherwise Keras may treat x2 as a bias of channels, against the rules of broadcasting.
        if are_alike(a, b) or not a or not b or (len(b) == 1 and are_alike(b, a[-1:])):
            return add_p(*pair)
        return original(x1, x2)

    return add


def product(original: Any, module: Any) -> Callable[..., Any]:
    """Multiplies floating matrices of one dtype."""

    @functools.wraps(original)
    def multiplied(x1: Any, x2: Any) -> Any:
        pair = _pair(x1, x2)
        if pair is None or min(x._value.ndim for x in pair) < 2:
            return original(x1, x2)
        return matmul(*pair)

    return multiplied


def sum_of_products(original: Any, module: Any) -> Callable[..., Any]:
    """Runs gradtape's `einsum`, in place of Keras' reshapes around TensorFlow's `matmul`."""

    @functools.wraps(original)
    def summed(subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
        if len(operands) == 2 and not kwargs:
            pair = _pair(*operands)
            if pair is not None and pair[0]._value.dtype is pair[1]._value.dtype:
                return einsum(subscripts, *pair)
        return original(subscripts, *operands, **kwargs)

    return summed
