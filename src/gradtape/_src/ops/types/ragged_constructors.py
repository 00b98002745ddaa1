"""The class methods that make ragged tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, int64
from gradtape._src.base.errors import About
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, result_by
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.structural import count
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.types.ragged_rows import (
    checked_splits,
    height_of,
    integers,
    splits_of_ids,
    splits_of_lengths,
    splits_of_limits,
    splits_of_starts,
)
from gradtape._src.ops.types.ragged_to_tensor import cut_rows, rows_of_sparse
from gradtape._src.ops.types.sparse_tensor import SparseTensor


def _of_tensor(
    new: New,
    cls: Any,
    tensor: Any,
    lengths: Any = None,
    padding: Any = None,
    ragged_rank: int = 1,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Returns the result of `from_tensor` for values that are known only when a graph runs."""
    x = convert_to_tensor(tensor)
    shape = shape_of(x)
    out = new([None, *shape[ragged_rank + 1 :]], x._value.dtype)
    for _ in range(ragged_rank):
        out = cls(out, new([None], as_dtype(row_splits_dtype).np_dtype), None)
    return out


class RaggedConstructors:
    """The constructors of ragged tensors, one for each form of row partition."""

    __slots__ = ()

    _row_splits: Tensor

    if TYPE_CHECKING:

        def __init__(self, values: Any, row_splits: Tensor, uniform: int | None = None) -> None: ...

    def _height(self) -> int:
        """Returns the number of rows."""
        rows: int = self._row_splits._value.shape[0] - 1
        return rows

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Makes the rows `values[row_splits[i] : row_splits[i + 1]]`.

        Args:
          values: The concatenated rows: a tensor or a ragged tensor.
          row_splits: The start of each row, and the end of the last.
          name: Accepted for compatibility.
          validate: Whether to check the arguments.

        Returns:
          A ragged tensor.

        Raises:
          InvalidArgumentError: `row_splits` does not begin with 0, decreases, or does not end with
            the number of values; or `values` is a scalar.
          ValueError: `row_splits` is empty, or is not an integer vector.
        """
        _check_flag(validate)
        values = values if isinstance(values, RaggedConstructors) else tensor(values)
        splits = integers(row_splits, None, _kind_of(values), "row_splits")
        if shape_of(splits)[0] == 0:
            raise ValueError("row_splits may not be empty: it begins with 0")
        _check_kind(values, splits.dtype)
        if type(values) is Tensor and not shape_of(values):
            raise invalid("RaggedTensor: the values are a scalar, which has no rows", About.VALUES)
        return cls(values, checked_splits(splits, values) if validate else Tensor(splits._value))

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Makes rows of given lengths.

        Args:
          values: The concatenated rows: a tensor or a ragged tensor.
          row_lengths: The length of each row.
          name: Accepted for compatibility.
          validate: Whether to check the arguments.

        Returns:
          A ragged tensor.

        Raises:
          InvalidArgumentError: A length is negative, or the lengths do not add up to the number of
            values.
          ValueError: `row_lengths` is not an integer vector.

        >>> tf.RaggedTensor.from_row_lengths([3, 1, 4], [2, 0, 1])
        <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        _check_flag(validate)
        lengths = integers(row_lengths, None, _kind_of(values), "row_lengths")
        splits = splits_of_lengths(lengths)
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Makes rows that begin at given indices.

        Args:
          values: The concatenated rows: a tensor or a ragged tensor.
          row_starts: The start of each row.
          name: Accepted for compatibility.
          validate: Whether to check the arguments.

        Returns:
          A ragged tensor.

        Raises:
          InvalidArgumentError: `row_starts` does not begin with 0, decreases, or exceeds the number
            of values.
          ValueError: `row_starts` is not an integer vector.
        """
        _check_flag(validate)
        starts = integers(row_starts, None, _kind_of(values), "row_starts")
        values = values if isinstance(values, RaggedConstructors) else tensor(values)
        splits = splits_of_starts(starts, height_of(values, starts.dtype))
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Makes rows that end before given indices.

        Args:
          values: The concatenated rows: a tensor or a ragged tensor.
          row_limits: The end of each row.
          name: Accepted for compatibility.
          validate: Whether to check the arguments.

        Returns:
          A ragged tensor.

        Raises:
          InvalidArgumentError: `row_limits` decreases, or does not end with the number of values.
          ValueError: `row_limits` is not an integer vector.
        """
        _check_flag(validate)
        splits = splits_of_limits(integers(row_limits, None, _kind_of(values), "row_limits"))
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Makes rows from the row index of each value.

        Args:
          values: The concatenated rows: a tensor or a ragged tensor.
          value_rowids: The row index of each value, a non-decreasing vector.
          nrows: The number of rows. Defaults to the largest row index plus 1.
          name: Accepted for compatibility.
          validate: Whether to check the arguments.

        Returns:
          A ragged tensor.

        Raises:
          InvalidArgumentError: `value_rowids` decreases, or a row index is negative.
          ValueError: A row index is not less than `nrows`, or there are more or fewer indices than
            values.
        """
        _check_flag(validate)
        ids = integers(value_rowids, None, _kind_of(values), "value_rowids")
        if nrows is not None:
            integers(nrows, None, None, "nrows", rank=0)
        values = values if isinstance(values, RaggedConstructors) else tensor(values)
        if not may_be_equal([length_of(values)], shape_of(ids)):
            raise ValueError(
                f"RaggedTensor.from_value_rowids: there are {length_of(values)} values, but "
                f"{shape_of(ids)[0]} row ids"
            )
        splits = splits_of_ids(ids, nrows, validate)
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Self:
        """Makes rows of one length.

        Args:
          values: The concatenated rows: a tensor or a ragged tensor.
          uniform_row_length: The length of each row; the row splits have its dtype.
          nrows: The number of rows, which is needed if the length is 0.
          validate: Accepted for compatibility.
          name: Accepted for compatibility.

        Returns:
          A ragged tensor, whose `uniform_row_length` is known.

        Raises:
          ValueError: The number of values is not `nrows` times the length, or the length is not a
            non-negative integer.
        """
        _check_flag(validate)
        values = values if isinstance(values, RaggedConstructors) else tensor(values)
        given = integers(uniform_row_length, None, _kind_of(values), "uniform_row_length", rank=0)
        _check_kind(values, given.dtype)
        n, total = int(uniform_row_length), length_of(values)
        if n < 0:
            raise ValueError(f"uniform_row_length must be >= 0, got {n}")
        rows = total // n if n else 0
        if nrows is not None:
            rows = int(integers(nrows, given.dtype, None, "nrows", rank=0))
        if rows * n != total:
            raise ValueError(
                f"RaggedTensor.from_uniform_row_length: {total} values do not make {rows} rows of "
                f"length {n}"
            )
        splits = np.arange(rows + 1, dtype=given.dtype.np_dtype) * n
        return cls(values, Tensor(splits), n)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Makes nested rows from nested row splits.

        Args:
          flat_values: The innermost values.
          nested_row_splits: The row splits of each ragged axis, the outermost first.
          name: Accepted for compatibility.
          validate: Whether to check the splits.

        Returns:
          A ragged tensor, or `flat_values` if there are no splits.

        Raises:
          TypeError: `nested_row_splits` is a tensor.
          InvalidArgumentError: Splits do not match the number of values or rows below them.
          ValueError: The dtypes of the splits differ.
        """
        made: Any = flat_values
        for splits in reversed(_levels(nested_row_splits, "nested_row_splits")):
            made = cls.from_row_splits(made, splits, validate=validate)
        out: Self = made
        return out

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Makes nested rows of given lengths.

        Args:
          flat_values: The innermost values.
          nested_row_lengths: The row lengths of each ragged axis, the outermost first.
          name: Accepted for compatibility.
          validate: Whether to check the lengths.

        Returns:
          A ragged tensor, or `flat_values` if there are no lengths.

        Raises:
          TypeError: `nested_row_lengths` is a tensor.
          InvalidArgumentError: Lengths do not match the number of values or rows below them.
        """
        made: Any = flat_values
        for lengths in reversed(_levels(nested_row_lengths, "nested_row_lengths")):
            made = cls.from_row_lengths(made, lengths, validate=validate)
        out: Self = made
        return out

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Makes nested rows from the row indices of the values.

        Args:
          flat_values: The innermost values.
          nested_value_rowids: The row indices along each ragged axis, the outermost first.
          nested_nrows: The number of rows along each ragged axis. Defaults to the largest row index
            plus 1.
          name: Accepted for compatibility.
          validate: Whether to check the numbers.

        Returns:
          A ragged tensor, or `flat_values` if there are no row numbers.

        Raises:
          TypeError: `nested_value_rowids` is a tensor.
          InvalidArgumentError: Row numbers decrease.
          ValueError: The two lists have different lengths.
        """
        ids = _levels(nested_value_rowids, "nested_value_rowids")
        heights = [None] * len(ids) if nested_nrows is None else list(nested_nrows)
        if len(heights) != len(ids):
            raise ValueError(
                "Argument `nested_nrows` must have the same length as argument "
                f"`nested_value_rowids`. len(nested_nrows) = {len(heights)} vs. "
                f"len(nested_value_rowids) = {len(ids)}."
            )
        made: Any = flat_values
        for rows, height in zip(reversed(ids), reversed(heights), strict=True):
            made = cls.from_value_rowids(made, rows, height, validate=validate)
        out: Self = made
        return out

    @classmethod
    @with_fed_values
    @result_by(_of_tensor)
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = int64,
    ) -> Self:
        """Returns the rows of a tensor, truncated to given lengths or without their padding.

        Args:
          tensor: A tensor of rank 2 or more.
          lengths: The length of each row, or a list of such vectors for several ragged axes.
          padding: The value that fills up rows at their ends.
          ragged_rank: The number of axes that become ragged; all but the last of them keep equal
            lengths.
          name: Accepted for compatibility.
          row_splits_dtype: The dtype of the row splits, int32 or int64.

        Returns:
          A ragged tensor.

        Raises:
          ValueError: `lengths` and `padding` are both given, or `ragged_rank` does not match the
            rank.
        """
        if lengths is not None and padding is not None:
            raise ValueError("Specify argument `lengths` or `padding`, but not both.")
        x = convert_to_tensor(tensor)
        shape = shape_of(x)
        if not 1 <= ragged_rank < len(shape):
            raise ValueError(
                f"RaggedTensor.from_tensor: ragged_rank={ragged_rank} must be in [1, {len(shape)}) "
                f"for a tensor of shape {shape}"
            )
        *lead, m = shape[: ragged_rank + 1]
        flat, kept = cut_rows(x, ragged_rank, lengths, padding)
        dtype = as_dtype(row_splits_dtype).np_dtype
        known = m if lengths is None and padding is None else None
        rows = cls.from_row_lengths(flat, kept.astype(dtype))
        out = cls(flat, rows._row_splits, known)
        for n, outer in zip(lead[:0:-1], range(len(lead) - 1, 0, -1), strict=True):
            out = cls(out, Tensor(np.arange(count(lead[:outer]) + 1, dtype=dtype) * n), n)
        return out

    @classmethod
    def from_sparse(
        cls, st_input: SparseTensor, name: str | None = None, row_splits_dtype: Any = int64
    ) -> Self:
        """Makes rows of the elements of a sparse matrix.

        Args:
          st_input: A `SparseTensor` of rank 2 whose rows fill their first columns.
          name: Accepted for compatibility.
          row_splits_dtype: The dtype of the row splits, int32 or int64.

        Returns:
          A ragged tensor of shape (rows, None).

        Raises:
          TypeError: `st_input` is not a sparse tensor.
          ValueError: Its rank is not 2.
          InvalidArgumentError: A row has an element after a missing one.

        >>> tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[1, 2], [0, 0], [3, 0]]))
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        if not isinstance(st_input, SparseTensor):
            raise TypeError(
                "Argument `st_input` must be of type SparseTensor, but is of type "
                f"{type(st_input).__name__}."
            )
        if st_input.shape.rank != 2:
            raise ValueError(
                "RaggedTensor.from_sparse: `st_input` must have rank 2, got rank "
                f"{st_input.shape.rank}"
            )
        return cls(*rows_of_sparse(st_input, as_dtype(row_splits_dtype)))


def _kind_of(values: Any) -> DType | None:
    """Returns the dtype of the row splits of values that are ragged, which new splits must have."""
    return values._row_splits.dtype if isinstance(values, RaggedConstructors) else None


def _check_flag(validate: Any) -> None:
    if not isinstance(validate, bool):
        raise TypeError(f"Argument `validate` must have type bool. Received {validate}.")


def _check_kind(values: Any, kind: DType) -> None:
    """Raises ValueError unless the row splits of the values have this dtype."""
    inner = _kind_of(values)
    if inner not in (None, kind):
        raise ValueError(
            f"the row splits have dtype {kind.name}, but those of the values have {inner.name}: "
            "convert one with `with_row_splits_dtype`"
        )


def _levels(given: Any, name: str) -> list[Any]:
    """Returns the numbers for each ragged axis; raises TypeError for a tensor."""
    if isinstance(given, Tensor):
        raise TypeError(f"Argument `{name}` must be a list of Tensors.")
    return list(given)


def length_of(values: Any) -> int:
    """Returns the number of rows of a tensor or ragged tensor."""
    return values._height() if isinstance(values, RaggedConstructors) else shape_of(values)[0]
