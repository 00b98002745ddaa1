"""`tf.experimental.numpy`: types, promotion, and functions that make arrays.

The functions of these modules take the arguments of NumPy's functions. If Python numbers, lists and
tensors are combined, they get the dtype that NumPy gives them: `add(int32_tensor, 1.5)` is float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, string
from gradtape._src.base.export import export, export_value
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import sizes
from gradtape._src.ops.array import creation, joining, shaping
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.identities import identity_p

NARROW = {"float64": "float32", "int64": "int32", "complex128": "complex64"}


class _Preference:
    """The choice of the dtype of Python numbers: NumPy's 64 bits, or 32."""

    float32 = False


def prefer_float32(preferred: bool) -> None:
    """Chooses whether Python numbers get 32 bits rather than 64."""
    _Preference.float32 = preferred


def default(dtype: Any) -> DType:
    """Returns a dtype, with 32 bits in place of 64 if that is preferred."""
    kind = np.dtype(dtype)
    return as_dtype(NARROW.get(kind.name, kind.name) if _Preference.float32 else kind)


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in _leaves(part)]
    return [value]


def _kind(value: Any) -> Any:
    """Returns the argument of NumPy's promotion: an array's dtype, or a Python number itself."""
    if isinstance(value, (TensorLike, np.ndarray, np.generic)):
        return as_dtype(value.dtype).np_dtype
    if isinstance(value, DType):
        return value.np_dtype
    if isinstance(value, (type, np.dtype)):
        return np.dtype(value)
    if isinstance(value, (bool, np.bool_)):
        return np.dtype(bool)
    if isinstance(value, (list, tuple)):
        kinds = [leaf for leaf in _leaves(value) if isinstance(leaf, (TensorLike, np.ndarray))]
        return result_type(*_leaves(value)).np_dtype if kinds else _of_numbers(value)
    if isinstance(value, (int, float, complex)):
        return value
    if isinstance(own := getattr(value, "dtype", None), DType):  # a ragged or sparse tensor
        return own.np_dtype
    return np.asarray(value).dtype if hasattr(value, "__array__") else np.dtype(value)


def _of_numbers(value: Any) -> Any:
    """Returns a Python number that is promoted like the numbers in a sequence."""
    dtype = np.asarray(value).dtype
    return {"i": 0, "f": 0.0, "c": 0j}.get(dtype.kind, dtype)


