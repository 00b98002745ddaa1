"""Converts values to tensors by TensorFlow's rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.dispatch import shorten_errors
from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.python_values import from_shape, raw
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.tensor import Tensor

Converter = Callable[[Any, DType | None], Any]
_converters: list[tuple[int, Any, Converter]] = []
readers: dict[type, Callable[[Any], Tensor]] = {}
"""The functions that read values of exactly these classes: a fast path for variables."""
constants: dict[float, Tensor] = {}
"""Tensors for Python numbers beside a float32 array, as in `x * 0.5`. No tape follows them.

They hold arrays of rank 0, with which NumPy computes faster than with its scalars."""
scalar_constants: dict[float, Tensor] = {}
"""Tensors for Python numbers beside a float32 scalar, where NumPy's scalars are faster."""


def register_converter(types: Any, convert: Converter, priority: int = 100) -> None:
    """Makes objects of some types convertible: `convert(value, dtype or None) -> Tensor`."""
    _converters.append((priority, types, convert))
    _converters.sort(key=lambda entry: entry[0])


def tensor(x: Any) -> Tensor:
    """Returns `x` as a tensor; fast for tensors."""
    if type(x) is Tensor:
        return x
    read = readers.get(type(x))
    return convert_to_tensor(x) if read is None else read(x)


@shorten_errors
def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """Converts a Python, NumPy or tensor-like value to a tensor.

    Python floats become float32 and integers int32; arrays keep their dtype.

    Args:
      value: A number, string, (nested) sequence of them, array, tensor, variable.
      dtype: The dtype that the result must have.
      dtype_hint: The preferred dtype. It is ignored if the value does not fit it.
      name: Accepted for compatibility.

    Returns:
      The tensor; `value` itself if it is a tensor.

    Raises:
      ValueError: The dtype of a tensor differs from `dtype`, a sequence is ragged or mixes types,
        or the type can't be converted.
      TypeError: A Python number does not fit the dtype.
    """
    dtype = None if dtype is None else as_dtype(dtype)
    if type(value) is Tensor:
        if dtype is not None and value.dtype is not dtype:
            raise _of_other_dtype(value, dtype)
        return value
    if dtype is None and type(value) in readers:
        return readers[type(value)](value)
    if dtype is None and dtype_hint is not None:
        try:
            return convert_to_tensor(value, dtype_hint)
        except (TypeError, ValueError):
            pass
    for _, types, convert in _converters:
        if isinstance(value, types) and (found := convert(value, dtype)) is not NotImplemented:
            return convert_to_tensor(found, dtype)
    if (own := getattr(type(value), "__tf_tensor__", None)) is not None:
        return convert_to_tensor(own(value, dtype, name), dtype)
    return Tensor(raw(value, dtype))


def _of_other_dtype(x: Tensor, dtype: DType) -> ValueError:
    return ValueError(
        f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {x.dtype.name}: "
        f"{x!r} (tf.cast converts)"
    )


register_converter(TensorShape, lambda shape, dtype: Tensor(from_shape(shape, dtype)))
