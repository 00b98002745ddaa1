"""Conversions between row splits, lengths and row ids, each as one operation of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, int32, int64
from gradtape._src.base.errors import About
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation, like_input


def integers(values: Any, dtype: Any, dtype_hint: Any, what: str, rank: int = 1) -> Tensor:
    """Converts splits, lengths or row indices to a tensor of integers.

    Args:
      values: The numbers.
      dtype: The dtype to convert them to, or None.
      dtype_hint: The dtype of values that are not of dtype int32 or int64. Defaults to int64.
      what: The argument's name, for messages.
      rank: The rank that the numbers must have.

    Raises:
      ValueError: The values have neither dtype int32 nor int64, or the rank is different.
    """
    hint = int64 if dtype_hint is None else as_dtype(dtype_hint)
    if isinstance(values, np.ndarray) and values.dtype in (np.int32, np.int64):
        hint = values.dtype
    found = convert_to_tensor(values, dtype=dtype, dtype_hint=hint)
    if found.dtype not in (int32, int64):
        raise ValueError(f"{what} must have dtype int32 or int64, got {found.dtype.name}")
    if len(shape_of(found)) != rank:
        raise ValueError(f"Shape {found.shape} of {what} must have rank {rank}")
    return found


def height_of(values: Any, dtype: Any) -> Tensor:
    """Returns the number of rows of a tensor or a ragged tensor."""
    if type(values) is Tensor:
        rows = shape_of(values)[0]
        return Tensor(dtype.np_dtype.type(rows)) if type(rows) is int else _rows_of(values, dtype)
    height: Tensor = values.nrows(out_type=dtype)
    return height


@graph_operation("StridedSlice", lambda new, values, dtype: new((), dtype))
def _rows_of(values: Tensor, dtype: Any) -> Tensor:
    return Tensor(dtype.np_dtype.type(shape_of(values)[0]))


@graph_operation("Sub", lambda new, splits, dtype: new((), dtype))
def row_count(splits: Tensor, dtype: Any) -> Tensor:
    """Returns the number of rows."""
    return Tensor(dtype.type(shape_of(splits)[0] - 1))


def _one_more(new: New, lengths: Tensor, *_: Any) -> Tensor:
    return new([shape_of(lengths)[0] + 1], lengths._value.dtype)


def _one_less(new: New, splits: Tensor, *_: Any) -> Tensor:
    return new([shape_of(splits)[0] - 1], splits._value.dtype)


@graph_operation("RaggedSplits", like_input())
def checked_splits(splits: Tensor, values: Any) -> Tensor:
    """Returns row splits; raises InvalidArgumentError if they are not valid."""
    found, count = np.asarray(splits._value), int(np.asarray(height_of(values, splits.dtype)))
    if found[0] or found[-1] != count or (np.diff(found) < 0).any():
        raise invalid(
            "The arguments do not form a valid RaggedTensor: row_splits must rise from 0 to "
            f"the number of values, {count}; they are {found.tolist()}",
            About.VALUES,
        )
    return Tensor(found)


@graph_operation("ConcatV2", _one_more)
def splits_of_lengths(row_lengths: Tensor) -> Tensor:
    """Returns the row splits for given row lengths."""
    lengths = np.asarray(row_lengths._value)
    return Tensor(np.concatenate([[0], np.cumsum(lengths)]).astype(lengths.dtype))


@graph_operation("ConcatV2", _one_more)
def splits_of_starts(row_starts: Tensor, count: Tensor) -> Tensor:
    """Returns the row splits for given row starts and the number of values."""
    starts = np.asarray(row_starts._value)
    return Tensor(np.append(starts, np.asarray(count._value)).astype(starts.dtype))


@graph_operation("ConcatV2", _one_more)
def splits_of_limits(row_limits: Tensor) -> Tensor:
    """Returns the row splits for given row limits."""
    limits = np.asarray(row_limits._value)
    return Tensor(np.concatenate([[0], limits]).astype(limits.dtype))


def _splits_of_ids(new: New, ids: Tensor, nrows: Any, *_: Any) -> Tensor:
    known = nrows is not None and type(nrows) is not Tensor
    return new([int(nrows) + 1 if known else None], ids._value.dtype)


@graph_operation("ConcatV2", _splits_of_ids)
def splits_of_ids(value_rowids: Tensor, nrows: Any, validate: bool) -> Tensor:
    """Returns the row splits for the row indices of the values."""
    ids = np.asarray(value_rowids._value)
    rows = int(ids[-1]) + 1 if ids.size else 0
    rows = rows if nrows is None else int(convert_to_tensor(nrows)._value)
    if validate and ids.size:
        if ids[-1] >= rows:
            raise ValueError(
                f"Expected nrows >= value_rowids[-1] + 1; got nrows={rows}, value_rowids[-1]="
                f"{ids[-1]}"
            )
        if (np.diff(ids) < 0).any() or ids[0] < 0:
            raise invalid(
                "The arguments do not form a valid RaggedTensor: value_rowids must rise from 0 or "
                f"more; they are {ids.tolist()}",
                About.VALUES,
            )
    return Tensor(np.searchsorted(ids, np.arange(rows + 1)).astype(ids.dtype))


@graph_operation("Sub", _one_less)
def lengths_of_rows(splits: Tensor) -> Tensor:
    """Returns the row lengths for given row splits."""
    return Tensor(np.diff(np.asarray(splits._value)))


def _ids(new: New, splits: Tensor, values: Any) -> Tensor:
    count = shape_of(values)[0] if type(values) is Tensor else values._height()
    return new([count], splits._value.dtype)


@graph_operation("RaggedRange", _ids)
def row_ids(splits: Tensor, _: Any) -> Tensor:
    """Returns the row index of each value."""
    found = np.asarray(splits._value)
    return Tensor(repeated(np.arange(len(found) - 1, dtype=found.dtype), np.diff(found)))
