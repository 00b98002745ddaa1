"""`tf.ragged.constant`: ragged tensors from nested Python lists."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, int32, int64
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import constant as _constant
from gradtape._src.ops.types.ragged_tensor import RaggedTensor


@export("ragged.constant")
def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> RaggedTensor:
    """Makes a ragged tensor from nested Python lists.

    Args:
      pylist: Lists of rows, in any nesting.
      dtype: The dtype of the elements. By default, it is inferred from the values.
      ragged_rank: The number of ragged axes. Defaults to the nesting depth minus one.
      inner_shape: The shape of the innermost values.
      name: Accepted for compatibility.
      row_splits_dtype: The type of the row splits, int32 or int64.

    Returns:
      A ragged tensor, or a tensor if no axis is ragged.

    Raises:
      ValueError: The nesting depth differs between elements, or does not match `ragged_rank` and
        `inner_shape`; or `row_splits_dtype` is neither int32 nor int64.
      TypeError: The number of values does not match `inner_shape`.

    >>> tf.ragged.constant([[1, 2], [3]]).row_lengths().numpy()
    array([2, 1])
    """
    items, levels, shape = partitioned(pylist, ragged_rank, inner_shape)
    values: Any = (
        convert_to_tensor(items, dtype) if shape is None else tensor(_constant(items, dtype, shape))
    )
    if as_dtype(row_splits_dtype) not in (int32, int64):
        raise ValueError(f"row_splits_dtype must be int32 or int64, got {row_splits_dtype!r}")
    kind = as_dtype(row_splits_dtype).np_dtype
    for splits in reversed(levels):
        values = RaggedTensor(values, Tensor(splits.astype(kind)))
    rows: RaggedTensor = values  # a tensor if no axis is ragged
    return rows


def partitioned(
    pylist: Any, ragged_rank: int | None, inner_shape: Any
) -> tuple[Any, list[np.ndarray[Any, Any]], tuple[int, ...] | None]:
    """Splits nested lists into the innermost values and the row splits of the ragged axes.

    Args:
      pylist: Lists of rows, in any nesting.
      ragged_rank: The number of ragged axes, or None to infer it.
      inner_shape: The shape of the innermost values, or None to infer it.

    Returns:
      The innermost values; the row splits, the outermost first; and the shape of the values, or
      None if the values have it.

    Raises:
      ValueError: The nesting depth differs between elements, or does not match `ragged_rank` and
        `inner_shape`.
    """
    depth = _depth(pylist)
    inner = None if inner_shape is None else tuple(int(n) for n in inner_shape)
    axes = 0 if inner is None else len(inner)
    rank = max(depth - 1 - axes, 0) if ragged_rank is None else ragged_rank
    items, levels = pylist, []
    for _ in range(rank):
        if not all(isinstance(row, (list, tuple, np.ndarray)) for row in items):
            raise ValueError(
                f"Invalid pylist={pylist}: all scalar values must have the same nesting depth, "
                f"which is more than ragged_rank={rank}"
            )
        levels.append(np.array([0, *accumulate(len(row) for row in items)], np.int64))
        items = [item for row in items for item in row]
    if inner is None:
        return items, levels, None
    leaves = _leaves(items)
    if leaves and ragged_rank is not None and depth != rank + axes + 1:
        raise ValueError(
            f"Invalid pylist={pylist}: incompatible with ragged_rank={rank} and "
            f"dim(inner_shape)={axes}"
        )
    return leaves, levels, (len(items), *inner) if rank else inner


def _leaves(items: Any) -> list[Any]:
    """Returns the leaves of nested lists."""
    nested = isinstance(items, (list, tuple, np.ndarray))
    return [leaf for item in items for leaf in _leaves(item)] if nested else [items]


def _depth(value: Any) -> int:
    if isinstance(value, (list, tuple)):
        return 1 + max(map(_depth, value), default=0)
    return int(np.ndim(value))
