"""Sequences of numbers, grids and matrices of `tf.experimental.numpy`."""

from __future__ import annotations

import math
from typing import Any, Literal, overload

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.error_messages import allocated
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import lengths_checked
from gradtape._src.numpy.arrays import (
    array,
    asarray,
    default,
    full,
    named_dtype,
    promoted,
    result_type,
    zeros_like,
)
from gradtape._src.numpy.shapes import moveaxis
from gradtape._src.ops.array import creation, grids_and_masks, shaping
from gradtape._src.ops.elementwise import rounding
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.linalg.diagonals import band_part


@export("experimental.numpy.eye")
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Tensor:
    """Makes a matrix with ones on one diagonal and zeros elsewhere.

    Args:
      N: The number of rows.
      M: The number of columns. Defaults to `N`.
      k: The diagonal: 0 for the main one, positive above it, negative below it.
      dtype: The dtype.

    Returns:
      A tensor of shape (N, M).
    """
    N, M, k = int(N), int(M or N), int(k)
    kind, shape = named_dtype(dtype).np_dtype, lengths_checked((N, M), "eye", "N, M")
    return convert_to_tensor(allocated("Eye", shape, np.eye, N, M, k, kind))


@export("experimental.numpy.identity")
def identity(n: int, dtype: Any = float) -> Tensor:
    """Makes the identity matrix.

    Args:
      n: The number of rows and columns.
      dtype: The dtype.

    Returns:
      A tensor of shape (n, n).
    """
    return eye(n, dtype=dtype)


