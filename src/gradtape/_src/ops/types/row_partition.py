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


@export("experimental.RowPartition")
class RowPartition:
    """A partition of values into rows; made by `from_row_splits` and its like.

    Args:
      row_splits: Where each row begins, and the end of the last: a vector of int32 or int64.
    """

    def __init__(self, row_splits: Tensor) -> None:
        self._row_splits = row_splits

    @classmethod
    def from_row_splits(cls, row_splits: Any, validate: bool = True) -> RowPartition:
        """Makes rows that begin and end at splits.

        Args:
          row_splits: A vector that begins with 0 and does not descend.
          validate: Whether to check that.

        Returns:
          A RowPartition.

        Raises:
          ValueError: The splits do not begin with 0, or descend.
        """
        splits = convert_to_tensor(row_splits, dtype_hint=int64)
        values = np.empty(int(splits._value[-1]) if len(splits._value) else 0, np.int8)
        return cls(RaggedTensor.from_row_splits(values, splits, validate=validate).row_splits)

    @classmethod
    def from_row_lengths(cls, row_lengths: Any, validate: bool = True) -> RowPartition:
        """Makes rows of the given lengths.

        Args:
          row_lengths: A vector of lengths.
          validate: Whether to check the lengths.

        Returns:
          A RowPartition.
        """
        lengths = np.asarray(convert_to_tensor(row_lengths, dtype_hint=int64)._numpy())
        splits = np.concatenate([[0], np.cumsum(lengths)]).astype(lengths.dtype)
        return cls.from_row_splits(splits, validate)

    @classmethod
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True
    ) -> RowPartition:
        """Makes rows by the number of the row that each value belongs to.

        Args:
          value_rowids: A vector of numbers of rows that does not descend.
          nrows: How many rows there are. Defaults to the last number and one.
          validate: Whether to check the numbers.

        Returns:
          A RowPartition.
        """
        ids = convert_to_tensor(value_rowids, dtype_hint=int64)
        rows = RaggedTensor.from_value_rowids(ids, ids, nrows, validate=validate)
        return cls(rows.row_splits)

    def row_splits(self) -> Tensor:
        """Returns where each row begins, and the end of the last.

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
        """Returns the number of the row that each value belongs to.

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
