"""`tf.sparse.cross` and `tf.ragged.cross`: every combination of the features of each row."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, int64, string
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.text.hashes import concatenated, fingerprint64
from gradtape._src.text.values import strings

HASH_KEY = 0xDECAFCAFFE
_LARGEST = (1 << 63) - 1
_MASK = (1 << 64) - 1


@export("sparse.cross")
def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """Returns every combination of the features of each row, as strings.

    Args:
      inputs: A list of matrices of strings or integers, dense or sparse, with the same number of
        rows.
      name: Accepted for compatibility.
      separator: The text between the features. Defaults to "_X_".

    Returns:
      A SparseTensor of strings of shape (rows, maximum number of combinations in a row).

    Raises:
      InvalidArgumentError: An input is not a matrix, or row counts differ.
      TypeError: An input is ragged.
    """
    between = (b"_X_" if separator is None else separator.encode()).join
    found = _crossed(inputs, lambda row: between([_text(x) for x in row]))
    return _sparse(found, lambda flat: strings(flat, [len(flat)]))


@export("sparse.cross_hashed")
@takes(hash_key="int")
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Returns hashes of every combination of the features of each row.

    Args:
      inputs: A list of matrices of strings or integers, dense or sparse, with the same number of
        rows.
      num_buckets: The number of buckets, or 0 for the full range of int64.
      hash_key: The initial value of the hashes.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor of int64 of shape (rows, maximum number of combinations in a row).

    Raises:
      InvalidArgumentError: An input is not a matrix, row counts differ, or `num_buckets` is
        negative.
      TypeError: An input is ragged.
    """
    return _sparse(
        _crossed(inputs, _hash_function(num_buckets, hash_key, "SparseCross")),
        lambda flat: Tensor(np.array(flat, np.int64)),
    )


@export("ragged.cross")
def ragged_cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """Returns every combination of the features of each row, as strings.

    Args:
      inputs: A list of matrices of strings or integers, ragged, dense or sparse, with the same
        number of rows.
      name: Accepted for compatibility.

    Returns:
      A ragged tensor of strings, in which features are joined by "_X_".

    Raises:
      TypeError: `inputs` is not a list.
      ValueError: The dtype of an input is not supported, or it is not a matrix.
      InvalidArgumentError: A dense input is not a matrix, or row counts differ.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([["d"], ["e"]])])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>
    """
    found = _crossed_ragged(inputs, lambda row: b"_X_".join([_text(x) for x in row]))
    return _ragged(found, lambda flat: strings(flat, [len(flat)]))


@export("ragged.cross_hashed")
def ragged_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Returns hashes of every combination of the features of each row.

    Args:
      inputs: A list of matrices of strings or integers, ragged, dense or sparse, with the same
        number of rows.
      num_buckets: The number of buckets, or 0 for the full range of int64.
      hash_key: The initial value of the hashes.
      name: Accepted for compatibility.

    Returns:
      A ragged tensor of int64.

    Raises:
      TypeError: `inputs` is not a list.
      ValueError: The dtype of an input is not supported, or it is not a matrix.
      InvalidArgumentError: A dense input is not a matrix, row counts differ, or `num_buckets` is
        negative.
    """
    found = _crossed_ragged(inputs, _hash_function(num_buckets, hash_key, "RaggedCross"))
    return _ragged(found, lambda flat: Tensor(np.array(flat, np.int64)))


@raw_op("SparseCrossV2", differentiable=False)
def sparse_cross_v2(
    indices: Sequence[Any],
    values: Sequence[Any],
    shapes: Sequence[Any],
    dense_inputs: Sequence[Any],
    sep: Any,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Crosses sparse, then dense matrices; returns the indices, values and shape of the result."""
    between = convert_to_tensor(sep)._value.item().decode()
    found = cross([*_joined(indices, values, shapes), *dense_inputs], separator=between)
    return found.indices, found.values, found.dense_shape


