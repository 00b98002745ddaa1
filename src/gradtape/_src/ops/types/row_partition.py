"""Partitions of values into rows, without the values."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, int64
from gradtape._src.base.export import export
from gradtape._src.compute.repeat_rows import repeated
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.types.ragged_tensor import RaggedTensor


def _integers(values: Any, dtype: Any, dtype_hint: Any) -> Tensor:
    """Converts an argument that defines rows to integers of a dtype."""
    hint = int64 if dtype_hint is None else dtype_hint
    return convert_to_tensor(values, dtype=dtype, dtype_hint=hint)


@export("experimental.RowPartition")
class RowPartition:
    """A partition of values into rows; made by `from_row_splits` and similar methods.

    Args:
      row_splits: The start of each row, and the end of the last: a vector of int32 or int64.
    """

    def __init__(self, row_splits: Tensor) -> None:
        self._row_splits = row_splits

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Makes rows that begin and end at splits.

        Args:
          row_splits: A vector that begins with 0 and is non-decreasing.
          validate: Whether to check the splits.
          dtype: The dtype of the splits, int32 or int64.
          dtype_hint: The dtype if `row_splits` is a list. Defaults to int64.

        Returns:
          A RowPartition.

        Raises:
          ValueError: The splits do not begin with 0, or decrease.
        """
        splits = _integers(row_splits, dtype, dtype_hint)
        values = np.empty(int(splits._value[-1]) if len(splits._value) else 0, np.int8)
        return cls(RaggedTensor.from_row_splits(values, splits, validate=validate).row_splits)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Makes rows of the given lengths.

        Args:
          row_lengths: A vector of lengths.
          validate: Whether to check the lengths.
          dtype: The dtype of the splits, int32 or int64.
          dtype_hint: The dtype if `row_lengths` is a list. Defaults to int64.

        Returns:
          A RowPartition.
        """
        lengths = np.asarray(_integers(row_lengths, dtype, dtype_hint)._numpy())
        splits = np.concatenate([[0], np.cumsum(lengths)]).astype(lengths.dtype)
        return cls.from_row_splits(splits, validate)

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: Any,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Makes rows from the row index of each value.

        Args:
          value_rowids: A non-decreasing vector of row indices.
          nrows: The number of rows. Defaults to the last index plus one.
          validate: Whether to check the numbers.
          dtype: The dtype of the splits, int32 or int64.
          dtype_hint: The dtype if `value_rowids` is a list. Defaults to int64.

        Returns:
          A RowPartition.
        """
        ids = _integers(value_rowids, dtype, dtype_hint)
        rows = RaggedTensor.from_value_rowids(ids, ids, nrows, validate=validate)
        return cls(rows.row_splits)

    def row_splits(self) -> Tensor:
        """Returns the start of each row, and the end of the last one.

        Returns:
          A vector of `nrows() + 1` integers.
        """
        return self._row_splits

    def row_lengths(self) -> Tensor:
        """Returns the lengths of the rows.

        Returns:
          A vector of `nrows()` integers.
        """
        return Tensor(np.diff(self._row_splits._value))

    def value_rowids(self) -> Tensor:
        """Returns the row index of each value.

        Returns:
          A vector of `nvals()` integers.
        """
        lengths = np.diff(self._row_splits._value)
        return Tensor(repeated(np.arange(len(lengths), dtype=lengths.dtype), lengths))

    def nrows(self) -> Tensor:
        """Returns the number of rows.

        Returns:
          A scalar tensor.
        """
        splits = self._row_splits._value
        return Tensor(splits.dtype.type(len(splits) - 1))

    def nvals(self) -> Tensor:
        """Returns the number of values.

        Returns:
          A scalar tensor.
        """
        return Tensor(self._row_splits._value[-1])

    @property
    def dtype(self) -> DType:
        """The type of the splits."""
        return self._row_splits.dtype
