"""Distributes the slices of a tensor to parts, and joins parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int32, int64
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import (
    input_of,
    integers,
    invalid,
    shown_shape,
)
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import dtype_of_value, shape_of
from gradtape._src.declare.graph_operations import New, graph_operation, has_symbols
from gradtape._src.declare.structural import concat_p, reshape_p, zeros
from gradtape._src.declare.unknown_sizes import UnknownRank, may_be_equal
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.scatter import put_rows_p


def _parts(
    new: New, data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    x, which = _checked(data, partitions, num_partitions)
    rank = len(shape_of(which))
    return [new([None, *shape_of(x)[rank:]], x.dtype) for _ in range(num_partitions)]


def _checked(data: Any, partitions: Any, count: int) -> tuple[Tensor, Tensor]:
    """Returns the first arguments of `dynamic_partition` if it takes their dtypes and shapes."""
    x, which = tensor(data), input_of("DynamicPartition", 1, partitions, int32)
    if count < 1:
        raise invalid(
            f"Value for attr 'num_partitions' of {count} must be at least minimum 1",
            About.ATTRIBUTES,
        )
    shape, prefix = shape_of(x), shape_of(which)
    if UnknownRank not in (type(shape), type(prefix)) and not may_be_equal(
        shape[: len(prefix)], prefix
    ):
        raise invalid(
            f"data.shape must start with partitions.shape, got data.shape = {shown_shape(shape)}, "
            f"partitions.shape = {shown_shape(prefix)} [Op:DynamicPartition]"
        )
    return x, which


def _unknown_parts(data: Any, partitions: Any, *_: Any, **__: Any) -> bool:
    return has_symbols(partitions)


@export("dynamic_partition")
@takes(num_partitions="int")
@graph_operation("DynamicPartition", _parts, when=_unknown_parts)
@raw_op("DynamicPartition")
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Distributes slices of a tensor to parts.

    Args:
      data: A tensor.
      partitions: The index of the part that each slice goes to; its shape is a prefix of the shape
        of `data`.
      num_partitions: The number of parts.
      name: Accepted for compatibility.

    Returns:
      A list of `num_partitions` tensors of the dtype of `data`.

    Raises:
      InvalidArgumentError: An index in `partitions` is out of range, or the shapes are
        incompatible.

    >>> [x.numpy().tolist() for x in tf.dynamic_partition([10, 20, 30], [0, 1, 0], 2)]
    [[10, 30], [20]]
    """
    x, indices = _checked(data, partitions, num_partitions)
    shape, which = shape_of(x), integers(indices, "DynamicPartition", "partitions")
    flat = which.reshape(-1)
    bad = (flat < 0) | (flat >= num_partitions)
    if np.any(bad):
        raise invalid(
            f"partitions[{int(np.argmax(bad))}] = {flat[np.argmax(bad)]} is not in "
            f"[0, {num_partitions}) [Op:DynamicPartition]",
            About.VALUES,
        )
    rows = reshape_p(x, shape=(flat.size, *shape[which.ndim :]))
    return [
        gather_p(rows, Tensor(np.flatnonzero(flat == i)), axis=0, batch_dims=0)
        for i in range(num_partitions)
    ]


def _stitched(
    new: New, indices: Sequence[Any], data: Sequence[Any], name: str | None = None
) -> Tensor:
    places, parts = [tensor(i) for i in indices], [tensor(d) for d in data]
    for place in places:
        if place.dtype not in (int32, int64):
            raise invalid(
                f"Value for attr of `indices` of {place.dtype.name} is not in the list of allowed "
                "values: int32, int64 [Op:DynamicStitch]",
                About.DTYPES,
            )
    rest = _rest_of([shape_of(place) for place in places], parts)
    return new([None, *rest], parts[0].dtype)


def _rest_of(places: Sequence[Any], parts: Sequence[Tensor]) -> Any:
    """Returns the shape of a slice, for indices of these shapes.

    Raises:
      InvalidArgumentError: The shapes don't fit.
    """
    if len(places) != len(parts):
        raise invalid(
            f"{len(places)} tensors of indices do not match {len(parts)} of data [Op:DynamicStitch]"
        )
    rest = shape_of(parts[0])[len(places[0]) :]
    for i, (place, part) in enumerate(zip(places, parts, strict=True)):
        if not may_be_equal(shape_of(part), (*place, *rest)):
            raise invalid(
                f"data[{i}].shape = {shown_shape(shape_of(part))} does not start with "
                f"indices[{i}].shape = {shown_shape(place)} [Op:DynamicStitch]"
            )
    return rest


def _unknown_places(indices: Any, *_: Any, **__: Any) -> bool:
    return has_symbols(indices)


@export("dynamic_stitch")
@graph_operation("DynamicStitch", _stitched, when=_unknown_places)
@raw_op("ParallelDynamicStitch")
@raw_op("DynamicStitch")
def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: str | None = None) -> Tensor:
    """Joins slices of several tensors: slice j of `data[i]` goes to index `indices[i][j]`.

    Args:
      indices: Integer tensors.
      data: Tensors; the shape of `data[i]` begins with the shape of `indices[i]`.
      name: Accepted for compatibility.

    Returns:
      A tensor of max(indices) + 1 slices. If an index occurs twice, the later slice is used.

    Raises:
      InvalidArgumentError: The shapes are incompatible, or an index is negative.

    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy()
    array([10, 20, 30], dtype=int32)
    """
    places = [integers(i, "DynamicStitch", "indices") for i in indices]
    parts = [tensor(d) for d in data]
    rest = _rest_of([place.shape for place in places], parts)
    rows = [
        reshape_p(part, shape=(place.size, *rest))
        for place, part in zip(places, parts, strict=True)
    ]
    flat = np.concatenate([place.reshape(-1) for place in places])
    if np.any(flat < 0):
        raise invalid(
            f"indices must not be negative: {flat.tolist()} [Op:DynamicStitch]", About.VALUES
        )
    n = int(flat.max()) + 1 if flat.size else 0
    values = concat_p(*rows, axis=-1 - len(rest))
    table = zeros((n, *rest), dtype_of_value(values))
    return put_rows_p(Tensor(table), Tensor(flat), values)
