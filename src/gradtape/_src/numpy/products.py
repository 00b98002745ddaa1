"""Products of matrices and vectors, Einstein summation and polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import axis_index
from gradtape._src.numpy.arrays import asarray, ones, promoted
from gradtape._src.numpy.elementwise import conj
from gradtape._src.numpy.shapes import broadcast_arrays, moveaxis, ravel
from gradtape._src.ops.array import joining, padding, shaping
from gradtape._src.ops.linalg import einsum as einsums
from gradtape._src.ops.linalg import matmul, matrix_functions


@export("experimental.numpy.matmul")
def matmul_(x1: Any, x2: Any) -> Tensor:
    """Computes the product of matrices; vectors count as rows and columns.

    Args:
      x1: An array of rank one or more.
      x2: A second array.

    Returns:
      A tensor.

    Raises:
      ValueError: The shapes are incompatible, or an argument is a scalar.

    >>> tf.experimental.numpy.matmul([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])
    """
    x1, x2 = promoted(x1, x2)
    try:
        return _matmul(x1, x2)
    except InvalidArgumentError as error:  # NumPy raises ValueError
        raise ValueError(str(error)) from None


def _matmul(x1: Tensor, x2: Tensor) -> Tensor:
    if x1.ndim == 1 and x2.ndim == 1:
        return matmul.tensordot(x1, x2, 1)
    if x1.ndim == 1:
        return shaping.squeeze(matmul.matmul(shaping.expand_dims(x1, 0), x2), -2)
    if x2.ndim == 1:
        return shaping.squeeze(matmul.matmul(x1, shaping.expand_dims(x2, -1)), -1)
    return matmul.matmul(x1, x2)


@export("experimental.numpy.tensordot")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """Computes sums of products over axes of two arrays.

    Args:
      a: An array or array-like object.
      b: A second array.
      axes: A number n, for the last n axes of `a` and the first n axes of `b`; or a pair of the
        axes of `a` and the axes of `b`.

    Returns:
      A tensor.
    """
    a, b = promoted(a, b)
    return matmul.tensordot(a, b, axes)


@export("experimental.numpy.dot")
def dot(a: Any, b: Any) -> Tensor:
    """Computes sums of products over the last axis of one array and the last but one of another.

    Args:
      a: An array or array-like object.
      b: A second array.

    Returns:
      A tensor.
    """
    x, y = promoted(a, b)
    if not x.ndim or not y.ndim:
        return x * y
    return matmul.tensordot(x, y, ([-1], [-1 if y.ndim == 1 else -2]))


@export("experimental.numpy.inner")
def inner(a: Any, b: Any) -> Tensor:
    """Computes sums of products over the last axes of two arrays.

    Args:
      a: An array or array-like object.
      b: A second array.

    Returns:
      A tensor.
    """
    a, b = promoted(a, b)
    return a * b if not a.ndim or not b.ndim else matmul.tensordot(a, b, ([-1], [-1]))


@export("experimental.numpy.outer")
def outer(a: Any, b: Any) -> Tensor:
    """Computes the product of each element of one array with each element of another.

    Args:
      a: An array or array-like object.
      b: A second array.

    Returns:
      A tensor with two axes.

    >>> tf.experimental.numpy.outer([1, 2], [3, 4]).numpy()
    array([[3, 4],
           [6, 8]])
    """
    a, b = promoted(a, b)
    return shaping.reshape(a, (-1, 1)) * shaping.reshape(b, (-1,))


@export("experimental.numpy.vdot")
def vdot(a: Any, b: Any) -> Tensor:
    """Computes the sum of products of all elements, the first conjugated.

    Args:
      a: An array or array-like object.
      b: A second array.

    Returns:
      A scalar tensor.
    """
    a, b = promoted(a, b)
    return matmul.tensordot(ravel(conj(a) if a.dtype.is_complex else a), ravel(b), 1)


@export("experimental.numpy.kron")
def kron(a: Any, b: Any) -> Tensor:
    """Computes the Kronecker product of two arrays.

    Args:
      a: An array or array-like object.
      b: A second array.

    Returns:
      A tensor.
    """
    a, b = promoted(a, b)
    rank = max(a.ndim, b.ndim)
    first = (1,) * (rank - a.ndim) + a._value.shape
    second = (1,) * (rank - b.ndim) + b._value.shape
    a = shaping.reshape(a, [n for m in first for n in (m, 1)])
    b = shaping.reshape(b, [n for m in second for n in (1, m)])
    return shaping.reshape(a * b, [m * n for m, n in zip(first, second, strict=True)])


@export("experimental.numpy.cross")
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Tensor:
    """Returns the cross product of vectors of length 2 or 3; for length 2, its third component.

    Args:
      a: Vectors.
      b: Vectors.
      axisa: The axis of the vectors' components in `a`.
      axisb: The axis of the vectors' components in `b`.
      axisc: The axis of the vectors' components in the result.
      axis: The axis in `a`, in `b` and in the result, in place of the three others.

    Returns:
      A tensor.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = promoted(a, b)
    a, b = _axis_to_last(a, axisa), _axis_to_last(b, axisb)
    flat = a._value.shape[-1] == b._value.shape[-1] == 2
    zeros = [(0, 0)]
    a, b = (
        padding.pad(x, zeros * (x.ndim - 1) + [(0, 1)]) if x._value.shape[-1] == 2 else x
        for x in (a, b)
    )
    a, b = broadcast_arrays(a, b)
    made = matrix_functions.cross(a, b)
    return made[..., 2] if flat else moveaxis(made, -1, _checked_axis(axisc, made.ndim))


