"""How a ragged tensor is divided into rows, said in other ways; and taking rows by `[]`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.compute.repeat_rows import repeated
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integer, invalid
from gradtape._src.declare.families import count, reshape_p

_ALL = slice(None)


class RaggedRows:
    """What `RaggedTensor` says of its rows; each is worked out from `row_splits`."""

    __slots__ = ()

    _values: Any
    _row_splits: Tensor
    _uniform: int | None

    def _splits(self) -> np.ndarray[Any, Any]:
        return np.asarray(self._row_splits._value)

    def _height(self) -> int:
        """The number of rows."""
        return int(self._row_splits._value.shape[0]) - 1

    def _reduced(self, op: str, axis: Any, keepdims: Any) -> Tensor:
        """What `reduce_<op>` gives; `ragged_reduce` puts it here."""
        raise NotImplementedError(op)

    def _run(self, op: str, *args: Any) -> Tensor:
        """What an operation gives of ragged tensors; `ragged_moves` puts it here."""
        raise NotImplementedError(op)

    def _over_values(self, f: Any) -> Tensor:
        raise NotImplementedError

    def value_rowids(self, name: str | None = None) -> Tensor:
        """Of each value the number of its row."""
        splits = self._splits()
        return Tensor(repeated(np.arange(len(splits) - 1, dtype=splits.dtype), np.diff(splits)))

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins."""
        return Tensor(self._splits()[:-1])

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends."""
        return Tensor(self._splits()[1:])

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows where it is known to be one; None for ragged rows."""
        return None if self._uniform is None else Tensor(self._splits().dtype.type(self._uniform))

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The row splits of each ragged axis, the outermost first."""
        inner = self._values
        more = inner.nested_row_splits if isinstance(inner, RaggedRows) else ()
        return (self._row_splits, *more)

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row lengths of each ragged axis, the outermost first."""
        return tuple(Tensor(np.diff(np.asarray(s._value))) for s in self.nested_row_splits)

    def bounding_shape(
        self, axis: int | None = None, name: str | None = None, out_type: Any = None
    ) -> Tensor:
        """The shape of the smallest tensor that holds all rows, or its length along an axis."""
        _, size = self._places()  # type: ignore[attr-defined]
        whole = [*size, *self.flat_values._value.shape[1:]]  # type: ignore[attr-defined]
        dtype = as_dtype(out_type).np_dtype if out_type else self._splits().dtype
        lengths = np.array(whole, dtype)
        return Tensor(lengths if axis is None else lengths[axis])

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """The same with a range of axes made one.

        Args:
          outer_axis: The first of them.
          inner_axis: The last.

        Raises:
          ValueError: They are not 0 <= outer_axis <= inner_axis < rank.
        """
        rank = len(self.shape)  # type: ignore[attr-defined]
        outer, inner = (a + rank if a < 0 else a for a in (outer_axis, inner_axis))
        if not 0 <= outer <= inner < rank:
            raise ValueError(
                f"merge_dims: outer_axis={outer_axis} and inner_axis={inner_axis} must be axes of "
                f"{rank} in order"
            )
        return _merged(self, outer, inner)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._each_row())  # type: ignore[attr-defined]

    def __getitem__(self, key: Any) -> Any:
        keys = list(key) if isinstance(key, tuple) else [key]
        dots = [i for i, k in enumerate(keys) if k is Ellipsis]
        if dots:
            free = len(self.shape) - len(keys) + 1  # type: ignore[attr-defined]
            keys[dots[0] : dots[0] + 1] = [_ALL] * free
        first, *rest = keys
        if first is None:
            whole = self[tuple(rest)] if rest else self
            return self._run("expand_dims", whole, 0)
        n = self._height()
        if not isinstance(first, slice):
            if isinstance(first, bool):
                raise ValueError("mask cannot be scalar.")
            i = integer(first, "RaggedTensor.__getitem__", "index")
            if not -n <= i < n:
                raise invalid(f"slice index {i} of dimension 0 out of bounds. [Op:StridedSlice]")
            row = self._gathered(i % n, 0, 0)  # type: ignore[attr-defined]
            return row[tuple(rest)] if rest else row
        rows: Any = self
        if first != _ALL:
            rows = self._gathered(np.arange(n)[first], 0, 0)  # type: ignore[attr-defined]
            rows._uniform = self._uniform
        return rows._inside(*rest) if rest else rows

    def _inside(self, key: Any, *rest: Any) -> Any:
        """The same part of each row."""
        if key is None:
            whole = self._inside(*rest) if rest else self
            return self._run("expand_dims", whole, 1)
        if not isinstance(key, slice):
            raise ValueError("Cannot index into an inner ragged dimension.")
        splits, values = self._splits(), self._values
        made: Any = self
        if key != _ALL:
            parts = [np.arange(a, b)[key] for a, b in pairwise(splits)]
            lengths = np.array([len(p) for p in parts], splits.dtype)
            taken = np.concatenate([*parts, np.empty(0, np.int64)]).astype(np.int64)
            made = self._of_values(taken, lengths)  # type: ignore[attr-defined]
            values = made._values
        return made.with_values(values[(_ALL, *rest)]) if rest else made


def _merged(x: Any, outer: int, inner: int) -> Any:
    if outer == inner:
        return x
    if not isinstance(x, RaggedRows):
        shape = x._value.shape
        return reshape_p(
            x, shape=(*shape[:outer], count(shape[outer : inner + 1]), *shape[inner + 1 :])
        )
    if outer > 1:
        return x.with_values(_merged(x._values, outer - 1, inner - 1))  # type: ignore[attr-defined]
    if outer:
        splits, level = x._splits(), x._values
        for _ in range(inner - 1):  # where the rows begin among what is further in
            ragged = isinstance(level, RaggedRows)
            splits = level._splits()[splits] if ragged else splits * level._value.shape[1]
            level = level._values if ragged else _merged(level, 0, 1)
        return type(x).from_row_splits(level, splits)  # type: ignore[attr-defined]
    return _merged(x._values, 0, inner - 1)
