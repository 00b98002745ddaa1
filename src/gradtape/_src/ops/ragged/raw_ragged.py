"""Raw operations on the components of ragged tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.ragged.construction import range_
from gradtape._src.ops.types.ragged_tensor import RaggedTensor


def _dense(
    new: New,
    shape: Any,
    values: Any,
    default_value: Any,
    row_partition_tensors: Any,
    *_: Any,
    **__: Any,
) -> Tensor:
    kinds = _[0] if _ else __["row_partition_types"]
    inner = shape_of(values)
    count = len(row_partition_tensors) + (_text(kinds[0]) != "FIRST_DIM_SIZE")
    sizes: list[Any] = [None] * count
    if _text(kinds[0]) == "ROW_SPLITS":
        sizes[0] = shape_of(row_partition_tensors[0])[0] - 1
    wished = (_wanted(shape) or [])[:count]
    for axis, n in enumerate(wished):
        sizes[axis] = sizes[axis] if n is None else n
    return new([*sizes, *inner[1:]], convert_to_tensor(values)._value.dtype)


def _text(x: Any) -> str:
    return x.decode() if isinstance(x, bytes) else str(x)


@raw_op("RaggedTensorToTensor")
@graph_operation("RaggedTensorToTensor", _dense)
def ragged_tensor_to_tensor(
    shape: Any,
    values: Any,
    default_value: Any,
    row_partition_tensors: Sequence[Any],
    row_partition_types: Sequence[Any],
    name: str | None = None,
) -> Tensor:
    """Returns a tensor with the padded rows of a ragged tensor.

    Args:
      shape: The shape of the result; -1 stands for the length of the longest row.
      values: The values of all rows.
      default_value: The padding value.
      row_partition_tensors: The partition of each axis, outermost first.
      row_partition_types: The form of each partition: "ROW_SPLITS", "VALUE_ROWIDS", or, for the
        first, "FIRST_DIM_SIZE".
      name: Accepted for compatibility.
    """
    kinds = list(map(_text, row_partition_types))
    parts = list(row_partition_tensors)
    count = None
    if kinds[0] == "FIRST_DIM_SIZE":
        count, parts, kinds = parts[0], parts[1:], kinds[1:]
    found: Any = convert_to_tensor(values)
    for place in range(len(parts) - 1, -1, -1):
        rows = count if place == 0 else _rows_before(parts, kinds, place)
        found = _divided(found, parts[place], kinds[place], rows)
    wanted = _wanted(shape)
    result: Tensor = found.to_tensor(default_value, shape=wanted)
    return result


def _divided(values: Any, part: Any, kind: str, rows: Any) -> RaggedTensor:
    if kind == "ROW_SPLITS":
        return RaggedTensor.from_row_splits(values, part, validate=False)
    if kind == "VALUE_ROWIDS":
        return RaggedTensor.from_value_rowids(values, part, rows, validate=False)
    raise invalid(f"unsupported row partition type: {kind} [Op:RaggedTensorToTensor]")


def _rows_before(parts: Sequence[Any], kinds: Sequence[str], place: int) -> Any:
    """Returns the number of rows of an inner axis: the number of values of the outer one."""
    part = convert_to_tensor(parts[place - 1])
    return part[-1] if kinds[place - 1] == "ROW_SPLITS" else np.int64(part.shape[0])


def _wanted(shape: Any) -> list[int | None] | None:
    """Returns the shape as a list with None for unknown lengths, or None if all are unknown."""
    value = np.asarray(convert_to_tensor(shape)._numpy())
    if value.ndim == 0:
        return None
    return [None if n < 0 else int(n) for n in value]


def _ranges(
    new: New, starts: Any, limits: Any, deltas: Any, Tsplits: Any = np.int64, **_: Any
) -> tuple[Tensor, Tensor]:
    lengths = [n for x in (starts, limits, deltas) for n in shape_of(convert_to_tensor(x))]
    kind = convert_to_tensor(starts)._value.dtype
    count = [lengths[0] + 1] if lengths else [2]
    return new(count, np.dtype(as_dtype(Tsplits).np_dtype)), new([None], kind)


@raw_op("RaggedRange")
@graph_operation("RaggedRange", _ranges)
def ragged_range(
    starts: Any, limits: Any, deltas: Any, Tsplits: Any = np.int64, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns ranges of numbers as the splits and values of a ragged tensor."""
    found = range_(starts, limits, deltas, row_splits_dtype=Tsplits)
    return found.row_splits, found.values


@raw_op("RaggedTensorToSparse")
def ragged_tensor_to_sparse(
    rt_nested_splits: Sequence[Any], rt_dense_values: Any, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns the indices, values and shape of the sparse tensor for a ragged tensor."""
    found = RaggedTensor.from_nested_row_splits(rt_dense_values, rt_nested_splits, validate=False)
    sparse = found.to_sparse()
    return sparse.indices, sparse.values, sparse.dense_shape


def _rows(
    new: New, params_nested_splits: Any, params_dense_values: Any, indices: Any, *_: Any, **__: Any
) -> tuple[list[Tensor], Tensor]:
    kind = convert_to_tensor(params_nested_splits[0])._value.dtype
    values = convert_to_tensor(params_dense_values)._value
    counts = list(shape_of(convert_to_tensor(indices)))
    splits = [new([counts[0] + 1], kind), *[new([None], kind) for _ in params_nested_splits[1:]]]
    return splits, new([None, *values.shape[1:]], values.dtype)


@raw_op("RaggedGather")
@graph_operation("RaggedGather", _rows)
def ragged_gather(
    params_nested_splits: Sequence[Any],
    params_dense_values: Any,
    indices: Any,
    OUTPUT_RAGGED_RANK: int,
    name: str | None = None,
) -> tuple[list[Tensor], Tensor]:
    """Returns rows of a ragged tensor: the splits of all axes, and the values.

    Args:
      params_nested_splits: The splits of the ragged tensor, the outermost first.
      params_dense_values: The values of the ragged tensor.
      indices: The indices of the rows.
      OUTPUT_RAGGED_RANK: The number of ragged axes of the result.
      name: Accepted for compatibility.
    """
    rows = RaggedTensor.from_nested_row_splits(
        params_dense_values, params_nested_splits, validate=False
    )
    found: Any = gather(rows, indices)
    return list(found.nested_row_splits), found.flat_values
