"""Descriptions of the features of examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from gradtape._src.base.dtypes import as_dtype, int32
from gradtape._src.base.export import export


@export("io.FixedLenFeature")
class FixedLenFeature(NamedTuple):
    """A feature of a fixed shape, which becomes a tensor.

    Attributes:
      shape: Its shape.
      dtype: float32, int64 or string.
      default_value: The value for examples without the feature; None if the feature is required.
    """

    shape: Any
    dtype: Any
    default_value: Any = None


@export("io.FixedLenSequenceFeature")
class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of elements of a fixed shape, which becomes a padded tensor.

    Attributes:
      shape: The shape of one element.
      dtype: float32, int64 or string.
      allow_missing: Whether the feature may be missing.
      default_value: The padding value; zero or the empty string if None.
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


@export("io.VarLenFeature")
class VarLenFeature(NamedTuple):
    """A feature of any length, which becomes a sparse tensor.

    Attributes:
      dtype: float32, int64 or string.
    """

    dtype: Any


@export("io.SparseFeature")
class SparseFeature(NamedTuple):
    """A sparse tensor whose indices and values are features.

    Attributes:
      index_key: The name of the feature with the indices, or a list with one for each axis.
      value_key: The name of the feature with the values.
      dtype: float32, int64 or string.
      size: The length of the tensor's axis, or a list with a length for each axis.
      already_sorted: Whether the indices are in order.
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class RowLengths(NamedTuple):
    """Partitions values into rows by a feature with the rows' lengths."""

    key: str


class RowSplits(NamedTuple):
    """Partitions values into rows by a feature with each row's start and the last row's end."""

    key: str


class RowStarts(NamedTuple):
    """Partitions values into rows by a feature with the rows' starts."""

    key: str


class RowLimits(NamedTuple):
    """Partitions values into rows by a feature with the rows' ends."""

    key: str


class ValueRowIds(NamedTuple):
    """Partitions values into rows by a feature with each value's row index."""

    key: str


class UniformRowLength(NamedTuple):
    """Partitions values into rows of one length."""

    length: int


class _RaggedFields(NamedTuple):
    dtype: Any
    value_key: str | None = None
    partitions: Sequence[Any] = ()
    row_splits_dtype: Any = int32
    validate: bool = False


@export("io.RaggedFeature")
class RaggedFeature(_RaggedFields):
    """A feature of any length, which becomes a ragged tensor.

    Args:
      dtype: float32, int64 or string.
      value_key: The name of the feature with the values; by default the key of this one.
      partitions: The partitions of the values into rows, outermost first: `RowLengths`,
        `RowSplits`, `RowStarts`, `RowLimits`, `ValueRowIds` or `UniformRowLength`.
      row_splits_dtype: The type of the row splits, int32 or int64.
      validate: Whether to check the partitions.

    Raises:
      TypeError: A partition, or `validate`, is of another type.
      ValueError: `dtype`, `row_splits_dtype` or `value_key` is not one of the values above.
    """

    __slots__ = ()
    RowLengths = RowLengths
    RowSplits = RowSplits
    RowStarts = RowStarts
    RowLimits = RowLimits
    ValueRowIds = ValueRowIds
    UniformRowLength = UniformRowLength

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Sequence[Any] = (),
        row_splits_dtype: Any = int32,
        validate: bool = False,
    ) -> Self:
        dtype, row_splits_dtype = as_dtype(dtype), as_dtype(row_splits_dtype)
        if dtype.name not in {"float32", "int64", "string"}:
            raise ValueError(f"Argument `dtype` must be int64, float32, or string; got {dtype!r}")
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"Argument `value_key` must be a string; got {value_key!r}")
        if row_splits_dtype.name not in {"int32", "int64"}:
            raise ValueError(
                f"Argument `row_splits_dtype` must be int32 or int64; got {row_splits_dtype!r}"
            )
        if not isinstance(validate, (bool, np.bool_)):
            raise TypeError(f"Argument `validate` must be a bool; got {validate!r}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"Argument `partitions` must be a list or tuple; got {partitions!r}")
        for partition in partitions:
            if not isinstance(partition, PARTITIONS):
                raise TypeError(
                    "`partitions` must be a list of partition objects "
                    f"{[kind.__name__ for kind in PARTITIONS]}; got {partition!r}"
                )
        return super().__new__(cls, dtype, value_key, tuple(partitions), row_splits_dtype, validate)


PARTITIONS = (RowLengths, RowSplits, RowStarts, RowLimits, ValueRowIds, UniformRowLength)
"""The kinds of partitions."""
