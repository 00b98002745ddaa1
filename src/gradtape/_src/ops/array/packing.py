"""Conversion of lists that hold tensors, and of the user's own types, to tensors.

`convert_to_tensor([x, 2.0])` is a stack, through which gradients flow.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.base.dtypes import DType, as_dtype, dtype_of
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, register_converter, tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.elementwise.casting import cast


def _first_tensor(values: Sequence[Any]) -> TensorLike | None:
    """Returns the first tensor or variable in a nested sequence, or None; optimized for None."""
    kinds = set(map(type, values))
    if not any(issubclass(kind, (TensorLike, list, tuple)) for kind in kinds):
        return None
    for value in values:
        found = _first_tensor(value) if isinstance(value, (list, tuple)) else value
        if isinstance(found, TensorLike):
            return found
    return None


def _packed(values: Sequence[Any], dtype: DType, wanted: DType | None) -> Tensor:
    """Converts a nested sequence to a tensor; numbers in it get the dtype of the tensors in it."""
    return stack(
        [
            _packed(value, dtype, wanted)
            if isinstance(value, (list, tuple))
            else cast(value, wanted)
            if isinstance(value, TensorLike) and wanted is not None
            else tensor(value)
            if isinstance(value, TensorLike)
            else cast(convert_to_tensor(value, dtype), wanted or dtype)
            for value in values
        ]
    )


def pack(values: Sequence[Any], dtype: DType | None) -> object:
    """Returns a converter of sequences; it returns NotImplemented if no element is a tensor.

    Raises:
      InvalidArgumentError: The tensors differ in shape or dtype.
      TypeError: A Python number does not fit the tensors' dtype.
    """
    first = _first_tensor(values)
    if first is None:
        return NotImplemented
    wanted = None if dtype is None else as_dtype(dtype)
    return _packed(values, dtype_of(tensor(first)._value), wanted)


register_converter((list, tuple), pack)


def _reduced(self: Tensor) -> tuple[Any, ...]:
    """Pickles a tensor as a call of a function, since its class names a module of TensorFlow."""
    dtype = self.dtype
    return convert_to_tensor, (self._numpy(), dtype.name) if dtype.is_quantized else (
        self._numpy(),
    )


copyreg.pickle(Tensor, _reduced)


@export("register_tensor_conversion_function")
def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Registers a function that converts objects of a type to tensors.

    The function is called wherever a tensor is expected.

    Args:
      base_type: A type, or a tuple of types.
      conversion_func: A function `conversion_func(value, dtype=None, name=None, as_ref=False)` that
        returns a tensor or NotImplemented.
      priority: Converters with a lower number are tried first.

    Raises:
      TypeError: `base_type` is not a type, or `conversion_func` is not callable.

    >>> class Celsius:
    ...     def __init__(self, degrees):
    ...         self.degrees = degrees
    >>> def kelvin(value, dtype=None, name=None, as_ref=False):
    ...     return tf.constant(value.degrees + 273.15, dtype)
    >>> tf.register_tensor_conversion_function(Celsius, kelvin)
    >>> float(tf.square(Celsius(-273.15)))
    0.0
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(t, type) for t in types):
        raise TypeError(
            f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}"
        )
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")

    def convert(value: Any, dtype: DType | None) -> Any:
        return conversion_func(value, dtype=dtype, name=None, as_ref=False)

    register_converter(base_type, convert, priority)
