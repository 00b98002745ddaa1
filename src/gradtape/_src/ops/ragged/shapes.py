"""Shapes of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.dispatch import implements
from gradtape._src.base.dtypes import float32, int32
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.array import creation, grids_and_masks, shaping, tensor_shapes
from gradtape._src.ops.ragged.elementwise import beside
from gradtape._src.ops.types.ragged_shape import DynamicRaggedShape
from gradtape._src.ops.types.ragged_tensor import RaggedTensor


@implements(tensor_shapes.shape, input=RaggedTensor)
def _shape(
    input: RaggedTensor, out_type: Any = None, name: str | None = None
) -> DynamicRaggedShape:
    return DynamicRaggedShape(input)


@implements(tensor_shapes.size, input=RaggedTensor)
def _size(input: RaggedTensor, out_type: Any = int32, name: str | None = None) -> Tensor:
    return tensor_shapes.size(input.flat_values, out_type)


@implements(tensor_shapes.rank, input=RaggedTensor)
def _rank(input: RaggedTensor, name: str | None = None) -> Tensor:
    return tensor_shapes.rank(input.flat_values) + input.ragged_rank


def _flat_shape(shape: DynamicRaggedShape) -> tuple[int, ...]:
    return shape_of(shape.template.flat_values)


def _of_one_number(function: Callable[..., Tensor]) -> None:
    @implements(function, shape=DynamicRaggedShape)
    def run(
        shape: DynamicRaggedShape,
        dtype: Any = float32,
        name: str | None = None,
        layout: Any = None,
    ) -> RaggedTensor:
        return _in_rows(shape, function(_flat_shape(shape), dtype))


_of_one_number(creation.zeros)
_of_one_number(creation.ones)


@implements(creation.fill, dims=DynamicRaggedShape)
def _fill(
    dims: DynamicRaggedShape, value: Any, name: str | None = None, layout: Any = None
) -> RaggedTensor:
    return _in_rows(dims, creation.fill(_flat_shape(dims), value))


def _in_rows(shape: DynamicRaggedShape, values: Tensor) -> RaggedTensor:
    rows: RaggedTensor = shape.template.with_flat_values(values)
    return rows


@implements(shaping.reshape, {"tensor": RaggedTensor}, {"shape": DynamicRaggedShape})
def _reshape(tensor: Any, shape: Any, name: str | None = None) -> RaggedTensor | Tensor:
    values = tensor.flat_values if isinstance(tensor, RaggedTensor) else tensor
    if not isinstance(shape, DynamicRaggedShape):
        return shaping.reshape(values, shape)
    return _in_rows(shape, shaping.reshape(values, _flat_shape(shape)))


@implements(shaping.broadcast_to, shape=DynamicRaggedShape)
def _broadcast_to(input: Any, shape: DynamicRaggedShape, name: str | None = None) -> RaggedTensor:
    values = beside(shape.template, input)
    return _in_rows(shape, shaping.broadcast_to(values, _flat_shape(shape)))


@implements(grids_and_masks.one_hot, indices=RaggedTensor)
def _one_hot(
    indices: RaggedTensor,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> RaggedTensor:
    rank, ragged = len(indices.shape), indices.ragged_rank
    at = rank if axis is None else axis + rank + 1 if axis < 0 else axis
    if not ragged < at <= rank:
        raise ValueError(
            f"one_hot of ragged indices: axis must be in [{ragged + 1}, {rank}], got {axis}"
        )
    vectors = grids_and_masks.one_hot(
        indices.flat_values, depth, on_value, off_value, at - ragged, dtype
    )
    return indices.with_flat_values(vectors)
