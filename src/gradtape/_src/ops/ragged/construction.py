"""Functions of `tf.ragged`: ranges, masks, stacks, and conversions of row partitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from gradtape._src.base.dtypes import as_dtype, int64
from gradtape._src.base.error_messages import allocated
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integer, invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.declare.structural import reshape_p
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.array.joining import stack as dense_stack
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.types.ragged_tensor import RaggedTensor

Numbers = np.ndarray[Any, Any]


def _splits(lengths: Any, dtype: Any = np.int64) -> Tensor:
    return Tensor(np.concatenate([[0], np.cumsum(lengths)]).astype(dtype))


@overload
def take_rows(values: RaggedTensor, rows: Numbers) -> RaggedTensor: ...
@overload
def take_rows(values: Tensor, rows: Numbers) -> Tensor: ...
@overload
def take_rows(values: Tensor | RaggedTensor, rows: Numbers) -> Tensor | RaggedTensor: ...
def take_rows(values: Tensor | RaggedTensor, rows: Numbers) -> Tensor | RaggedTensor:
    """Returns rows of a tensor or a ragged tensor."""
    if not isinstance(values, RaggedTensor):
        return gather_p(values, Tensor(rows), axis=0, batch_dims=0)
    splits = np.asarray(values.row_splits._numpy())
    lengths = np.diff(splits)[rows]
    inside = [np.arange(splits[r], splits[r + 1]) for r in rows]
    flat = np.concatenate([*inside, np.zeros(0, np.int64)]).astype(np.int64)
    return RaggedTensor(take_rows(values.values, flat), _splits(lengths, splits.dtype))


@export("ragged.row_splits_to_segment_ids")
@deferrable
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """Returns the row index of each value, given the row splits.

    Args:
      splits: The start of each row, and the end of the last.
      name: Accepted for compatibility.
      out_type: int32 or int64. Defaults to the dtype of `splits`.

    Returns:
      A vector of dtype `out_type` with the row of each value.

    Raises:
      ValueError: `splits` is not a vector of integers.

    >>> tf.ragged.row_splits_to_segment_ids([0, 2, 3]).numpy()
    array([0, 0, 1])
    """
    s = np.asarray(convert_to_tensor(splits, dtype_hint=int64)._numpy())
    if s.ndim != 1 or s.dtype.kind != "i":
        raise ValueError(f"splits must be a vector of int32 or int64, got {s!r}")
    kind = s.dtype if out_type is None else as_dtype(out_type).np_dtype
    return Tensor(repeated(np.arange(len(s) - 1, dtype=kind), np.diff(s)))


@export("ragged.segment_ids_to_row_splits")
@deferrable
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """Returns the row splits, given the row index of each value.

    Args:
      segment_ids: The row index of each value, a non-decreasing vector.
      num_segments: The number of rows, beyond which values are left out. Defaults to the last index
        plus one.
      out_type: int32 or int64. Defaults to the dtype of `segment_ids`.
      name: Accepted for compatibility.

    Returns:
      A vector of dtype `out_type` that has one element more than the number of rows.

    Raises:
      ValueError: `segment_ids` is not a vector of integers.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy()
    array([0, 2, 2, 3])
    """
    ids = np.asarray(convert_to_tensor(segment_ids, dtype_hint=int64)._numpy())
    if ids.ndim != 1 or ids.dtype.kind != "i":
        raise ValueError(f"segment_ids must be a vector of int32 or int64, got {ids!r}")
    kind = ids.dtype if out_type is None else as_dtype(out_type).np_dtype
    n = None if num_segments is None else integer(num_segments, "segment_ids", "num_segments")
    return _splits(np.bincount(ids, minlength=n or 0)[:n], kind)


@export("ragged.range")
@deferrable
def range_(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> RaggedTensor:
    """Returns a ragged tensor whose rows are ranges.

    Args:
      starts: The start of each range, or the limit if `limits` is not given.
      limits: The limit of each range.
      deltas: The step of each range.
      dtype: The dtype of the numbers.
      name: Accepted for compatibility.
      row_splits_dtype: int32 or int64.

    Returns:
      A ragged tensor with a row for each start.

    Raises:
      InvalidArgumentError: A step is zero, or the lengths differ.

    >>> tf.ragged.range([2, 3]).to_list()
    [[0, 1], [0, 1, 2]]
    """
    if limits is None:
        starts, limits = 0, starts
    given = [np.asarray(tensor(v)._numpy()) for v in (starts, limits, deltas)]
    if any(v.ndim > 1 for v in given):
        raise invalid("starts, limits and deltas must be scalars or vectors [Op:RaggedRange]")
    kind: Any = _widest(given) if dtype is None else as_dtype(dtype).np_dtype
    try:
        first, last, step = np.broadcast_arrays(*(np.atleast_1d(v) for v in given))
    except ValueError:
        raise invalid(
            f"starts, limits, and deltas must have the same shape, got {[v.shape for v in given]} "
            f"[Op:RaggedRange]"
        ) from None
    if (step == 0).any():
        raise invalid("Requires delta != 0 [Op:RaggedRange]", About.VALUES)
    spans = zip(first.tolist(), last.tolist(), step.tolist(), strict=True)
    rows = [_row(a, b, d, kind) for a, b, d in spans]
    flat = np.concatenate([*rows, np.zeros(0, kind)])
    splits = _splits([len(r) for r in rows], as_dtype(row_splits_dtype).np_dtype)
    return RaggedTensor(Tensor(flat), splits)


_RANGES = ("int32", "int64", "float32", "float64")


def _widest(given: list[Numbers]) -> Any:
    """Returns the dtype of a range: the last of those that occur, in this order."""
    if unknown := [v.dtype.name for v in given if v.dtype.name not in _RANGES]:
        raise invalid(f"ragged.range takes {', '.join(_RANGES)}, got {unknown[0]} [Op:RaggedRange]")
    return np.dtype(max((v.dtype.name for v in given), key=_RANGES.index))


def _row(start: float, limit: float, delta: float, kind: Any) -> Any:
    shape = (max(0, math.ceil((limit - start) / delta)),)
    return allocated("RaggedRange", shape, np.arange, start, limit, delta).astype(kind)


@export("ragged.boolean_mask")
@deferrable
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Tensor | RaggedTensor:
    """Returns the values that a mask selects; the result is ragged if rows may differ in length.

    Args:
      data: A tensor or ragged tensor.
      mask: A boolean tensor or ragged tensor whose shape is a prefix of the shape of `data`.
      name: Accepted for compatibility.

    Returns:
      A tensor if `data` is a tensor and `mask` has one axis; otherwise a ragged tensor.

    Raises:
      ValueError: The shapes are incompatible.
    """
    x = data if isinstance(data, RaggedTensor) else tensor(data)
    m = mask if isinstance(mask, RaggedTensor) else tensor(mask)
    if not isinstance(m, RaggedTensor) and len(shape_of(m)) == 1:
        rows = int(x.nrows()) if isinstance(x, RaggedTensor) else shape_of(x)[0]
        if shape_of(m)[0] != rows:
            raise ValueError(f"Shapes ({rows},) and {shape_of(m)} are incompatible")
        return take_rows(x, np.flatnonzero(np.asarray(m._numpy())))
    if not isinstance(m, RaggedTensor) and not shape_of(m):
        raise ValueError("mask cannot be scalar.")
    x, m = as_ragged(x), as_ragged(m)
    splits = np.asarray(m.row_splits._numpy())
    if not np.array_equal(splits, np.asarray(x.row_splits._numpy())):
        raise ValueError("ragged.boolean_mask: the rows of data and mask have different lengths")
    values = boolean_mask(x.values, m.values)
    if isinstance(m.values, RaggedTensor) or len(shape_of(m.values)) > 1:
        return RaggedTensor(values, m.row_splits)
    chosen = np.concatenate([[0], np.cumsum(np.asarray(m.values._numpy()))])
    return RaggedTensor(values, Tensor(chosen[splits].astype(splits.dtype)))


def as_ragged(x: Any) -> RaggedTensor:
    """Converts a tensor to a ragged tensor with the same rows."""
    if isinstance(x, RaggedTensor):
        return x
    n, m, *rest = shape_of(x)
    flat = reshape_p(x, shape=(n * m, *rest))
    return RaggedTensor(flat, Tensor(np.arange(n + 1, dtype=np.int64) * m))


def joined(parts: Sequence[Any]) -> Tensor | RaggedTensor:
    """Concatenates tensors or ragged tensors along the first axis."""
    if not any(isinstance(p, RaggedTensor) for p in parts):
        return concat(list(parts), 0)
    ragged = [as_ragged(p) for p in parts]
    lengths = [np.diff(np.asarray(p.row_splits._numpy())) for p in ragged]
    kind = next(p for p in parts if isinstance(p, RaggedTensor)).row_splits._value.dtype
    return RaggedTensor(joined([p.values for p in ragged]), _splits(np.concatenate(lengths), kind))


@export("ragged.stack")
@deferrable
def stack(values: Sequence[Any], axis: int = 0, name: str | None = None) -> Tensor | RaggedTensor:
    """Stacks tensors, whose shapes may differ, along a new axis into a ragged tensor.

    Args:
      values: Tensors or ragged tensors of one rank and dtype; one tensor stands for a list of it.
      axis: The new axis: 0 or 1 for ragged tensors.
      name: Accepted for compatibility.

    Returns:
      A ragged tensor with one additional axis. If all `values` are scalars, or tensors and `axis`
      is not 0, a tensor.

    Raises:
      ValueError: `values` is empty, their row splits differ in dtype, or `axis` is 1 and the
        numbers of rows differ.
      InvalidArgumentError: `axis` is not 0 and the shapes of the tensors differ.
      NotImplementedError: The axis is not supported.

    >>> tf.ragged.stack([tf.ones([2, 2]), tf.ones([1, 3])]).shape
    TensorShape([2, None, None])
    """
    listed = values if isinstance(values, (list, tuple)) else [values]
    parts = [v if isinstance(v, RaggedTensor) else tensor(v) for v in listed]
    if not parts:
        raise ValueError("values must have at least one element (ragged.stack)")
    if not any(isinstance(p, RaggedTensor) for p in parts):
        inner = len(shape_of(parts[0]))
        if not inner or axis not in (0, -inner - 1):
            return dense_stack(parts, axis)
        if inner > 1:
            parts = [as_ragged(p) for p in parts]
    rows = [int(p.nrows()) if isinstance(p, RaggedTensor) else shape_of(p)[0] for p in parts]
    rank = len(parts[0].shape)
    kinds = {p.row_splits._value.dtype for p in parts if isinstance(p, RaggedTensor)}
    if len(kinds) > 1:
        raise ValueError("ragged.stack: the values must have row_splits of one dtype")
    kind = kinds.pop() if kinds else np.int32  # TensorFlow takes the shapes' dtype for vectors
    if axis in (0, -rank - 1):
        return RaggedTensor(joined(parts), _splits(rows, kind))
    if axis not in (1, -rank):
        raise NotImplementedError(f"ragged.stack: `axis` must be 0 or 1, got {axis}")
    if len(set(rows)) > 1:
        raise ValueError(f"ragged.stack: values must have equally many rows for axis=1, got {rows}")
    order = np.arange(len(parts) * rows[0]).reshape(len(parts), rows[0]).T.ravel()
    return RaggedTensor(take_rows(joined(parts), order), _splits([len(parts)] * rows[0], kind))


@export("ragged.stack_dynamic_partitions")
@deferrable
def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> RaggedTensor:
    """Returns a ragged tensor whose row i has the values of partition i.

    Args:
      data: A tensor or ragged tensor.
      partitions: The partition of each value, integers.
      num_partitions: The number of partitions.
      name: Accepted for compatibility.

    Returns:
      A ragged tensor of `num_partitions` rows and of the dtype of `data`. Its row splits have the
      dtype of those of `data`, or of `partitions`.

    Raises:
      InvalidArgumentError: A partition is out of range.
      ValueError: The shape of `partitions` is not the beginning of the shape of `data`,
        `partitions` is neither int32 nor int64, or `num_partitions` is not a scalar.

    >>> tf.ragged.stack_dynamic_partitions([10, 20, 30], [1, 0, 1], 2).to_list()
    [[20], [10, 30]]
    """
    x = data if isinstance(data, RaggedTensor) else tensor(data)
    ids = np.asarray(tensor(partitions)._numpy())
    if ids.dtype.name not in ("int32", "int64"):
        raise ValueError(f"partitions must have dtype int32 or int64, got {ids.dtype.name}")
    kind = x.row_splits.dtype.np_dtype if isinstance(x, RaggedTensor) else ids.dtype
    count = convert_to_tensor(num_partitions)
    if count._value.ndim:
        raise ValueError(f"Shape {count.shape} of num_partitions must have rank 0")
    n = int(cast(count, as_dtype(kind)))
    if ids.ndim != 1 and not isinstance(x, RaggedTensor):
        if not TensorShape(ids.shape).is_compatible_with(shape_of(x)[: ids.ndim]):
            raise ValueError(f"Shapes {ids.shape} and {shape_of(x)} are incompatible")
        x = reshape_p(x, shape=(ids.size, *shape_of(x)[ids.ndim :]))
        ids = ids.reshape(-1)
    if ids.size and (ids.min() < 0 or ids.max() >= n):
        raise invalid(f"partitions must lie in [0, {n}), got {ids.tolist()}", About.VALUES)
    order = np.argsort(ids, kind="stable")
    return RaggedTensor(take_rows(x, order), _splits(np.bincount(ids, minlength=n), kind))
