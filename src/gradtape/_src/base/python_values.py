"""Python and NumPy values as raw values, by TensorFlow's rules for dtypes."""

from __future__ import annotations

from array import array as array_of_numbers
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape._src.base.device_values import copied
from gradtape._src.base.dispatch import errors_of_functions
from gradtape._src.base.dtypes import DType, as_dtype, c_name, float32, int32, int64, string, uint64
from gradtape._src.base.shapes import Dimension, TensorShape

Raw = np.ndarray[Any, Any] | np.generic
"""The types of the values that tensors hold: an array, or a NumPy scalar."""

_LISTS = (list, tuple, range)
_OTHERS = (bytearray, memoryview, array_of_numbers, deque)
_SEQUENCES = (*_LISTS, *_OTHERS)  # types whose values are converted element by element
_OF_SHAPES = (TensorShape, Dimension)
_PLAIN = (bool, int, float, complex, str, bytes, np.generic)
RANK = {bool: 0, int: 1, float: 2, complex: 3}
"""Python's number types, each of which contains the values of the one before."""


class NotATensorError(ValueError):
    """A value's type can't be converted; the message formats the value only when it is read."""

    def __str__(self) -> str:
        value, *why = self.args
        return (
            f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to "
            f"a Tensor.{''.join(why)}"
        )

    def __reduce__(self) -> tuple[type[ValueError], tuple[str]]:
        return ValueError, (str(self),)


class NotAnElementError(NotATensorError):
    """The type of a value in a sequence can't be converted."""


class MixedElementsError(ValueError):
    """The values in a sequence have types that no dtype has in common."""


for _kind in (NotATensorError, NotAnElementError, MixedElementsError):  # as in tracebacks
    _kind.__name__ = _kind.__qualname__ = "ValueError"
    _kind.__module__ = "builtins"


_of_none: list[str] = []


def explain_none(text: str) -> None:
    """Sets the function that explains a None that is passed for a tensor."""
    _of_none[:] = [text]


def raw(value: Any, dtype: DType | None = None) -> Raw:
    """Converts a Python or NumPy value to a new raw value.

    Raises:
      ValueError, TypeError: The errors of `convert_to_tensor`.
    """
    try:
        if isinstance(value, np.ndarray) or hasattr(type(value), "__array__"):
            return _from_array(np.asarray(value), dtype)
        if isinstance(value, _SEQUENCES):
            return _from_sequence(
                list(value) if isinstance(value, _LISTS) else _listed(value), dtype
            )
        if isinstance(value, _PLAIN):
            return _from_leaf(value, dtype)
        if isinstance(value, Dimension):
            return _from_dimension(value, dtype)
        try:
            view = np.asarray(memoryview(value))
        except TypeError:
            raise NotATensorError(value, *(_of_none if value is None else ())) from None
        return _from_array(view, dtype)
    except Exception as error:
        errors_of_functions.shorten(error)
        raise


def from_shape(shape: TensorShape, dtype: DType | None) -> np.ndarray[Any, Any]:
    """Returns the lengths in a shape as a raw value: int32, or int64 if one of them needs it."""
    if not shape.is_fully_defined():
        raise ValueError(
            f"Cannot convert a partially known TensorShape {shape} to a Tensor (tf.shape gives "
            "the shape of a value)."
        )
    if dtype not in (None, int32, int64):
        raise TypeError(
            f"Cannot convert TensorShape {shape} to dtype {dtype!r}. Allowed dtypes are tf.int32 "
            "and tf.int64 (tf.cast converts the result)."
        )
    extents = np.array(shape.as_list(), np.int64)
    wide = extents.max(initial=0) > int32.max
    if wide and dtype is int32:
        raise ValueError(
            f"Cannot convert TensorShape {shape} to dtype int32; a dimension is too large. "
            "Consider using tf.int64."
        )
    return extents.astype((dtype or (int64 if wide else int32)).np_dtype)


def _from_dimension(length: Dimension, dtype: DType | None) -> Raw:
    if length.value is None:
        raise ValueError(
            f"Cannot convert unknown Dimension {length} to a Tensor (tf.shape gives the lengths of "
            "a value)."
        )
    if dtype not in (None, int32, int64):
        raise TypeError(
            f"Cannot convert Dimension {length} to dtype {dtype!r}. Allowed dtypes are tf.int32 "
            "and tf.int64 (tf.cast converts the result)."
        )
    number: Raw = from_shape(TensorShape([length]), dtype)[0]
    return number


def _listed(value: Any) -> Any:
    """Returns a sequence and the sequences in it as lists."""
    if isinstance(value, memoryview):
        return value.tolist()
    return [_listed(item) if isinstance(item, _SEQUENCES) else item for item in value]


def _from_array(array: np.ndarray[Any, Any], dtype: DType | None) -> Raw:
    kind = array.dtype.kind
    if kind in "SU" and dtype is not None and dtype is not string:
        raise ValueError(f"Failed to convert the strings {array!r} to {dtype.name}")
    if kind in "SU" or (kind == "O" and (dtype is None or dtype is string)):
        return _strings(array)
    if kind in "mM":
        raise ValueError(
            f"Failed to convert a NumPy array to a Tensor (Unsupported numpy type {array.dtype}): "
            f"convert times to integers with array.astype('int64')."
        )
    if dtype is string:
        raise ValueError(f"Failed to convert {array!r} to a string tensor (tf.strings.as_string)")
    if dtype is None:
        dtype = as_dtype(array.dtype)
    if array.dtype is dtype.np_dtype:
        return copied(array)[()]
    with np.errstate(all="ignore"):
        return array.astype(dtype.np_dtype)[()]