def _checked_axis(axis: Any, rank: int) -> int:
    if not isinstance(axis, (int, np.integer)):
        raise TypeError(f"tf.experimental.numpy.cross: an axis must be an integer, got {axis!r}")
    return axis_index(axis, rank, "cross", "axis {axis} is out of range for rank {rank}")


def _axis_to_last(x: Tensor, axis: Any) -> Tensor:
    if not x.ndim:
        raise IndexError("tf.experimental.numpy.cross: a scalar is no vector")
    return moveaxis(x, _checked_axis(axis, x.ndim), -1)


@export("experimental.numpy.einsum")
def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Tensor:
    """Computes an Einstein summation.

    Args:
      subscripts: The axes of the operands and of the result, such as "ij,jk->ik".
      *operands: The arrays.
      **kwargs: `optimize`, and `casting`, which must be "safe".

    Returns:
      A tensor.

    Raises:
      ValueError: `casting` is not supported.
    """
    if kwargs.pop("casting", "safe") != "safe":
        raise ValueError("casting other than 'safe' is not supported.")
    kwargs.pop("optimize", None)
    return einsums.einsum(subscripts, *promoted(*operands), **kwargs)


@export("experimental.numpy.vander")
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """Returns a matrix whose rows are the powers of numbers.

    Args:
      x: A vector.
      N: The number of powers; None for as many as elements.
      increasing: Whether the powers increase from left to right.

    Returns:
      A tensor of shape (len(x), N).
    """
    x = asarray(x)
    count = len(x) if N is None else N
    rising = ones((len(x), 1), x.dtype)
    columns = [rising[:, 0]]
    for _ in range(1, count):
        columns.append(columns[-1] * x)
    columns = columns[:count] if increasing else columns[:count][::-1]
    return joining.stack(columns, 1) if columns else rising[:, :0]


@export("experimental.numpy.polyval")
def polyval(p: Any, x: Any) -> Tensor:
    """Evaluates a polynomial.

    Args:
      p: The coefficients, beginning with that of the highest power.
      x: The points at which to evaluate it.

    Returns:
      A tensor of the shape of `x`.

    >>> tf.experimental.numpy.polyval([1, 0, 2], 3).numpy()
    np.int64(11)
    """
    coefficients, at = promoted(p, x)
    coefficients = coefficients if coefficients.ndim else coefficients[None]
    made = at * 0
    for coefficient in joining.unstack(coefficients):
        made = made * at + coefficient
    return made
