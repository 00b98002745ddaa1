"""Raw operations on the parts of ragged tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.ops.ragged.construction import range_
from gradtape._src.ops.types.ragged_tensor import RaggedTensor


@raw_op("RaggedTensorToTensor")
def ragged_tensor_to_tensor(
    shape: Any,
    values: Any,
    default_value: Any,
    row_partition_tensors: Sequence[Any],
    row_partition_types: Sequence[Any],
    name: str | None = None,
) -> Tensor:
    """Returns a tensor with the rows of a ragged one, filled up.

    Args:
      shape: Its shape, -1 for lengths that are those of the longest rows.
      values: The values of all rows.
      default_value: What to fill up with.
      row_partition_tensors: How each axis is divided, the outermost first.
      row_partition_types: In which way each of these says so: "ROW_SPLITS", "VALUE_ROWIDS", and
        for the first "FIRST_DIM_SIZE".
      name: Accepted for compatibility.
    """
    kinds = [k.decode() if isinstance(k, bytes) else str(k) for k in row_partition_types]
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
    """Returns the number of rows of an inner axis: as many as the axis around it has values."""
    part = convert_to_tensor(parts[place - 1])
    return part[-1] if kinds[place - 1] == "ROW_SPLITS" else np.int64(part.shape[0])


def _wanted(shape: Any) -> list[int | None] | None:
    """Returns the shape as a list, None for lengths to be found; None if all are."""
    value = np.asarray(convert_to_tensor(shape)._numpy())
    if value.ndim == 0:
        return None
    return [None if n < 0 else int(n) for n in value]


@raw_op("RaggedRange")
def ragged_range(
    starts: Any, limits: Any, deltas: Any, Tsplits: Any = np.int64, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Ranges of numbers as the splits and values of a ragged tensor."""
    found = range_(starts, limits, deltas, row_splits_dtype=Tsplits)
    return found.row_splits, found.values


@raw_op("RaggedTensorToSparse")
def ragged_tensor_to_sparse(
    rt_nested_splits: Sequence[Any], rt_dense_values: Any, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns the places, values and shape of a sparse tensor with the values of a ragged one."""
    found = RaggedTensor.from_nested_row_splits(rt_dense_values, rt_nested_splits, validate=False)
    places, shape = found._places()
    return Tensor(places.T.astype(np.int64)), found.flat_values, Tensor(np.array(shape, np.int64))
