"""`tf.sparse.cross`: every combination of the features of each row."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import string
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.text.hashes import concatenated, fingerprint64
from gradtape._src.text.values import strings

_HASH_KEY = 0xDECAFCAFFE
_LARGEST = (1 << 63) - 1
_MASK = (1 << 64) - 1


@export("sparse.cross")
def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """Every combination of the features of each row, as strings.

    Args:
      inputs: A list of matrices of strings or integers, dense or sparse, with one row count.
      name: Accepted for compatibility.
      separator: What stands between; "_X_" by default.

    Returns:
      A SparseTensor of strings of shape (rows, most combinations in a row).

    Raises:
      InvalidArgumentError: An input is not a matrix, or row counts differ.
      TypeError: An input is ragged.
    """
    between = (b"_X_" if separator is None else separator.encode()).join
    found = _crossed(inputs, lambda row: between([_text(x) for x in row]))
    return _sparse(found, lambda flat: strings(flat, [len(flat)]))


@export("sparse.cross_hashed")
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Numbers for every combination of the features of each row.

    Args:
      inputs: A list of matrices of strings or integers, dense or sparse, with one row count.
      num_buckets: How many numbers there are; 0 for as many as int64 has.
      hash_key: A number that the hashes begin with.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor of int64 of shape (rows, most combinations in a row).

    Raises:
      InvalidArgumentError: An input is not a matrix, or row counts differ.
      TypeError: An input is ragged.
    """
    start = _HASH_KEY if hash_key is None else int(hash_key)

    def number(row: tuple[Any, ...]) -> int:
        found = start
        for x in row:
            found = concatenated(found, fingerprint64(x) if isinstance(x, bytes) else x & _MASK)
        return found % (num_buckets or _LARGEST)

    return _sparse(_crossed(inputs, number), lambda flat: Tensor(np.array(flat, np.int64)))


def _text(x: Any) -> bytes:
    return x if isinstance(x, bytes) else b"%d" % x


def _crossed(inputs: Any, combine: Callable[[tuple[Any, ...]], Any]) -> list[list[Any]]:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    if any(isinstance(x, RaggedTensor) for x in inputs):
        raise TypeError("tf.sparse.cross takes dense and sparse matrices; see tf.ragged.cross")
    columns = [_rows(x, place) for place, x in enumerate(inputs)]
    size = len(columns[0]) if columns else 0
    for place, column in enumerate(columns):
        if len(column) != size:
            raise invalid(
                f"Expected batch size {size} got {len(column)} at input {place} [Op:SparseCross]"
            )
    by_row = zip(*columns, strict=True)
    return [[combine(each) for each in itertools.product(*row)] for row in by_row]


def _rows(x: Any, place: int) -> list[list[Any]]:
    """Returns the features of each row of an input."""
    kind = "Sparse" if isinstance(x, SparseTensor) else "Dense"
    value = x.values if isinstance(x, SparseTensor) else convert_to_tensor(x)
    shape: list[Any] = (x if isinstance(x, SparseTensor) else value).shape.as_list()
    if len(shape) != 2:
        raise invalid(
            f"{kind} inputs should be a matrix but received shape {shown_shape(shape)} at position "
            f"{place} [Op:SparseCross]"
        )
    if value.dtype is not string and not value.dtype.is_integer:
        raise invalid(
            f"tf.sparse.cross takes strings and integers, got {value.dtype.name} at position "
            f"{place} [Op:SparseCross]"
        )
    if not isinstance(x, SparseTensor):
        out: list[list[Any]] = value._value.tolist()
        return out
    rows: list[list[Any]] = [[] for _ in range(shape[0])]
    for row, item in zip(x.indices._value[:, 0].tolist(), value._value.tolist(), strict=True):
        rows[row].append(item)
    return rows


def _sparse(rows: list[list[Any]], tensor: Callable[[list[Any]], Tensor]) -> SparseTensor:
    places = [(row, place) for row, items in enumerate(rows) for place in range(len(items))]
    extent = [len(rows), max((len(items) for items in rows), default=0)]
    flat = [item for items in rows for item in items]
    return SparseTensor(
        np.array(places, np.int64).reshape(-1, 2), tensor(flat), np.array(extent, np.int64)
    )
