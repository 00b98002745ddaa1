"""The values of ragged tensors, which a session returns and is fed."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.export import export
from gradtape._src.ops.types.ragged_constant import partitioned


@export("compat.v1.ragged.RaggedTensorValue")
class RaggedTensorValue:
    """The value of a ragged tensor, which a session returns or is fed.

    Args:
      values: The concatenated rows: an array, or the value of another ragged tensor.
      row_splits: The start of each row, and the end of the last: a vector of int32 or int64.

    Raises:
      TypeError: An argument is not of these types.
      ValueError: The row splits of `values` have another dtype than `row_splits`.

    >>> value = tf.compat.v1.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 2, 3]))
    >>> value.to_list()
    [[1, 2], [3]]
    """

    _values: Any
    _row_splits: np.ndarray[Any, Any]

    def __init__(self, values: Any, row_splits: Any) -> None:
        integers = isinstance(row_splits, np.ndarray) and row_splits.dtype in (np.int32, np.int64)
        if not integers or row_splits.ndim != 1:
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and values.row_splits.dtype != row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        self._values, self._row_splits = values, row_splits

    @property
    def values(self) -> np.ndarray[Any, Any] | RaggedTensorValue:
        """The concatenated rows."""
        rows: np.ndarray[Any, Any] | RaggedTensorValue = self._values
        return rows

    @property
    def row_splits(self) -> np.ndarray[Any, Any]:
        """The start of each row, and the end of the last."""
        return self._row_splits

    @property
    def flat_values(self) -> np.ndarray[Any, Any]:
        """The innermost values."""
        inner = self._values
        flat: np.ndarray[Any, Any] = inner
        return inner.flat_values if isinstance(inner, RaggedTensorValue) else flat

    @property
    def nested_row_splits(self) -> tuple[np.ndarray[Any, Any], ...]:
        """The row splits of each ragged axis, the outermost first."""
        inner = self._values
        more = inner.nested_row_splits if isinstance(inner, RaggedTensorValue) else ()
        return (self._row_splits, *more)

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        return len(self.nested_row_splits)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements."""
        kind: np.dtype[Any] = self._values.dtype
        return kind

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape, with None for ragged axes."""
        return (self._row_splits.shape[0] - 1, None, *self._values.shape[1:])

    def to_list(self) -> list[Any]:
        """Converts the rows to nested lists.

        Returns:
          A list of lists.
        """
        inner = self._values
        flat = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        return [flat[start:limit] for start, limit in pairwise(self._row_splits)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"


def nested(flat_values: Any, *row_splits: Any) -> RaggedTensorValue:
    """Returns the value of a ragged tensor.

    Args:
      flat_values: The innermost values.
      row_splits: The row splits of each ragged axis, the outermost first.

    Returns:
      A value with as many ragged axes as there are row splits.
    """
    value = flat_values
    for splits in reversed(row_splits):
        value = RaggedTensorValue(value, splits)
    made: RaggedTensorValue = value
    return made


@export("compat.v1.ragged.constant_value")
def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> RaggedTensorValue | np.ndarray[Any, Any]:
    """Makes the value of a ragged tensor, which a session can be fed, from nested lists.

    Args:
      pylist: Lists of rows, in any nesting.
      dtype: The dtype of the elements. By default, NumPy infers it from the elements.
      ragged_rank: The number of ragged axes. Defaults to the nesting depth minus one, less the
        rank of `inner_shape`.
      inner_shape: The shape of the innermost values.
      row_splits_dtype: The type of the row splits, int32 or int64.

    Returns:
      The value of a ragged tensor, or an array if no axis is ragged.

    Raises:
      ValueError: The nesting depth differs between elements, or does not match `ragged_rank` and
        `inner_shape`.

    >>> tf.compat.v1.ragged.constant_value([[1, 2], [3]]).row_splits
    array([0, 2, 3])
    """
    items, levels, shape = partitioned(pylist, ragged_rank, inner_shape)
    kind = as_dtype(row_splits_dtype).np_dtype
    wanted = dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype
    values = np.array(items, wanted)
    flat = values if shape is None else values.reshape(shape)
    return nested(flat, *(splits.astype(kind) for splits in levels))
