"""`tf.experimental.numpy`: its types and promotion, and making arrays.

The functions of these modules take what NumPy's take, and Python numbers, lists and tensors beside
one another get the dtype that NumPy gives them: `add(int32_tensor, 1.5)` is float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.error_messages import allocated
from gradtape._src.base.export import export, export_value
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import sizes
from gradtape._src.ops.array import creation, grids_and_masks, joining, shaping
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.identities import identity_p
from gradtape._src.ops.linalg.diagonals import band_part

NARROW = {"float64": "float32", "int64": "int32", "complex128": "complex64"}


class _Preference:
    """Which dtype Python numbers get: NumPy's 64 bits, or 32."""

    float32 = False


def prefer_float32(preferred: bool) -> None:
    """Whether Python numbers get 32 bits here rather than 64."""
    _Preference.float32 = preferred


def default(dtype: Any) -> DType:
    """A dtype, with 32 bits in place of 64 if that is preferred."""
    kind = np.dtype(dtype)
    return as_dtype(NARROW.get(kind.name, kind.name) if _Preference.float32 else kind)


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in _leaves(part)]
    return [value]


def _kind(value: Any) -> Any:
    """What NumPy promotes by: the dtype of an array, and a Python number itself."""
    if isinstance(value, (TensorLike, np.ndarray, np.generic)):
        return as_dtype(value.dtype).np_dtype  # type: ignore[union-attr]
    if isinstance(value, DType):
        return value.np_dtype
    if isinstance(value, (type, np.dtype)):
        return np.dtype(value)
    if isinstance(value, (bool, np.bool_)):
        return np.dtype(bool)
    if isinstance(value, (list, tuple)):
        kinds = [leaf for leaf in _leaves(value) if isinstance(leaf, (TensorLike, np.ndarray))]
        return result_type(*_leaves(value)).np_dtype if kinds else _of_numbers(value)
    return value if isinstance(value, (int, float, complex)) else np.asarray(value).dtype


def _of_numbers(value: Any) -> Any:
    """A sequence of Python's numbers promotes as one of them does."""
    dtype = np.asarray(value).dtype
    return {"i": 0, "f": 0.0, "c": 0j}.get(dtype.kind, dtype)


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of Python numbers: NumPy's integer has 32 bits where addresses have 32."""
    return np.dtype(np.int64) if dtype == np.intp else dtype


@export("experimental.numpy.result_type")
def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that a function gives to these arguments together, by NumPy's rules.

    Args:
      *arrays_and_dtypes: Arrays, tensors, numbers, dtypes.
    """
    kinds = [_kind(value) for value in arrays_and_dtypes]
    fixed = any(isinstance(kind, np.dtype) for kind in kinds)
    found = np.result_type(*kinds) if fixed else _wide(np.result_type(*kinds))
    wide = any(isinstance(kind, np.dtype) and kind.itemsize >= found.itemsize for kind in kinds)
    return as_dtype(found) if fixed and wide else default(found)


@export("experimental.numpy.promote_types")
def promote_types(type1: Any, type2: Any) -> np.dtype[Any]:
    """The NumPy dtype to which both can be cast without loss."""
    first, second = as_dtype(type1).np_dtype, as_dtype(type2).np_dtype
    return default(np.promote_types(first, second)).np_dtype


@export("experimental.numpy.array")
def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A tensor of a value, Python numbers in NumPy's dtypes.

    Args:
      val: A number, a nested sequence, an array, a tensor.
      dtype: Its dtype; None for NumPy's choice.
      copy: Accepted for compatibility: a tensor never changes.
      ndmin: Axes of length 1 are put in front until there are so many.
    """
    if dtype is not None:
        kind = as_dtype(dtype)
    elif isinstance(val, (TensorLike, np.ndarray, np.generic)):
        kind = as_dtype(val.dtype)  # type: ignore[union-attr]
    else:
        kind = result_type(val)
    if isinstance(val, TensorLike):
        made = tensor(val)
    elif any(isinstance(leaf, TensorLike) for leaf in _leaves(val)):
        made = joining.stack([array(part, kind) for part in val])
    else:
        made = convert_to_tensor(np.asarray(val))
    made = made if made.dtype is kind else cast(made, kind)
    missing = ndmin - made.ndim
    return shaping.reshape(made, (1,) * missing + made._value.shape) if missing > 0 else made


@export("experimental.numpy.asarray")
def asarray(a: Any, dtype: Any = None) -> Tensor:
    """A tensor of a value; see `array`."""
    if type(a) is Tensor and (dtype is None or a.dtype == dtype):
        return a
    return array(a, dtype)


asanyarray = ascontiguousarray = asarray


@export("experimental.numpy.copy")
def copy(a: Any) -> Tensor:
    """The value as a new tensor."""
    return identity_p(asarray(a))


def promoted(*values: Any, floating: bool = False) -> list[Tensor]:
    """Arguments as tensors of the dtype that NumPy promotes them to."""
    kind = result_type(*values)
    if floating and not (kind.is_floating or kind.is_complex):
        kind = default(np.float64)
    return [array(value, kind) for value in values]


