"""From what a program passes to a tensor, by TensorFlow's rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradtape._base.dtypes import DType, as_dtype, dtype_of, float32, int32, string
from gradtape._base.shapes import TensorShape
from gradtape._core.tensor import Tensor, TensorLike

Converter = Callable[[Any, DType | None], Any]
_converters: list[tuple[int, Any, Converter]] = []
_PLAIN = (bool, int, float, complex, str, bytes, np.generic)
constants: dict[tuple[float, type], Tensor] = {}
"""Second operands as in `x * 0.5`, by value and the type of the scalar on the left."""

_RANK = {bool: 0, int: 1, float: 2, complex: 3}


def register_converter(types: Any, convert: Converter, priority: int = 100) -> None:
    """Makes objects of some types convertible: `convert(value, dtype or None) -> Tensor`."""
    _converters.append((priority, types, convert))
    _converters.sort(key=lambda entry: entry[0])


def tensor(x: Any) -> Tensor:
    """`x` as a tensor: the short way for what is one already."""
    return x if type(x) is Tensor else convert_to_tensor(x)


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """Converts a Python, NumPy or tensor-like value to a tensor.

    Python floats become float32 and integers int32; arrays keep their dtype.

    Args:
      value: A number, string, (nested) sequence of them, array, tensor, variable.
      dtype: The dtype that the result must have.
      dtype_hint: A dtype to try first, given up silently where it does not fit.
      name: Accepted for compatibility.

    Returns:
      The tensor; `value` itself where it is one already.

    Raises:
      ValueError: A tensor has another dtype than asked for, a sequence is ragged or mixed, or
        the type can't be converted.
      TypeError: A Python number does not fit the dtype.
    """
    if dtype is not None:
        dtype = as_dtype(dtype)
    if type(value) is Tensor:
        if dtype is not None and value.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r} (tf.cast converts)"
            )
        return value
    if dtype is None and dtype_hint is not None:
        try:
            return convert_to_tensor(value, dtype_hint)
        except (TypeError, ValueError):
            pass
    for _, types, convert in _converters:
        if isinstance(value, types):
            converted = convert(value, dtype)
            if converted is not NotImplemented:
                return convert_to_tensor(converted, dtype)
    own = getattr(type(value), "__tf_tensor__", None)
    if own is not None:
        return convert_to_tensor(own(value, dtype, name), dtype)
    return Tensor(raw(value, dtype))


def raw(value: Any, dtype: DType | None = None) -> Any:
    """A Python or NumPy value as a raw value of its own.

    Raises:
      ValueError, TypeError: As `convert_to_tensor`.
    """
    if isinstance(value, np.ndarray) or hasattr(type(value), "__array__"):
        return _from_array(np.asarray(value), dtype)
    if isinstance(value, (list, tuple, range)):
        return _from_sequence(list(value), dtype)
    if isinstance(value, _PLAIN):
        return _from_leaf(value, dtype)
    try:
        view = np.asarray(memoryview(value))
    except TypeError:
        raise ValueError(
            f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to "
            f"a Tensor."
        ) from None
    return _from_array(view, dtype)


def _from_array(array: np.ndarray[Any, Any], dtype: DType | None) -> Any:
    kind = array.dtype.kind
    if kind in "SU" or (kind == "O" and (dtype is None or dtype is string)):
        return _strings(array)
    if dtype is None:
        dtype = as_dtype(array.dtype)
    with np.errstate(all="ignore"):
        return array.astype(dtype.np_dtype)[()]


def _strings(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    out = np.empty(array.shape, object)
    for i, item in enumerate(array.flat):
        if not isinstance(item, (str, bytes)):
            raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported object type {type(item).__name__}).")
        out.flat[i] = item.encode() if isinstance(item, str) else bytes(item)
    return out


def _leaves(value: Any) -> Iterator[Any]:
    for item in value:
        if isinstance(item, (list, tuple, range)):
            yield from _leaves(item)
        else:
            yield item


def _from_sequence(value: list[Any], dtype: DType | None) -> Any:
    leaves = list(_leaves(value))
    kinds = set(map(type, leaves))
    for leaf in leaves:
        if not isinstance(leaf, _PLAIN) and not hasattr(type(leaf), "__array__"):
            raise ValueError(
                f"Attempt to convert a value ({leaf!r}) with an unsupported type ({type(leaf)}) "
                f"to a Tensor."
            )
    if str in kinds or bytes in kinds:
        if not kinds <= {str, bytes, np.str_, np.bytes_}:
            raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    elif bool in kinds and kinds != {bool} and type(leaves[0]) is bool and kinds <= _RANK.keys():
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    try:
        array = np.array(value, dtype=object if {str, bytes} & kinds else None)
    except ValueError:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None
    if any(isinstance(item, (list, tuple)) for item in (array.flat if array.dtype == object else ())):
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    if array.dtype == object and not {str, bytes} & kinds:
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    if not leaves:
        return array.astype((dtype or float32).np_dtype)
    if dtype is not None:
        if kinds <= _RANK.keys() | {str, bytes}:
            _check_leaf(max(leaves, key=lambda leaf: _RANK.get(type(leaf), 4)), dtype)
    elif kinds <= _RANK.keys():
        dtype = _default_dtype(array)
    else:
        typed = next(leaf for leaf in leaves if type(leaf) not in _RANK)
        dtype = as_dtype(np.asarray(typed).dtype)
    return _from_array(array, dtype)


def _default_dtype(array: np.ndarray[Any, Any]) -> DType | None:
    """TensorFlow's dtype for Python numbers: 32 bits, but for integers that need 64."""
    if array.dtype.kind == "f":
        return float32
    if array.dtype.kind == "i" and (np.abs(array) < 2**31).all():
        return int32
    return None


def _from_leaf(value: Any, dtype: DType | None) -> Any:
    if isinstance(value, (str, bytes)):
        if dtype is not None and dtype is not string:
            raise _does_not_fit(value, dtype)
        return _strings(np.array(value, object))
    array = np.asarray(value)
    if type(value) in _RANK:
        if array.dtype.kind not in "bifc":
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
        if dtype is None:
            dtype = _default_dtype(array)
        else:
            _check_leaf(value, dtype)
    return _from_array(array, dtype)


def _check_leaf(value: Any, dtype: DType) -> None:
    """Raises TypeError unless a Python value may become this dtype."""
    rank = _RANK.get(type(value), 4)
    if rank == 4:
        fits = dtype is string
    else:
        fits = rank <= (
            3 if dtype.is_complex else 2 if dtype.is_floating else 1 if dtype.is_integer else 0
        ) and dtype is not string
    if not fits:
        raise _does_not_fit(value, dtype)


def _does_not_fit(value: Any, dtype: DType) -> TypeError:
    name = {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)
    return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {name}")


def like(value: Any, x: Tensor) -> Any:
    """The other operand of an operator as a tensor, with `x`'s dtype where that can be."""
    v = x._value
    if type(value) in _RANK:
        made = convert_to_tensor(value, dtype_of(v))
        if type(value) is float and value and isinstance(v, np.generic) and len(constants) < 4096:
            constants[value, type(v)] = made  # not 0.0, which is the same key as -0.0
        return made
    if isinstance(value, TensorLike):
        return convert_to_tensor(value)
    if isinstance(value, (str, bytes)):
        return convert_to_tensor(value, dtype_of(v))
    return convert_to_tensor(value, dtype_hint=dtype_of(v))


register_converter(TensorShape, lambda s, dtype: Tensor(raw(s.as_list(), dtype or int32)))
register_converter(DType, lambda d, _: Tensor(np.int32(d.as_datatype_enum)))
