"""How values are divided into rows, without the values."""

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
    """How values are divided into rows; made by `from_row_splits` and its like."""

    def __init__(self, row_splits: Tensor) -> None:
        self._row_splits = row_splits

    @classmethod
    def from_row_splits(cls, row_splits: Any, validate: bool = True) -> RowPartition:
        """Rows between splits, which rise from 0; ValueError where they don't."""
        splits = convert_to_tensor(row_splits, dtype_hint=int64)
        values = np.empty(int(splits._value[-1]) if len(splits._value) else 0, np.int8)
        return cls(RaggedTensor.from_row_splits(values, splits, validate=validate).row_splits)

    @classmethod
    def from_row_lengths(cls, row_lengths: Any, validate: bool = True) -> RowPartition:
        """Rows of the given lengths."""
        lengths = np.asarray(convert_to_tensor(row_lengths, dtype_hint=int64)._numpy())
        splits = np.concatenate([[0], np.cumsum(lengths)]).astype(lengths.dtype)
        return cls.from_row_splits(splits, validate)

    @classmethod
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True
    ) -> RowPartition:
        """Rows by the number of the row that each value belongs to."""
        ids = convert_to_tensor(value_rowids, dtype_hint=int64)
        rows = RaggedTensor.from_value_rowids(ids, ids, nrows, validate=validate)
        return cls(rows.row_splits)

    def row_splits(self) -> Tensor:
        """Where each row begins, and the end of the last."""
        return self._row_splits

    def row_lengths(self) -> Tensor:
        """The lengths of the rows."""
        return Tensor(np.diff(self._row_splits._value))

    def value_rowids(self) -> Tensor:
        """Of each value the number of its row."""
        lengths = np.diff(self._row_splits._value)
        return Tensor(repeated(np.arange(len(lengths), dtype=lengths.dtype), lengths))

    def nrows(self) -> Tensor:
        """The number of rows."""
        splits = self._row_splits._value
        return Tensor(splits.dtype.type(len(splits) - 1))

    def nvals(self) -> Tensor:
        """The number of values."""
        return Tensor(self._row_splits._value[-1])

    @property
    def dtype(self) -> DType:
        """The type of the splits."""
        return self._row_splits.dtype