@export("experimental.numpy.tri")
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Makes a matrix with ones on and below a diagonal and zeros above it.

    Args:
      N: The number of rows.
      M: The number of columns. Defaults to `N`.
      k: The diagonal: 0 for the main one, positive above it, negative below it.
      dtype: The dtype.

    Returns:
      A tensor of shape (N, M).
    """
    kind, shape = (
        named_dtype(float if dtype is None else dtype).np_dtype,
        (N, N if M is None else M),
    )
    return convert_to_tensor(allocated("Tri", shape, np.tri, N, M, k, kind))


@export("experimental.numpy.tril")
def tril(m: Any, k: int = 0) -> Tensor:
    """Sets the elements of matrices above a diagonal to zero.

    Args:
      m: An array of shape (..., rows, columns).
      k: The diagonal: 0 for the main one, positive above it, negative below it.

    Returns:
      A tensor of the shape and dtype of `m`.
    """
    m = asarray(m)
    rows, columns = m._value.shape[-2:]
    if k < 0:  # the matrix minus the band that lies above the diagonal
        return m - band_part(m, -k - 1, -1) if -k <= rows else zeros_like(m)
    return band_part(m, -1, min(k, columns))


@export("experimental.numpy.triu")
def triu(m: Any, k: int = 0) -> Tensor:
    """Sets the elements of matrices below a diagonal to zero.

    Args:
      m: An array of shape (..., rows, columns).
      k: The diagonal: 0 for the main one, positive above it, negative below it.

    Returns:
      A tensor of the shape and dtype of `m`.
    """
    m = asarray(m)
    rows, columns = m._value.shape[-2:]
    if k > 0:
        return m - band_part(m, -1, k - 1) if k <= columns else zeros_like(m)
    return band_part(m, min(-k, rows), -1)


@export("experimental.numpy.arange")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """Returns equally spaced numbers from `start` up to, but not including, `stop`.

    Args:
      start: The first number. If `stop` is None, `start` is the end and the first number is 0.
      stop: The end, which is not included.
      step: The distance between neighbors.
      dtype: The dtype. Defaults to NumPy's choice for the other arguments.

    Returns:
      A vector.

    Raises:
      ValueError: `step` is 0.

    >>> tf.experimental.numpy.arange(0, 6, 2)
    <tf.Tensor: shape=(3,), dtype=int64, numpy=array([0, 2, 4])>
    """
    if not step:
        raise ValueError("step must be non-zero")
    start, stop = (0, start) if stop is None else (start, stop)
    bounds: Any = [np.asarray(bound)[()] for bound in (start, stop, step)]
    kind = result_type(start, stop, step) if dtype is None else named_dtype(dtype)
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
    """Returns numbers at equal distances; both ends have gradients.

    Args:
      start: The first number; an array gives many sequences at once.
      stop: The last number; without `endpoint`, the number that would follow the last one.
      num: The length of each sequence.
      endpoint: Whether `stop` is the last number.
      retstep: Whether to return the distance between neighbors, too.
      dtype: The dtype of the numbers.
      axis: The axis of the result along which the numbers lie.

    Returns:
      The numbers; with `retstep`, a pair of the numbers and their distance.

    >>> tf.experimental.numpy.linspace(0.0, 1.0, 3)
    <tf.Tensor: shape=(3,), dtype=float64, numpy=array([0. , 0.5, 1. ])>
    """
    start, stop = promoted(start, stop, floating=True)
    asked = start.dtype if dtype is None or dtype is float else named_dtype(dtype)
    kind = start.dtype if asked.is_integer or asked.is_bool else asked
    start, stop = cast(start, kind), cast(stop, kind)
    parts = num - 1 if endpoint else num
    step = (stop - start) / max(parts, 1) if parts else full((), math.nan, kind)
    last = stop if endpoint else stop - step
    made = creation.linspace(start, last, num, axis=axis) if num > 1 else None
    if made is None:
        made = shaping.expand_dims(shaping.broadcast_to(start, (start + stop)._value.shape), axis)
        made = made if num else shaping.reshape(made[:0], (0, *made._value.shape[1:]))
    if asked is not kind:
        made = cast(rounding.floor(made), asked)  # NumPy rounds towards minus infinity
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
    """Returns powers of a base whose exponents lie at equal distances.

    Args:
      start: The first exponent.
      stop: The last exponent; without `endpoint`, the exponent that would follow the last one.
      num: The number of values.
      endpoint: Whether `stop` is the last exponent.
      base: The base of the powers.
      dtype: The dtype of the result. Defaults to NumPy's choice.
      axis: The axis of the result along which the numbers lie.

    Returns:
      A floating-point tensor.

    >>> tf.experimental.numpy.logspace(0.0, 2.0, 3)
    <tf.Tensor: shape=(3,), dtype=float64, numpy=array([  1.,  10., 100.])>
    """
    kind = result_type(start, stop, float(0)) if dtype is None else named_dtype(dtype)
    kind = kind if kind.is_floating or kind.is_complex else default(np.float64)
    exponents = linspace(start, stop, num, endpoint, dtype=kind, axis=axis)
    powers = array(base, exponents.dtype) ** exponents
    return powers if dtype is None else cast(powers, named_dtype(dtype))


@export("experimental.numpy.geomspace")
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Tensor:
    """Returns numbers from `start` to `stop` with equal ratios between neighbors.

    Args:
      start: The first number, not 0.
      stop: The last number, of the sign of `start`; without `endpoint`, the one that would follow.
      num: The number of values.
      endpoint: Whether `stop` is the last number.
      dtype: The dtype of the result. Defaults to NumPy's choice.
      axis: The axis of the result along which the numbers lie.

    Returns:
      A floating-point tensor.

    >>> tf.experimental.numpy.geomspace(1.0, 4.0, 3)
    <tf.Tensor: shape=(3,), dtype=float64, numpy=array([1., 2., 4.])>
    """
    given = result_type(start, stop, default(np.float64)) if dtype is None else named_dtype(dtype)
    kind = as_dtype(np.promote_types(given.np_dtype, np.float64))
    start, stop = array(start, kind), array(stop, kind)
    exponents = linspace(0.0, 1.0, num, endpoint, dtype=kind)
    exponents = shaping.reshape(exponents, (num,) + (1,) * (start + stop)._value.ndim)
    made = start * (stop / start) ** exponents
    return cast(moveaxis(made, 0, axis) if axis else made, given)


@export("experimental.numpy.meshgrid")
def meshgrid(*xi: Any, **kwargs: Any) -> list[Tensor]:
    """Returns the coordinates of the points of a grid.

    Args:
      *xi: A vector of coordinates for each axis.
      **kwargs: `indexing`: "xy" (the default) or "ij".

    Returns:
      A list with one tensor for each vector, all of the grid's shape.

    Raises:
      ValueError: `sparse=True` or `copy=False` is given, which tensors do not support.
    """
    if kwargs.pop("sparse", False):
        raise ValueError("Function meshgrid does not support returning sparse arrays yet.")
    if not kwargs.pop("copy", True):
        raise ValueError("Function meshgrid only supports copy=True.")
    return grids_and_masks.meshgrid(*(asarray(x) for x in xi), **kwargs)


@export("experimental.numpy.diag_indices")
def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """Returns the indices of the elements on the main diagonal of a cube.

    Args:
      n: The length of each axis of the cube.
      ndim: The number of axes.

    Returns:
      A tuple of `ndim` int32 vectors of length `n`.
    """
    return (creation.range(n),) * ndim
