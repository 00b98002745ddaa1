"""Norms of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import COMPLEX, FLOATING
from gradtape._src.declare.structural import conj_p, reduce_sum_p, reshape_p, transpose_p
from gradtape._src.ops.elementwise.arithmetic import abs_p
from gradtape._src.ops.elementwise.complex_numbers import complex_abs_p
from gradtape._src.ops.elementwise.powers import pow_p, sqrt_p
from gradtape._src.ops.linalg.decompositions import singular_values_p
from gradtape._src.ops.reduce.extremes import reduce_max_p
from gradtape._src.ops.reduce.reductions import reduce_euclidean_norm_p

Axes = tuple[int, ...]


@export("norm", "linalg.norm")
def norm(
    tensor: Any,
    ord: Any = "euclidean",  # noqa: A002 (TensorFlow's name)
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
) -> Tensor:
    """Returns the norms of vectors or matrices.

    Args:
      tensor: A tensor of floating or complex dtype.
      ord: The order of the norm. For vectors, "euclidean" or a positive number, which may be
        infinite. For matrices, "euclidean" or "fro" (the square root of the sum of squares), 1 (the
        greatest column sum), 2 (the greatest singular value) or infinity (the greatest row sum).
      axis: None for the norm of the flattened tensor, an integer for vectors along an axis, a pair
        of integers for matrices.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same dtype without the reduced axes. Its gradient is NaN where a Euclidean
      norm is 0, as in TensorFlow.

    Raises:
      ValueError: `ord` or `axis` is not valid.
      InvalidArgumentError: The dtype is an integer dtype.

    >>> tf.norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy()
    array([ 5., 10.], dtype=float32)
    >>> tf.norm([3.0, -4.0], ord=1).numpy()
    np.float32(7.0)
    """
    x = _tensor(tensor)
    kept = bool(keepdims)
    matrices = isinstance(axis, (tuple, list))
    given = axis if matrices else () if axis is None else (axis,)
    pair = not matrices or (len(axis) == 2 and axis[0] != axis[1])
    if not pair or not all(isinstance(a, (int, np.int32, np.int64)) for a in given):
        raise ValueError(
            f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
        )
    if matrices and ord not in _MATRIX:
        raise ValueError(f"'ord' must be a supported matrix norm in {_MATRIX}, got {ord}")
    if not matrices and (isinstance(ord, str) and ord != "euclidean"):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    if not matrices and not isinstance(ord, str) and not ord > 0:
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    rank = x._value.ndim
    axes = _negative(range(rank) if axis is None else axis if matrices else (axis,), rank)
    if ord in {"fro", "euclidean"} or (ord == 2 and not matrices):
        return _euclidean(x, axes, kept)
    if matrices:
        return _matrix_norm(x, ord, axes, kept)
    return _vector_norm(x, ord, axes, kept)


_tensor = tensor
_MATRIX = ["euclidean", "fro", 1, 2, np.inf]


def _negative(axes: Any, rank: int) -> Axes:
    """Converts axes to negative ones.

    Raises:
      InvalidArgumentError: There is no such axis.
    """
    for a in axes:
        if not -rank <= a < rank:
            raise invalid(f"Invalid reduction dimension ({a} for input with {rank} dimension(s)")
    return tuple(int(a) % rank - rank for a in axes)


def _euclidean(x: Any, axes: Axes, kept: bool) -> Tensor:
    if x._value.dtype.type in FLOATING:
        return reduce_euclidean_norm_p(x, axis=axes, keepdims=kept)
    return sqrt_p(reduce_sum_p(x * conj_p(x), axis=axes, keepdims=kept))


def _sizes(x: Any) -> Any:
    """Returns the absolute values."""
    return complex_abs_p(x) if x._value.dtype.type in COMPLEX else abs_p(x)


def _vector_norm(x: Any, order: Any, axes: Axes, kept: bool) -> Tensor:
    sizes = _sizes(x)
    if order == 1:
        return reduce_sum_p(sizes, axis=axes, keepdims=kept)
    if order == np.inf:
        return reduce_max_p(sizes, axis=axes, keepdims=kept)
    kind = sizes._value.dtype.type
    total = reduce_sum_p(pow_p(sizes, Tensor(kind(order))), axis=axes, keepdims=kept)
    return pow_p(total, Tensor(kind(1 / order)))


def _matrix_norm(x: Any, order: Any, axes: Axes, kept: bool) -> Tensor:
    rows, columns = axes
    if order == 2:
        rank = x._value.ndim
        others = [a for a in range(-rank, 0) if a not in axes]
        moved = transpose_p(x, perm=tuple(a + rank for a in (*others, rows, columns)))
        top = reduce_max_p(singular_values_p(moved), axis=(-1,), keepdims=False)
        shape = [1 if a in axes else x._value.shape[a] for a in range(-rank, 0)]
        return reshape_p(top, shape=tuple(shape)) if kept else top
    along, across = (rows, columns) if order == 1 else (columns, rows)
    sums = reduce_sum_p(_sizes(x), axis=(along,), keepdims=True)
    return (
        reduce_max_p(sums, axis=(across,), keepdims=True)
        if kept
        else _squeezed(reduce_max_p(sums, axis=(across,), keepdims=True), axes)
    )


def _squeezed(x: Any, axes: Axes) -> Any:
    shape = x._value.shape
    return reshape_p(x, shape=tuple(n for a, n in enumerate(shape, -len(shape)) if a not in axes))


@export("linalg.normalize")
def normalize(
    tensor: Any,
    ord: Any = "euclidean",  # noqa: A002 (TensorFlow's name)
    axis: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Divides a tensor by its norms.

    Args:
      tensor: A tensor of floating or complex dtype.
      ord: The order of the norm, as in `norm`.
      axis: The axes of the vectors or matrices, as in `norm`.
      name: Accepted for compatibility.

    Returns:
      The normalized tensor, and the norms, whose reduced axes are kept with length one.

    Raises:
      ValueError: `norm` does not accept `ord` or `axis`.
    """
    x = _tensor(tensor)
    size = norm(x, ord, axis, keepdims=True)
    return x / size, size
