"""Distinct values, and distinct slices along an axis."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import int32
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import (
    index_dtype,
    integers,
    invalid,
    shown_shape,
)
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.declare.unknown_sizes import UnknownRank


class UniqueV2(NamedTuple):
    """Distinct slices in the order of their first occurrence, and each slice's index in `y`."""

    y: Tensor
    idx: Tensor


class UniqueWithCountsV2(NamedTuple):
    """Distinct slices, the index of each slice among them, and the number of occurrences."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]  # hides tuple.count, as in TensorFlow


def _axis(axis: Any, rank: int, op: str) -> int:
    given = integers(axis, op, "axis")
    if given.ndim != 1:
        raise invalid(f"axis expects a 1D vector [Op:{op}]")
    if given.size > 1:
        raise invalid(f"axis does not support input tensors larger than 1 elements [Op:{op}]")
    if not given.size:
        if rank != 1:
            raise invalid(f"unique expects a 1D vector, got one of rank {rank} [Op:{op}]")
        return 0
    at = int(given[0]) + (rank if given[0] < 0 else 0)
    if not 0 <= at < rank:
        raise invalid(f"axis has to be between [0, {rank}), got {int(given[0])} [Op:{op}]")
    return at


def _slices(x: Any, axis: Any, op: str) -> tuple[Any, Any, Any]:
    value = np.asarray(tensor(x)._numpy())
    at = _axis(axis, value.ndim, op)
    n = value.shape[at]
    rest = value.size // n if n else 0
    rows = np.moveaxis(value, at, 0).reshape(n, rest)
    seen: dict[Any, int] = {}
    idx = np.array([seen.setdefault(tuple(row), len(seen)) for row in rows.tolist()], np.int64)
    first = np.unique(idx, return_index=True)[1]
    return np.take(value, first, at), idx, np.bincount(idx, minlength=len(seen))


@raw_op("UniqueV2", differentiable=False)
def unique_along(x: Any, axis: Any, out_idx: Any = int32, name: str | None = None) -> UniqueV2:
    """Finds the distinct slices along an axis.

    Args:
      x: A tensor.
      axis: A vector of one axis; empty for a vector `x`.
      out_idx: The dtype of the indices.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: The axis is out of range, or more than one axis is given.
    """
    y, idx, _ = _slices(x, axis, "UniqueV2")
    return UniqueV2(
        Tensor(y), Tensor(idx.astype(index_dtype(out_idx, int32, "Unique", "out_idx").np_dtype))
    )


@raw_op("UniqueWithCountsV2", differentiable=False)
def unique_along_with_counts(
    x: Any, axis: Any, out_idx: Any = int32, name: str | None = None
) -> UniqueWithCountsV2:
    """Finds the distinct slices along an axis and the number of occurrences; see `unique_along`."""
    dtype = index_dtype(out_idx, int32, "Unique", "out_idx").np_dtype
    y, idx, number = _slices(x, axis, "UniqueWithCountsV2")
    return UniqueWithCountsV2(Tensor(y), Tensor(idx.astype(dtype)), Tensor(number.astype(dtype)))


class Unique(NamedTuple):
    """Distinct values in the order of their first occurrence, and each element's index in `y`."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """Distinct values, the index of each element among them, and the number of occurrences."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]  # hides tuple.count, as in TensorFlow


def _vector(x: Any) -> Tensor:
    """Returns the argument of `unique`, or raises an error if it surely has another rank than 1."""
    given = tensor(x)
    shape = shape_of(given)
    if type(shape) is not UnknownRank and len(shape) != 1:
        raise invalid(f"unique expects a 1D vector, got shape {shown_shape(shape)} [Op:Unique]")
    return given


def _distinct(x: Any) -> tuple[Any, Any, Any]:
    value = np.asarray(_vector(x)._numpy())
    y, first, inverse, number = np.unique(
        value, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = np.argsort(first, kind="stable")
    return y[order], np.argsort(order, kind="stable")[inverse.reshape(-1)], number[order]


def _distinct_result(new: New, x: Any, out_idx: Any = int32, *_: Any, **__: Any) -> Unique:
    given = _vector(x)
    return Unique(
        new([None], given.dtype),
        new(shape_of(given), index_dtype(out_idx, int32, "Unique", "out_idx")),
    )


def _counted_result(new: New, x: Any, out_idx: Any = int32, *_: Any, **__: Any) -> UniqueWithCounts:
    given, count = tensor(x), shape_of(new([None], int32))
    dtype = index_dtype(out_idx, int32, "Unique", "out_idx")
    return UniqueWithCounts(new(count, given.dtype), new(shape_of(given), dtype), new(count, dtype))


@export("unique")
@raw_op("Unique", differentiable=False)
@graph_operation("Unique", _distinct_result, has_gradient=False)
def unique(x: Any, out_idx: Any = int32, name: str | None = None) -> Unique:
    """Finds the distinct values of a vector.

    Args:
      x: A vector.
      out_idx: The dtype of the indices.
      name: Accepted for compatibility.

    Returns:
      `y`, the values in the order of their first occurrence, and `idx`, the index in `y` for each
      element of `x`.

    Raises:
      InvalidArgumentError: `x` is not a vector.

    >>> values, places = tf.unique([7, 8, 7, 9])
    >>> values.numpy(), places.numpy()
    (array([7, 8, 9], dtype=int32), array([0, 1, 0, 2], dtype=int32))
    """
    y, idx, _ = _distinct(x)
    return Unique(
        Tensor(y), Tensor(idx.astype(index_dtype(out_idx, int32, "Unique", "out_idx").np_dtype))
    )


@export("unique_with_counts")
@raw_op("UniqueWithCounts", differentiable=False)
@graph_operation("UniqueWithCounts", _counted_result, has_gradient=False)
def unique_with_counts(x: Any, out_idx: Any = int32, name: str | None = None) -> UniqueWithCounts:
    """Finds the distinct values of a vector and the number of occurrences; see `unique`.

    Args:
      x: A vector.
      out_idx: The dtype of the indices and counts, int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A named tuple `(y, idx, count)`: the distinct elements in the order of their first occurrence,
      the index in `y` for each element of `x`, and the number of occurrences of each element of
      `y`.

    >>> values, places, counts = tf.unique_with_counts([7, 8, 7, 9])
    >>> counts.numpy()
    array([2, 1, 1], dtype=int32)
    """
    dtype = index_dtype(out_idx, int32, "Unique", "out_idx").np_dtype
    y, idx, number = _distinct(x)
    return UniqueWithCounts(Tensor(y), Tensor(idx.astype(dtype)), Tensor(number.astype(dtype)))
