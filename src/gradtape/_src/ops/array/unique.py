"""Distinct slices along an axis, and the bucket that each value falls into."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import as_dtype, int32
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid

BUCKETED = ("int32", "int64", "float32", "float64")


class UniqueV2(NamedTuple):
    """Distinct slices in the order in which they come first, and where each slice's stands."""

    y: Tensor
    idx: Tensor


class UniqueWithCountsV2(NamedTuple):
    """The same, and how often each occurs."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]  # hides tuple.count, as in TensorFlow


@raw_op("Bucketize", differentiable=False)
def bucketize(input: Any, boundaries: Any, name: str | None = None) -> Tensor:
    """Finds the bucket that each value falls into: how many boundaries are not above it.

    Args:
      input: An int32, int64, float32 or float64 tensor.
      boundaries: Python numbers that ascend.
      name: Accepted for compatibility.

    Returns:
      An int32 tensor of the shape of `input`; a NaN is above all boundaries.

    Raises:
      InvalidArgumentError: The boundaries do not ascend, or the dtype is another.
    """
    x = tensor(input)
    if x.dtype.name not in BUCKETED:
        raise invalid(
            f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: "
            f"{', '.join(BUCKETED)} [Op:Bucketize]"
        )
    bounds = np.asarray(boundaries, np.float32)
    if (np.diff(bounds) < 0).any():
        raise invalid(f"Expected sorted boundaries, got {bounds.tolist()} [Op:Bucketize]")
    return Tensor(np.searchsorted(bounds, x._value, side="right").astype(np.int32)[()])


def _axis(axis: Any, rank: int, op: str) -> int:
    given = np.asarray(convert_to_tensor(axis, dtype_hint=int32)._numpy()).reshape(-1)
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
      out_idx: The dtype of the places.
      name: Accepted for compatibility.

    Raises:
      InvalidArgumentError: The axis is out of range, or more than one.
    """
    y, idx, _ = _slices(x, axis, "UniqueV2")
    return UniqueV2(Tensor(y), Tensor(idx.astype(as_dtype(out_idx).np_dtype)))


@raw_op("UniqueWithCountsV2", differentiable=False)
def unique_along_with_counts(
    x: Any, axis: Any, out_idx: Any = int32, name: str | None = None
) -> UniqueWithCountsV2:
    """The same as `unique_along`, with how often each slice occurs."""
    dtype = as_dtype(out_idx).np_dtype
    y, idx, number = _slices(x, axis, "UniqueWithCountsV2")
    return UniqueWithCountsV2(Tensor(y), Tensor(idx.astype(dtype)), Tensor(number.astype(dtype)))