@raw_op("SparseCross", ignored=("hashed_output", "internal_type"), differentiable=False)
def sparse_cross(
    indices: Sequence[Any],
    values: Sequence[Any],
    shapes: Sequence[Any],
    dense_inputs: Sequence[Any],
    num_buckets: int,
    hash_key: int,
    out_type: Any,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Crosses sparse, then dense matrices; returns the indices, values and shape of the result."""
    given = [*_joined(indices, values, shapes), *dense_inputs]
    hashed = as_dtype(out_type) is not string  # the dtype decides, as in TensorFlow
    found = cross_hashed(given, num_buckets, hash_key) if hashed else cross(given)
    return found.indices, found.values, found.dense_shape


@raw_op("RaggedCross", ignored=("hashed_output",), differentiable=False)
def raw_ragged_cross(
    ragged_values: Sequence[Any],
    ragged_row_splits: Sequence[Any],
    sparse_indices: Sequence[Any],
    sparse_values: Sequence[Any],
    sparse_shape: Sequence[Any],
    dense_inputs: Sequence[Any],
    input_order: str,
    num_buckets: int,
    hash_key: int,
    out_values_type: Any,
    out_row_splits_type: Any,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the values and row splits of `tf.ragged.cross`, or of `cross_hashed` for integers.

    `input_order` has one letter for each input: "R" if it is ragged, "S" if sparse, "D" if dense.
    """
    pairs = zip(ragged_values, ragged_row_splits, strict=True)
    kinds: dict[str, Iterator[Any]] = {
        "R": (RaggedTensor.from_row_splits(x, at, validate=False) for x, at in pairs),
        "S": iter(_joined(sparse_indices, sparse_values, sparse_shape)),
        "D": iter(dense_inputs),
    }
    given = [next(kinds[kind]) for kind in input_order]
    if as_dtype(out_values_type) is not string:  # the dtype decides, as in TensorFlow
        found = ragged_cross_hashed(given, num_buckets, hash_key)
    else:
        found = ragged_cross(given)
    return found.values, cast(found.row_splits, out_row_splits_type)


def _joined(
    indices: Sequence[Any], values: Sequence[Any], shapes: Sequence[Any]
) -> list[SparseTensor]:
    """Returns sparse tensors, given the indices, values and shape of each."""
    return [SparseTensor(*parts) for parts in zip(indices, values, shapes, strict=True)]


def _crossed_ragged(inputs: Any, combine: Callable[[tuple[Any, ...]], Any]) -> list[list[Any]]:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    columns = []
    for place, x in enumerate(inputs):
        if isinstance(x, RaggedTensor) and len(x.shape) != 2:
            raise ValueError("tf.ragged.cross only supports inputs with rank=2")
        value: Any = x if isinstance(x, (RaggedTensor, SparseTensor)) else convert_to_tensor(x)
        if value.dtype is not string and not value.dtype.is_integer:
            raise ValueError(f"Unexpected dtype for inputs[{place}]: {value.dtype}")
        columns.append(
            value.to_list() if isinstance(x, RaggedTensor) else _rows(value, place, "RaggedCross")
        )
    return _combined(columns, combine, "RaggedCross")


def _ragged(rows: list[list[Any]], to_tensor: Callable[[list[Any]], Tensor]) -> RaggedTensor:
    flat = [item for items in rows for item in items]
    lengths = np.array([len(items) for items in rows], np.int64)
    return RaggedTensor.from_row_lengths(to_tensor(flat), lengths, validate=False)


def _hash_function(
    num_buckets: int, hash_key: int | None, op: str
) -> Callable[[tuple[Any, ...]], int]:
    """Returns the function that hashes a combination.

    Raises:
      InvalidArgumentError: The number of buckets is negative.
    """
    if num_buckets < 0:
        raise invalid(f"num_buckets must not be negative, got {num_buckets} [Op:{op}]")
    start = HASH_KEY if hash_key is None else int(hash_key)

    def number(row: tuple[Any, ...]) -> int:
        found = start
        for x in row:
            found = concatenated(found, fingerprint64(x) if isinstance(x, bytes) else x & _MASK)
        return found % (num_buckets or _LARGEST)

    return number


def _text(x: Any) -> bytes:
    return x if isinstance(x, bytes) else b"%d" % x


def _crossed(inputs: Any, combine: Callable[[tuple[Any, ...]], Any]) -> list[list[Any]]:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    if any(isinstance(x, RaggedTensor) for x in inputs):
        raise TypeError("tf.sparse.cross takes dense and sparse matrices; see tf.ragged.cross")
    columns = [_rows(x, place, "SparseCross") for place, x in enumerate(inputs)]
    return _combined(columns, combine, "SparseCross")


def _combined(
    columns: list[list[list[Any]]], combine: Callable[[tuple[Any, ...]], Any], op: str
) -> list[list[Any]]:
    """Returns the combinations in each row.

    Raises:
      InvalidArgumentError: The numbers of rows of the inputs differ.
    """
    size = len(columns[0]) if columns else 0
    for place, column in enumerate(columns):
        if len(column) != size:
            raise invalid(
                f"Expected batch size {size} got {len(column)} at input {place} [Op:{op}]"
            )
    by_row = zip(*columns, strict=True)
    return [[combine(each) for each in itertools.product(*row)] for row in by_row]


def _rows(x: Any, place: int, op: str) -> list[list[Any]]:
    """Returns the features of each row of an input."""
    kind = "Sparse" if isinstance(x, SparseTensor) else "Dense"
    value = x.values if isinstance(x, SparseTensor) else convert_to_tensor(x)
    shape: list[Any] = (x if isinstance(x, SparseTensor) else value).shape.as_list()
    if len(shape) != 2:
        raise invalid(
            f"{kind} inputs should be a matrix but received shape {shown_shape(shape)} at position "
            f"{place} [Op:{op}]"
        )
    if value.dtype is not string:
        value = cast(value, int64)
    if not isinstance(x, SparseTensor):
        out: list[list[Any]] = value._value.tolist()
        return out
    rows: list[list[Any]] = [[] for _ in range(int(x.dense_shape._numpy()[0]))]
    for row, item in zip(x.indices._value[:, 0].tolist(), value._value.tolist(), strict=True):
        rows[row].append(item)
    return rows


def _sparse(rows: list[list[Any]], to_tensor: Callable[[list[Any]], Tensor]) -> SparseTensor:
    places = [(row, place) for row, items in enumerate(rows) for place in range(len(items))]
    extent = [len(rows), max((len(items) for items in rows), default=0)]
    flat = [item for items in rows for item in items]
    return SparseTensor(
        np.array(places, np.int64).reshape(-1, 2), to_tensor(flat), np.array(extent, np.int64)
    )


def _fingerprints(new: New, data: Any, method: str = "farmhash64", *_: Any, **__: Any) -> Tensor:
    return new([shape_of(convert_to_tensor(data))[0], 8], np.dtype(np.uint8))


@export("fingerprint")
@raw_op("Fingerprint", differentiable=False)
@graph_operation("Fingerprint", _fingerprints)
def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """Computes a hash of each row of a tensor, from the bytes of its elements.

    Args:
      data: A tensor of rank 1 or more.
      method: "farmhash64".
      name: Accepted for compatibility.

    Returns:
      A uint8 tensor of shape (rows, 8).

    Raises:
      InvalidArgumentError: `data` is a scalar, or `method` is unknown.

    >>> tf.fingerprint(["abc"]).numpy().tolist()
    [[105, 243, 231, 116, 160, 179, 165, 36]]
    """
    value = np.asarray(convert_to_tensor(data)._value)
    if not value.ndim:
        raise invalid("`data` should have at least one dimension: [] [Op:Fingerprint]")
    given: Any = method
    kind = given if isinstance(given, str) else convert_to_tensor(given)._value.item().decode()
    if kind != "farmhash64":
        raise invalid(f"Unsupported fingerprint method: {kind} [Op:Fingerprint]")
    hashes = [_hash_of_row(row) for row in value]
    return Tensor(np.array(hashes, "<u8").view(np.uint8).reshape(len(value), 8))


def _hash_of_row(row: Any) -> int:
    """Returns the hash of a row's bytes, or, for several strings, the hash of their hashes."""
    if not isinstance(row, (bytes, str)) and row.dtype != object:
        return fingerprint64(np.ascontiguousarray(row).tobytes())
    if isinstance(row, bytes):
        return fingerprint64(row)
    each = [fingerprint64(text) for text in row.reshape(-1).tolist()]
    return fingerprint64(np.array(each, "<u8").tobytes())
