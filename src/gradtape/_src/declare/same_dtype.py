"""Two arguments that must have one dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.python_values import RANK
from gradtape._src.core.convert import (
    constants,
    convert_to_tensor,
    readers,
    scalar_constants,
    tensor,
)
from gradtape._src.core.tensor import Tensor, TensorLike

_ndarray = np.ndarray
_ORDINARY = {float, int, bool, complex, str, bytes, list, tuple, np.ndarray}
_REFLECTED = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor"),
)


def pair(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Converts two arguments to one dtype: one that is not a tensor adopts the other's.

    Raises:
      TypeError: A Python number does not fit the dtype of the other argument, a tensor.
    """
    if type(x) is Tensor:
        if type(y) is Tensor:
            return x, y
        known = None
        if type(y) is float:
            v = x._value
            if type(v) is np.float32:
                known = scalar_constants.get(y)
            elif type(v) is _ndarray and v.dtype.type is np.float32:
                known = constants.get(y)
        return x, _like(y, x) if known is None else known
    if isinstance(y, TensorLike) and not isinstance(x, TensorLike):
        y = tensor(y)
        return _like(x, y), y
    fixed = isinstance(x, TensorLike)
    x = tensor(x)
    if type(y) is Tensor:
        return x, y
    return x, _like(y, x) if fixed else convert_to_tensor(y, dtype_hint=dtype_of(x._value))


def operands(x: Any, y: Any) -> tuple[Tensor, Tensor] | None:
    """Converts the operands of an operator: a tensor or variable determines the other's dtype.

    Returns None if the class of the right operand handles the operator.
    """
    read = readers.get(type(y))
    if read is not None and type(x) is Tensor:
        return x, read(y)
    if isinstance(x, TensorLike):
        if gives_way(y):
            return None
        x = tensor(x)
        return x, _like(y, x)
    y = tensor(y)
    return _like(x, y), y


def _like(value: Any, x: Tensor) -> Tensor:
    """Returns the other operand of an operator as a tensor, with `x`'s dtype if possible."""
    v = x._value
    if type(value) in RANK:
        of_array = type(v) is _ndarray
        table = constants if of_array else scalar_constants
        known = v.dtype.type is np.float32 and type(value) in (float, int)
        if known and value in table:
            return table[value]
        made = convert_to_tensor(value, dtype_of(v))
        if known and value and len(table) < 4096:
            made._id = -1
            if of_array:
                made._value = np.array(made._value)
                made._value.flags.writeable = False
            table[value] = made  # 0.0 is left out: as a key it equals -0.0
        return made
    if isinstance(value, TensorLike):
        return tensor(value)
    if isinstance(value, (str, bytes, list, tuple)):
        return convert_to_tensor(value, dtype_of(v))
    return convert_to_tensor(value, dtype_hint=dtype_of(v))


def gives_way(other: Any) -> bool:
    """Whether an operator of a tensor defers to the class of its right operand."""
    kind = type(other)
    if kind in _ORDINARY or isinstance(other, TensorLike):
        return False
    if isinstance(other, CompositeTensor):
        return other.has_operators
    return _has_operators(kind) and not _is_convertible(other)


def _has_operators(kind: type) -> bool:
    """Whether another library's class handles operators as the right operand."""
    if kind.__module__ in {"builtins", "numpy"}:
        return False
    return any(hasattr(kind, f"__r{name}__") for name in _REFLECTED)


def _is_convertible(value: Any) -> bool:
    try:
        tensor(value)
    except (TypeError, ValueError):
        return False
    return True