def floating(x: Any) -> Tensor:
    """A tensor of a floating or complex dtype: integers become float64."""
    return promoted(x, floating=True)[0]


def _made(dtype: Any) -> DType:
    plain = any(dtype is kind for kind in (float, int, complex))
    return default(dtype) if plain else as_dtype(dtype)


@export("experimental.numpy.zeros")
def zeros(shape: Any, dtype: Any = float) -> Tensor:
    """An array of zeros."""
    return creation.zeros(sizes(shape, "Fill"), _made(dtype))


empty = zeros


@export("experimental.numpy.ones")
def ones(shape: Any, dtype: Any = float) -> Tensor:
    """An array of ones."""
    return creation.ones(sizes(shape, "Fill"), _made(dtype))


@export("experimental.numpy.full")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """An array of one value, which may itself be an array that is broadcast."""
    value = array(fill_value, None if dtype is None else _made(dtype))
    return shaping.broadcast_to(value, sizes(shape, "Fill"))


@export("experimental.numpy.zeros_like")
def zeros_like(a: Any, dtype: Any = None) -> Tensor:
    """Zeros of an array's shape, and of its dtype unless another is asked for."""
    a = asarray(a)
    return zeros(a._value.shape, a.dtype if dtype is None else dtype)


empty_like = zeros_like


@export("experimental.numpy.ones_like")
def ones_like(a: Any, dtype: Any = None) -> Tensor:
    """Ones of an array's shape, and of its dtype unless another is asked for."""
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
    """An array of one value, of an array's shape and dtype.

    Args:
      a: The array.
      fill_value: The value.
      dtype: Another dtype.
      order: Accepted for compatibility: C, K or A.
      subok: Accepted for compatibility.
      shape: Another shape.
    """
    a = asarray(a)
    wanted = a._value.shape if shape is None else shape
    return full(wanted, fill_value, a.dtype if dtype is None else dtype)


@export("experimental.numpy.eye")
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Tensor:
    """Ones on the k-th diagonal of a matrix of N rows and M columns, zeros elsewhere."""
    kind, shape = _made(dtype).np_dtype, (N, N if M is None else M)
    return convert_to_tensor(allocated("Eye", shape, np.eye, N, M, k, kind))


@export("experimental.numpy.identity")
def identity(n: int, dtype: Any = float) -> Tensor:
    """The identity matrix."""
    return eye(n, dtype=dtype)


