"""Partitions of values into rows; they don't hold the values themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dispatch import expect_composites
from gradtape._src.base.dtypes import DType, as_dtype, int32, int64
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.base.nest import Container, register_composite
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, known
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.array.creation import range as range_of
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.types.ragged_rows import (
    integers,
    lengths_of_rows,
    row_count,
    row_ids,
    splits_of_ids,
    splits_of_lengths,
    splits_of_limits,
    splits_of_starts,
)
from gradtape._src.ops.types.spec_names import register
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.ops.types.type_spec import TypeSpec


def _check(holds: Any, source: str, why: str) -> None:
    if not holds:
        raise invalid(
            f"Arguments to {source} do not form a valid RowPartition: {why}", About.VALUES
        )


def _whole(value: Any, what: str) -> int:
    """Returns a number that has to be known.

    Raises:
      ValueError: The number is the result of an operation in a graph.
    """
    x = convert_to_tensor(value)
    if not known(x):
        raise ValueError(f"{what} must be a number that is known when the function is traced")
    return int(x._numpy())


@export("experimental.RowPartition")
class RowPartition(CompositeTensor):
    """A partition of values into rows; made by `from_row_splits` and similar methods.

    Args:
      row_splits, row_lengths, value_rowids, nrows, uniform_row_length, nvals, internal: Not
        accepted: the constructor is private.

    Raises:
      ValueError: The constructor is called.

    >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 3])
    tf.RowPartition(row_splits=[0 2 2 5])
    """

    __slots__ = ("__weakref__", "_row_splits", "_uniform")
    _row_splits: Tensor
    _uniform: int | None  # the length of the rows, if it is known to be the same for all

    def __init__(
        self,
        row_splits: Any,
        row_lengths: Any = None,
        value_rowids: Any = None,
        nrows: Any = None,
        uniform_row_length: Any = None,
        nvals: Any = None,
        internal: Any = None,
    ) -> None:
        raise ValueError(
            "RowPartition constructor is private; please use one of the factory methods instead "
            "(e.g., RowPartition.from_row_lengths())"
        )

    @classmethod
    def of(cls, row_splits: Tensor, uniform: int | None = None) -> RowPartition:
        """Returns the partition with these splits, which are not checked.

        Args:
          row_splits: The start of each row, and the end of the last.
          uniform: The length of the rows, if all are equally long.

        Returns:
          A RowPartition.
        """
        expect_composites()
        made = cls.__new__(cls)
        made._row_splits, made._uniform = row_splits, uniform
        return made

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Makes rows that begin and end at splits.

        Args:
          row_splits: A vector that begins with 0 and does not descend.
          validate: Whether to check the vector.
          dtype: The dtype of the splits, int32 or int64.
          dtype_hint: The dtype of splits that have no dtype. Defaults to int64.

        Returns:
          A RowPartition.

        Raises:
          ValueError: The splits are empty, or not a vector of int32 or int64.
          InvalidArgumentError: The splits do not begin with 0, or descend.
        """
        splits = integers(row_splits, dtype, dtype_hint, "row_splits")
        if shape_of(splits)[0] == 0:
            raise ValueError("row_splits tensor may not be empty.")
        if validate and known(splits):
            found = splits._numpy()
            _check(found[0] == 0, "from_row_splits", "they must begin with zero")
            _check((np.diff(found) >= 0).all(), "from_row_splits", "they must be monotonic")
        return cls.of(splits)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Makes rows of the given lengths.

        Args:
          row_lengths: A vector of lengths.
          validate: Whether to check the lengths.
          dtype: The dtype of the splits, int32 or int64.
          dtype_hint: The dtype of lengths that have no dtype. Defaults to int64.

        Returns:
          A RowPartition.

        Raises:
          ValueError: The lengths are not a vector of int32 or int64.
          InvalidArgumentError: A length is negative.
        """
        lengths = integers(row_lengths, dtype, dtype_hint, "row_lengths")
        if validate and known(lengths):
            _check((lengths._numpy() >= 0).all(), "from_row_lengths", "one is negative")
        return cls.of(splits_of_lengths(lengths))

    @classmethod
    def from_row_starts(
        cls,
        row_starts: Any,
        nvals: Any,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Makes rows that begin at the given indices.

        Args:
          row_starts: A vector that begins with 0 and does not descend.
          nvals: The number of values.
          validate: Whether to check the numbers.
          dtype: The dtype of the splits, int32 or int64.
          dtype_hint: The dtype of indices that have no dtype. Defaults to int64.

        Returns:
          A RowPartition.

        Raises:
          ValueError: The indices are not a vector of int32 or int64.
          InvalidArgumentError: The indices do not rise from 0 to the number of values.
        """
        starts = integers(row_starts, dtype, dtype_hint, "row_starts")
        count = convert_to_tensor(nvals, starts.dtype)
        if validate and known(starts) and known(count):
            rising = np.diff(np.append(starts._numpy(), count._numpy())) >= 0
            good = rising.all() and not starts._numpy()[:1].any()
            _check(good, "from_row_starts", "they must rise from 0 to the number of values")
        return cls.of(splits_of_starts(starts, count))

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Makes rows that end before the given indices.

        Args:
          row_limits: A vector that does not descend.
          validate: Whether to check the numbers.
          dtype: The dtype of the splits, int32 or int64.
          dtype_hint: The dtype of indices that have no dtype. Defaults to int64.

        Returns:
          A RowPartition.

        Raises:
          ValueError: The indices are not a vector of int32 or int64.
          InvalidArgumentError: The indices are negative, or descend.
        """
        limits = integers(row_limits, dtype, dtype_hint, "row_limits")
        if validate and known(limits):
            rising = (np.diff(limits._numpy(), prepend=0) >= 0).all()
            _check(rising, "from_row_limits", "they must rise from 0")
        return cls.of(splits_of_limits(limits))

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

        Raises:
          ValueError: The indices are not a vector of int32 or int64, or `nrows` is too small.
          InvalidArgumentError: The indices descend, or one is negative.
        """
        ids = integers(value_rowids, dtype, dtype_hint, "value_rowids")
        if known(ids) and shape_of(ids)[0]:
            found = ids._numpy()
            if nrows is not None and known(convert_to_tensor(nrows)) and found[-1] >= nrows:
                raise ValueError(
                    f"Expected nrows >= value_rowids[-1] + 1; got nrows={int(nrows)}, "
                    f"value_rowids[-1]={found[-1]}"
                )
            rising = found[0] >= 0 and (np.diff(found) >= 0).all()
            _check(rising or not validate, "from_value_rowids", "they must not descend")
        return cls.of(splits_of_ids(ids, nrows, False))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Makes rows of one length.

        Args:
          uniform_row_length: The length of every row.
          nvals: The number of values; may be omitted if `nrows` is given.
          nrows: The number of rows, which is needed if the length is 0 and there is a row.
          validate: Accepted for compatibility: the numbers are checked.
          dtype: The dtype of the splits, int32 or int64.
          dtype_hint: The dtype of a length that has no dtype. Defaults to int64.

        Returns:
          A RowPartition.

        Raises:
          ValueError: The length is negative, or the numbers don't match.
        """
        if nvals is None and nrows is None:
            raise ValueError("from_uniform_row_length: give nvals, nrows, or both")
        length, kind = (
            _whole(uniform_row_length, "uniform_row_length"),
            as_dtype(dtype or dtype_hint or int64),
        )
        given = uniform_row_length if nvals is None else nvals
        if dtype is None and isinstance(given, Tensor):
            kind = given.dtype
        if length < 0:
            raise ValueError("uniform_row_length must be >= 0.")
        if nrows is None:
            rows = _whole(nvals, "nvals") // length if length else 0
        else:
            rows = _whole(nrows, "nrows")
        if nvals is not None and rows * length != _whole(nvals, "nvals"):
            raise ValueError(
                f"uniform_row_length={length} times nrows={rows} must equal nvals="
                f"{_whole(nvals, 'nvals')}"
            )
        splits = np.arange(rows + 1, dtype=kind.np_dtype) * kind.np_dtype.type(length)
        return cls.of(Tensor(splits), length)

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
        return lengths_of_rows(self._row_splits)

    def row_starts(self) -> Tensor:
        """Returns the index at which each row begins.

        Returns:
          A vector of `nrows()` integers.
        """
        return self._row_splits[:-1]

    def row_limits(self) -> Tensor:
        """Returns the index before which each row ends.

        Returns:
          A vector of `nrows()` integers.
        """
        return self._row_splits[1:]

    def value_rowids(self) -> Tensor:
        """Returns the row index of each value.

        Returns:
          A vector of `nvals()` integers.
        """
        return row_ids(self._row_splits, self)

    def offsets_in_rows(self) -> Tensor:
        """Returns the index of each value in its row.

        Returns:
          A vector of `nvals()` integers.
        """
        ids = self.value_rowids()
        places: Tensor = range_of(self.nvals(), dtype=self.dtype) - gather(self._row_splits, ids)
        return places

    def nrows(self) -> Tensor:
        """Returns the number of rows.

        Returns:
          A scalar tensor.
        """
        return row_count(self._row_splits, self.dtype.np_dtype)

    def nvals(self) -> Tensor:
        """Returns the number of values.

        Returns:
          A scalar tensor.
        """
        last: Tensor = self._row_splits[-1]
        return last

    def uniform_row_length(self) -> Tensor | None:
        """Returns the length of every row, if it is known that all are equally long.

        Returns:
          A scalar tensor, or None.
        """
        return None if self._uniform is None else convert_to_tensor(self._uniform, self.dtype)

    def is_uniform(self) -> bool:
        """Whether it is known that all rows are equally long.

        Returns:
          True for partitions from `from_uniform_row_length`.
        """
        return self._uniform is not None

    @property
    def static_nrows(self) -> int | None:
        """The number of rows, if it is known without the splits' values."""
        rows = shape_of(self._row_splits)[0]
        return rows - 1 if type(rows) is int else None

    @property
    def static_nvals(self) -> int | None:
        """The number of values, if it is known without the splits' values."""
        rows = self.static_nrows
        return None if self._uniform is None or rows is None else rows * self._uniform

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of every row, if it is known."""
        return self._uniform

    @property
    def dtype(self) -> DType:
        """The type of the splits."""
        return self._row_splits.dtype

    def with_dtype(self, dtype: Any) -> RowPartition:
        """Returns the partition with integers of a given dtype.

        Args:
          dtype: int32 or int64.

        Returns:
          A RowPartition.

        Raises:
          ValueError: The dtype is neither int32 nor int64.
        """
        if as_dtype(dtype) not in (int32, int64):
            raise ValueError("dtype must be int32 or int64")
        return RowPartition.of(cast(self._row_splits, dtype), self._uniform)

    def _height(self) -> Any:
        """The number of values; None if it is not known yet."""
        return int(self._row_splits._numpy()[-1]) if known(self._row_splits) else self.static_nvals

    @property
    def _static_fields(self) -> tuple[Any, ...]:
        return ((str, (self._uniform, self.dtype.name)),)

    @property
    def _type_spec(self) -> RowPartitionSpec:
        return RowPartitionSpec(
            self.static_nrows, self.static_nvals, self.static_uniform_row_length, self.dtype
        )

    def __repr__(self) -> str:
        if self._uniform is not None:
            return f"tf.RowPartition(nrows={self.static_nrows}, uniform_row_length={self._uniform})"
        splits = self._row_splits
        return f"tf.RowPartition(row_splits={splits._numpy() if known(splits) else splits})"


@register("tf.RowPartitionSpec")
class RowPartitionSpec(TypeSpec):
    """The size and dtype of a `RowPartition`, as far as they are known.

    Args:
      nrows: The number of rows, or None.
      nvals: The number of values, or None.
      uniform_row_length: The length of the rows if all are equally long, or None.
      dtype: The type of the splits.
    """

    __slots__ = ("_dtype", "_nrows", "_nvals", "_uniform")

    def __init__(
        self,
        nrows: int | None = None,
        nvals: int | None = None,
        uniform_row_length: int | None = None,
        dtype: Any = int64,
    ) -> None:
        self._nrows, self._nvals, self._uniform = nrows, nvals, uniform_row_length
        self._dtype = as_dtype(dtype)

    @property
    def value_type(self) -> type[RowPartition]:
        """The class of what is described."""
        return RowPartition

    def _serialize(self) -> tuple[Any, ...]:
        return self._nrows, self._nvals, self._uniform, self._dtype

    @property
    def _component_specs(self) -> Any:
        return TensorSpec([None if self._nrows is None else self._nrows + 1], self._dtype)

    def _to_components(self, value: Any) -> Any:
        return value.row_splits()

    def _from_components(self, components: Any) -> RowPartition:
        return RowPartition.of(components, self._uniform)

    def __repr__(self) -> str:
        return (
            f"RowPartitionSpec(nrows={self._nrows}, nvals={self._nvals}, "
            f"uniform_row_length={self._uniform}, dtype={self._dtype!r})"
        )


register_composite(
    RowPartition,
    Container(lambda x: [x._row_splits], lambda x, parts: RowPartition.of(parts[0], x._uniform)),
)