def _strings(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    out = np.empty(array.shape, object)
    for i, item in enumerate(array.flat):
        if not isinstance(item, (str, bytes)):
            raise ValueError(
                f"Failed to convert a NumPy array to a Tensor (Unsupported object type "
                f"{type(item).__name__})."
            )
        out.flat[i] = item.encode() if isinstance(item, str) else bytes(item)
    return out


def _leaves(value: Any) -> Iterator[Any]:
    for item in value:
        if isinstance(item, (list, tuple, range)):
            yield from _leaves(item)
        else:
            yield item


def _from_sequence(value: list[Any], dtype: DType | None) -> Raw:
    leaves = list(_leaves(value))
    kinds = set(map(type, leaves))
    if not kinds.isdisjoint(_OTHERS):
        return _from_sequence(_listed(value), dtype)
    if not kinds.isdisjoint(_OF_SHAPES):
        return _from_sequence(_with_extents(value), dtype)
    _check_leaves(leaves, kinds)
    texts = bool(kinds & {str, bytes})
    try:
        array = np.array(value, dtype=object if texts else None)
    except ValueError:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None
    if array.dtype == object:
        _check_objects(array, texts)
    if not leaves:
        return array.astype((dtype or float32).np_dtype)
    if dtype is None:
        dtype = _dtype_of_leaves(leaves, kinds, array)
    elif kinds <= RANK.keys() | {str, bytes}:
        _check_leaf(max(leaves, key=lambda leaf: RANK.get(type(leaf), 4)), dtype)
    elif array.dtype.kind in "biufc" and not _contains(dtype, array.dtype.kind):
        raise _does_not_fit(value, dtype)
    return _from_array(array, dtype)


def _with_extents(value: Any) -> Any:
    """Returns a nested sequence in which shapes are lists of lengths, and lengths are integers."""
    if isinstance(value, TensorShape):
        return value.as_list()
    if isinstance(value, Dimension):
        return value.value
    return [_with_extents(v) for v in value] if isinstance(value, (list, tuple)) else value


def _check_objects(array: np.ndarray[Any, Any], texts: bool) -> None:
    """Raises ValueError unless all elements of an object array are strings."""
    if any(isinstance(item, (list, tuple)) for item in array.flat):
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    if not texts:
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")


def _check_leaves(leaves: list[Any], kinds: set[type]) -> None:
    """Raises ValueError if the leaves of a sequence are not compatible."""
    for leaf in leaves:
        if not isinstance(leaf, _PLAIN) and not hasattr(type(leaf), "__array__"):
            raise NotAnElementError(leaf)
    if kinds & {str, bytes}:
        mixed = not kinds <= {str, bytes, np.str_, np.bytes_}
    else:
        mixed = bool(leaves) and type(leaves[0]) is bool and {bool} < kinds <= RANK.keys()
    if mixed:
        raise MixedElementsError("Can't convert Python sequence with mixed types to Tensor.")


def _dtype_of_leaves(
    leaves: list[Any], kinds: set[type], array: np.ndarray[Any, Any]
) -> DType | None:
    """Returns the dtype of a sequence's first element if that is a NumPy float or bool."""
    if array.dtype.kind in "iu":  # NumPy integers count as Python integers
        return _default_dtype(array)
    counts = _is_python_number(leaves[0]) or isinstance(leaves[0], np.integer)
    if kinds <= RANK.keys() or (array.dtype.kind == "f" and counts):
        return float32 if array.dtype.kind == "f" else None
    return as_dtype(np.asarray(leaves[0]).dtype)


def _is_python_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex)) and not isinstance(value, np.generic)


def _default_dtype(array: np.ndarray[Any, Any]) -> DType | None:
    """Returns TensorFlow's dtype for Python numbers: 32 bits, or 64 for integers that need them."""
    if array.dtype.kind == "f":
        return float32
    if array.dtype.kind in "iu" and array.min() >= -(2**31) and array.max() < 2**31:
        return int32
    return None


def _from_leaf(value: Any, dtype: DType | None) -> Raw:
    if type(value) is float and (dtype is None or dtype is float32) and 1e-37 < abs(value) < 3e38:
        return np.float32(value)  # the usual case, which takes a tenth of the time
    if isinstance(value, (str, bytes)):
        if dtype is not None and dtype is not string:
            raise _does_not_fit(value, dtype)
        return _strings(np.array(value, object))
    if type(value) not in RANK and _is_python_number(value):  # an enumeration, for example
        value = next(kind for kind in RANK if isinstance(value, kind))(value)
    if type(value) is int and dtype is not None and dtype.is_floating:
        value = float(value)
    array = np.asarray(value)
    if type(value) in RANK:
        if array.dtype.kind not in ("biufc" if dtype is uint64 else "bifc"):
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
        if dtype is None:
            dtype = _default_dtype(array)
        else:
            _check_leaf(value, dtype)
    return _from_array(array, dtype)


def _check_leaf(value: Any, dtype: DType) -> None:
    """Raises TypeError unless a Python value may be converted to this dtype."""
    rank = RANK.get(type(value), 4)
    whole = dtype.is_integer or dtype.is_quantized
    most = 3 if dtype.is_complex else 2 if dtype.is_floating else 1 if whole else 0
    if not (dtype is string if rank == 4 else rank <= most and dtype is not string):
        raise _does_not_fit(value, dtype)


def _contains(dtype: DType, kind: str) -> bool:
    """Whether NumPy numbers in a sequence may be converted to this dtype."""
    whole = dtype.is_integer or dtype.is_quantized
    wide = dtype.is_complex + dtype.is_floating * 2 + whole * 3
    return kind in ("b", "iufc", "iuf", "iu")[wide]


def _does_not_fit(value: Any, dtype: DType) -> TypeError:
    return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {c_name(dtype.name)}")