@export("experimental.numpy.tri")
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Ones on and below the k-th diagonal, zeros above it."""
    kind, shape = _made(float if dtype is None else dtype).np_dtype, (N, N if M is None else M)
    return convert_to_tensor(allocated("Tri", shape, np.tri, N, M, k, kind))


@export("experimental.numpy.tril")
def tril(m: Any, k: int = 0) -> Tensor:
    """A matrix (or many) with zeros above the k-th diagonal."""
    m = asarray(m)
    rows, columns = m._value.shape[-2:]
    if k < 0:  # the whole lower part without the band above
        return m - band_part(m, -k - 1, -1) if -k <= rows else zeros_like(m)
    return band_part(m, -1, min(k, columns))


@export("experimental.numpy.triu")
def triu(m: Any, k: int = 0) -> Tensor:
    """A matrix (or many) with zeros below the k-th diagonal."""
    m = asarray(m)
    rows, columns = m._value.shape[-2:]
    if k > 0:
        return m - band_part(m, -1, k - 1) if k <= columns else zeros_like(m)
    return band_part(m, min(-k, rows), -1)


@export("experimental.numpy.arange")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """Numbers from `start` up to but without `stop`, `step` apart.

    Raises:
      ValueError: The step is 0.
    """
    if not step:
        raise ValueError("step must be non-zero")
    start, stop = (0, start) if stop is None else (start, stop)
    bounds: Any = [np.asarray(bound)[()] for bound in (start, stop, step)]
    kind = result_type(start, stop, step) if dtype is None else _made(dtype)
    return convert_to_tensor(allocated("Range", None, np.arange, *bounds).astype(kind.np_dtype))


@overload
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: Any = float,
    axis: int = 0,
) -> Tensor: ...
@overload
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Tensor | tuple[Tensor, Tensor]: ...
@export("experimental.numpy.linspace")
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Tensor | tuple[Tensor, Tensor]:
    """Numbers at equal distances, differentiable in both ends.

    Args:
      start: The first.
      stop: The last; the one after the last without `endpoint`.
      num: How many.
      endpoint: Whether `stop` is among them.
      retstep: Whether to return the distance, too.
      dtype: Their dtype.
      axis: Along which axis of the result.

    Returns:
      The numbers; with `retstep`, them and their distance.
    """
    start, stop = promoted(start, stop, floating=True)
    kind = start.dtype if dtype in (None, float) else _made(dtype)
    start, stop = cast(start, kind), cast(stop, kind)
    parts = num - 1 if endpoint else num
    step = (stop - start) / max(parts, 1) if parts else full((), math.nan, kind)
    last = stop if endpoint else stop - step
    made = creation.linspace(start, last, num, axis=axis) if num > 1 else None
    if made is None:
        made = shaping.expand_dims(shaping.broadcast_to(start, (start + stop)._value.shape), axis)
    return (made, step) if retstep else made


@export("experimental.numpy.logspace")
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """Powers of the base with exponents at equal distances."""
    kind = result_type(start, stop, float(0)) if dtype is None else _made(dtype)
    kind = kind if kind.is_floating or kind.is_complex else default(np.float64)
    exponents = linspace(start, stop, num, endpoint, dtype=kind, axis=axis)
    powers = array(base, exponents.dtype) ** exponents
    return powers if dtype is None else cast(powers, _made(dtype))


@export("experimental.numpy.geomspace")
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Tensor:
    """Numbers with equal ratios from `start` to `stop`, which have one sign."""
    start, stop = promoted(start, stop, floating=True)
    exponents = linspace(0.0, 1.0, num, endpoint, dtype=start.dtype)
    exponents = shaping.reshape(exponents, (num,) + (1,) * (start + stop)._value.ndim)
    made = start * (stop / start) ** exponents
    if axis:
        rank = made.ndim
        order = list(range(1, rank))
        order.insert(axis % rank, 0)
        made = shaping.transpose(made, order)
    return made if dtype is None else cast(made, _made(dtype))


@export("experimental.numpy.meshgrid")
def meshgrid(*xi: Any, **kwargs: Any) -> list[Tensor]:
    """Coordinates on a grid.

    Args:
      *xi: The coordinates along each axis.
      **kwargs: `indexing`: "xy" or "ij".

    Raises:
      ValueError: `sparse` or `copy=False`, which a tensor can't be.
    """
    if kwargs.pop("sparse", False):
        raise ValueError("Function meshgrid does not support returning sparse arrays yet.")
    if not kwargs.pop("copy", True):
        raise ValueError("Function meshgrid only supports copy=True.")
    return grids_and_masks.meshgrid(*(asarray(x) for x in xi), **kwargs)


@export("experimental.numpy.diag_indices")
def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """The positions on the main diagonal of a cube of `ndim` axes of length n."""
    return (creation.range(n),) * ndim


@export("experimental.numpy.ndim")
def ndim(a: Any) -> int:
    """The number of axes."""
    return asarray(a).ndim


@export("experimental.numpy.shape")
def shape(a: Any) -> TensorShape:
    """The lengths of the axes."""
    return asarray(a).shape


@export("experimental.numpy.size")
def size(x: Any, axis: Any = None) -> np.ndarray[Any, Any] | np.generic:
    """The number of elements.

    Raises:
      NotImplementedError: For one axis only, which TensorFlow does not count either.
    """
    if axis is not None:
        raise NotImplementedError(
            "axis argument is not supported in the current `np.size` implementation"
        )
    count: np.ndarray[Any, Any] | np.generic = np.asarray(asarray(x)._value.size)[()]
    return count


@export("experimental.numpy.isscalar")
def isscalar(num: Any) -> bool:
    """Whether a value has no axes."""
    return np.isscalar(num) or (isinstance(num, (TensorLike, np.ndarray)) and not num.ndim)


@export("experimental.numpy.iscomplexobj")
def iscomplexobj(x: Any) -> bool:
    """Whether a value's dtype is complex."""
    return asarray(x).dtype.is_complex


@export("experimental.numpy.isrealobj")
def isrealobj(x: Any) -> bool:
    """Whether a value's dtype is not complex."""
    return not iscomplexobj(x)


@export("experimental.numpy.issubdtype")
def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether the first dtype is of the second kind, such as `np.integer`."""
    first = arg1.as_numpy_dtype if isinstance(arg1, DType) else arg1
    second = arg2.as_numpy_dtype if isinstance(arg2, DType) else arg2
    return bool(np.issubdtype(first, second))


@export("experimental.numpy.finfo")
def finfo(dtype: Any) -> np.finfo[Any]:
    """The limits of a floating dtype: `eps`, `max`, `tiny`, ..."""
    return np.finfo(as_dtype(dtype).np_dtype)


@export("experimental.numpy.iinfo")
def iinfo(dtype: Any) -> np.iinfo[Any]:
    """The limits of an integer dtype: `min` and `max`."""
    return np.iinfo(as_dtype(dtype).np_dtype)


def listed(arrays: Any) -> Sequence[Any]:
    """The arrays of a sequence, or along the first axis of one array."""
    return arrays if isinstance(arrays, (list, tuple)) else joining.unstack(asarray(arrays))


export_value(asanyarray, "experimental.numpy.asanyarray")
export_value(ascontiguousarray, "experimental.numpy.ascontiguousarray")
export_value(empty, "experimental.numpy.empty")
export_value(empty_like, "experimental.numpy.empty_like")