def _as_64_bits(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns a dtype; NumPy's default integer becomes int64, also on 32-bit systems."""
    return np.dtype(np.int64) if dtype == np.intp else dtype


@export("experimental.numpy.result_type")
def result_type(*arrays_and_dtypes: Any) -> DType:
    """Returns the dtype in which arguments are combined, by NumPy's rules.

    Args:
      *arrays_and_dtypes: Arrays, tensors, numbers, dtypes.

    Returns:
      A DType.
    """
    kinds = [_kind(value) for value in arrays_and_dtypes]
    fixed = any(isinstance(kind, np.dtype) for kind in kinds)
    found = np.result_type(*kinds) if fixed else _as_64_bits(np.result_type(*kinds))
    wide = any(isinstance(kind, np.dtype) and kind.itemsize >= found.itemsize for kind in kinds)
    return as_dtype(found) if fixed and wide else default(found)


@export("experimental.numpy.promote_types")
def promote_types(type1: Any, type2: Any) -> np.dtype[Any]:
    """Returns the smallest NumPy dtype to which two dtypes can be cast without loss.

    Args:
      type1: A dtype.
      type2: Another dtype.

    Returns:
      A NumPy dtype.

    >>> tf.experimental.numpy.promote_types("int32", "float32")
    dtype('float64')
    """
    first, second = as_dtype(type1).np_dtype, as_dtype(type2).np_dtype
    return default(np.promote_types(first, second)).np_dtype


@export("experimental.numpy.array")
def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """Makes a tensor; Python numbers in it get NumPy's dtypes.

    Args:
      val: A number, nested sequence, array or tensor.
      dtype: The dtype of the result; None for NumPy's choice.
      copy: Accepted for compatibility: a tensor never changes.
      ndmin: The minimum rank of the result; axes of length 1 are added in front if necessary.

    Returns:
      A tensor.

    >>> tf.experimental.numpy.array([1, 2.5], ndmin=2)
    <tf.Tensor: shape=(1, 2), dtype=float64, numpy=array([[1. , 2.5]])>
    """
    if dtype is not None:
        kind = as_dtype(dtype)
    elif isinstance(val, (TensorLike, np.ndarray, np.generic)):
        kind = as_dtype(val.dtype)
    else:
        kind = string if isinstance(val, (str, bytes)) else result_type(val)
    if isinstance(val, TensorLike):
        made = tensor(val)
    elif any(isinstance(leaf, TensorLike) for leaf in _leaves(val)):
        made = joining.stack([array(part, kind) for part in val])
    else:
        numbers = isinstance(val, (list, tuple, int, float, complex, np.ndarray, np.generic))
        elements = np.asarray(val) if numbers else None
        known = elements is not None and elements.dtype != object
        made = convert_to_tensor(elements if known else val)
    made = made if made.dtype is kind else cast(made, kind)
    missing = ndmin - made.ndim
    return shaping.reshape(made, (1,) * missing + made._value.shape) if missing > 0 else made


@export("experimental.numpy.asarray")
def asarray(a: Any, dtype: Any = None) -> Tensor:
    """Makes a tensor of a value; a tensor of the right dtype is returned unchanged.

    Args:
      a: An array or array-like object.
      dtype: The dtype of the result; None for NumPy's choice.

    Returns:
      A tensor.
    """
    if type(a) is Tensor and (dtype is None or a.dtype == dtype):
        return a
    return array(a, dtype)


asanyarray = ascontiguousarray = asarray


@export("experimental.numpy.copy")
def copy(a: Any) -> Tensor:
    """Copies a value into a new tensor.

    Args:
      a: An array or array-like object.

    Returns:
      A tensor of the shape and dtype of `a`.
    """
    return identity_p(asarray(a))


def promoted(*values: Any, floating: bool = False) -> list[Tensor]:
    """Returns arguments as tensors of the dtype to which NumPy promotes them."""
    kind = result_type(*values)
    if floating and not (kind.is_floating or kind.is_complex):
        kind = default(np.float64)
    return [array(value, kind) for value in values]


def floating(x: Any) -> Tensor:
    """Returns a tensor of a floating or complex dtype: integers become float64."""
    x = asarray(x)
    return x if x.dtype.is_floating or x.dtype.is_complex else cast(x, default(np.float64))


def named_dtype(dtype: Any) -> DType:
    plain = any(dtype is kind for kind in (float, int, complex))
    return default(dtype) if plain else as_dtype(dtype)


@export("experimental.numpy.zeros")
def zeros(shape: Any, dtype: Any = float) -> Tensor:
    """Makes an array of zeros.

    Args:
      shape: The shape.
      dtype: The dtype; `float`, `int` and `complex` stand for NumPy's default dtypes.

    Returns:
      A tensor of shape `shape`.

    >>> tf.experimental.numpy.zeros((1, 2)).dtype.name
    'float64'
    """
    return creation.zeros(sizes(shape, "Fill"), named_dtype(dtype))


empty = zeros


@export("experimental.numpy.ones")
def ones(shape: Any, dtype: Any = float) -> Tensor:
    """Makes an array of ones.

    Args:
      shape: The shape.
      dtype: The dtype; `float`, `int` and `complex` stand for NumPy's default dtypes.

    Returns:
      A tensor of shape `shape`.
    """
    return creation.ones(sizes(shape, "Fill"), named_dtype(dtype))


@export("experimental.numpy.full")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """Makes an array that holds one value everywhere.

    Args:
      shape: The shape.
      fill_value: The value, which may be an array that broadcasts to the shape.
      dtype: The dtype of the result. Defaults to the dtype of `fill_value`.

    Returns:
      A tensor of shape `shape`.
    """
    value = array(fill_value, None if dtype is None else named_dtype(dtype))
    return shaping.broadcast_to(value, sizes(shape, "Fill"))


@export("experimental.numpy.zeros_like")
def zeros_like(a: Any, dtype: Any = None) -> Tensor:
    """Makes an array of zeros of the shape of another array.

    Args:
      a: An array or array-like object.
      dtype: The dtype of the result. Defaults to the dtype of `a`.

    Returns:
      A tensor of the shape of `a`.
    """
    a = asarray(a)
    return zeros(a._value.shape, a.dtype if dtype is None else dtype)


empty_like = zeros_like


@export("experimental.numpy.ones_like")
def ones_like(a: Any, dtype: Any = None) -> Tensor:
    """Makes an array of ones of the shape of another array.

    Args:
      a: An array or array-like object.
      dtype: The dtype of the result. Defaults to the dtype of `a`.

    Returns:
      A tensor of the shape of `a`.
    """
    a = asarray(a)
    return ones(a._value.shape, a.dtype if dtype is None else dtype)


@export("experimental.numpy.full_like")
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Tensor:
    """Makes an array of the shape of another array that holds one value everywhere.

    Args:
      a: An array or array-like object.
      fill_value: The value, which may be an array that broadcasts to the shape.
      dtype: The dtype of the result. Defaults to the dtype of `a`.
      order: Accepted for compatibility: C, F, K or A.
      subok: Accepted for compatibility.
      shape: The shape of the result. Defaults to the shape of `a`.

    Returns:
      A tensor.

    Raises:
      ValueError: `order` is unknown.
    """
    if order not in ("C", "F", "K", "A"):
        raise ValueError(f"`order` must be 'C', 'F', 'K' or 'A', got {order!r}")
    a = asarray(a)
    return full(shape or a._value.shape, fill_value, a.dtype if dtype is None else dtype)


@export("experimental.numpy.ndim")
def ndim(a: Any) -> int:
    """Returns the number of axes.

    Args:
      a: An array or array-like object.

    Returns:
      The number of axes.
    """
    return asarray(a).ndim


@export("experimental.numpy.shape")
def shape(a: Any) -> TensorShape:
    """Returns the lengths of the axes.

    Args:
      a: An array or array-like object.

    Returns:
      A TensorShape.
    """
    return asarray(a).shape


@export("experimental.numpy.size")
def size(x: Any, axis: Any = None) -> np.ndarray[Any, Any] | np.generic | int:
    """Returns the number of elements.

    Args:
      x: An array or array-like object.
      axis: Must be None.

    Returns:
      The number of elements.

    Raises:
      NotImplementedError: `axis` is given, which TensorFlow does not support, either.
    """
    if axis is not None:
        raise NotImplementedError(
            "axis argument is not supported in the current `np.size` implementation"
        )
    if isinstance(x, (int, float)):
        return 1
    count: np.ndarray[Any, Any] | np.generic = np.asarray(asarray(x)._value.size)[()]
    return count


@export("experimental.numpy.isscalar")
def isscalar(num: Any) -> bool:
    """Returns whether a value is a scalar.

    Args:
      num: Any value.

    Returns:
      True for a number, and for an array or tensor without axes.
    """
    return np.isscalar(num) or (isinstance(num, (TensorLike, np.ndarray)) and not num.ndim)


@export("experimental.numpy.iscomplexobj")
def iscomplexobj(x: Any) -> bool:
    """Returns whether the dtype of a value is complex.

    Args:
      x: An array or array-like object.

    Returns:
      True for a complex dtype.
    """
    return asarray(x).dtype.is_complex


@export("experimental.numpy.isrealobj")
def isrealobj(x: Any) -> bool:
    """Returns whether the dtype of a value is not complex.

    Args:
      x: An array or array-like object.

    Returns:
      True for a dtype that is not complex.
    """
    return not iscomplexobj(x)


@export("experimental.numpy.issubdtype")
def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Returns whether a dtype is a kind of another.

    Args:
      arg1: A dtype.
      arg2: A dtype, or one of NumPy's abstract types, such as `np.integer`.

    Returns:
      True if `arg1` is below `arg2` in NumPy's hierarchy of dtypes.

    >>> tf.experimental.numpy.issubdtype(tf.int32, np.integer)
    True
    """
    first = arg1.as_numpy_dtype if isinstance(arg1, DType) else arg1
    second = arg2.as_numpy_dtype if isinstance(arg2, DType) else arg2
    return bool(np.issubdtype(first, second))


@export("experimental.numpy.finfo")
def finfo(dtype: Any) -> np.finfo[Any]:
    """Returns the limits of a floating-point dtype, such as `eps`, `max` and `tiny`.

    Args:
      dtype: A floating-point dtype.

    Returns:
      NumPy's `finfo`.

    >>> float(tf.experimental.numpy.finfo("float32").max)
    3.4028234663852886e+38
    """
    return np.finfo(as_dtype(dtype).np_dtype)


@export("experimental.numpy.iinfo")
def iinfo(int_type: Any) -> np.iinfo[Any]:
    """Returns the limits of an integer dtype, `min` and `max`.

    Args:
      int_type: An integer dtype.

    Returns:
      NumPy's `iinfo`.

    >>> tf.experimental.numpy.iinfo("int8").max
    127
    """
    return np.iinfo(as_dtype(int_type).np_dtype)


def listed(arrays: Any) -> Sequence[Any]:
    """Returns the arrays of a sequence, or the slices of an array along its first axis."""
    return arrays if isinstance(arrays, (list, tuple)) else joining.unstack(asarray(arrays))


export_value(asanyarray, "experimental.numpy.asanyarray")
export_value(ascontiguousarray, "experimental.numpy.ascontiguousarray")
export_value(empty, "experimental.numpy.empty")
export_value(empty_like, "experimental.numpy.empty_like")
