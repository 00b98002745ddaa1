"""Shapes of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.dispatch import implements
from gradtape._src.base.dtypes import float32, int32
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.ops.array import creation, grids_and_masks, shaping, tensor_shapes
from gradtape._src.ops.elementwise.arithmetic import add
from gradtape._src.ops.ragged.elementwise import beside
from gradtape._src.ops.types.ragged_shape import DynamicRaggedShape
from gradtape._src.ops.types.ragged_tensor import RaggedTensor


@implements(tensor_shapes.shape, input=RaggedTensor)
@with_fed_values
def _shape(
    input: RaggedTensor, out_type: Any = None, name: str | None = None
) -> DynamicRaggedShape:
    return DynamicRaggedShape.from_tensor(input, int32 if out_type is None else out_type)


@implements(tensor_shapes.size, input=RaggedTensor)
@with_fed_values
def _size(input: RaggedTensor, out_type: Any = int32, name: str | None = None) -> Tensor:
    return tensor_shapes.size(input.flat_values, out_type)


@implements(tensor_shapes.rank, input=RaggedTensor)
@with_fed_values
def _rank(input: RaggedTensor, name: str | None = None) -> Tensor:
    return tensor_shapes.rank(input.flat_values) + input.ragged_rank


def _of_one_number(function: Callable[..., Tensor]) -> None:
    @implements(function, shape=DynamicRaggedShape)
    @with_fed_values
    def run(
        shape: DynamicRaggedShape,
        dtype: Any = float32,
        name: str | None = None,
        layout: Any = None,
    ) -> RaggedTensor | Tensor:
        return shape.in_rows(function(shape.inner_shape, dtype))


_of_one_number(creation.zeros)
_of_one_number(creation.ones)


@implements(creation.fill, dims=DynamicRaggedShape)
@with_fed_values
def _fill(
    dims: DynamicRaggedShape, value: Any, name: str | None = None, layout: Any = None
) -> RaggedTensor | Tensor:
    return dims.in_rows(creation.fill(dims.inner_shape, value))


@implements(shaping.reshape, {"tensor": RaggedTensor}, {"shape": DynamicRaggedShape})
@with_fed_values
def _reshape(tensor: Any, shape: Any, name: str | None = None) -> RaggedTensor | Tensor:
    values = tensor.flat_values if isinstance(tensor, RaggedTensor) else tensor
    if not isinstance(shape, DynamicRaggedShape):
        return shaping.reshape(values, shape)
    return shape.in_rows(shaping.reshape(values, shape.inner_shape))


@implements(shaping.broadcast_to, shape=DynamicRaggedShape)
@with_fed_values
def _broadcast_to(
    input: Any, shape: DynamicRaggedShape, name: str | None = None
) -> RaggedTensor | Tensor:
    rows = shape.template
    values = beside(rows, input) if isinstance(rows, RaggedTensor) else input
    return shape.in_rows(shaping.broadcast_to(values, shape.inner_shape))


@implements(
    tensor_shapes.broadcast_dynamic_shape,
    {"shape_x": DynamicRaggedShape},
    {"shape_y": DynamicRaggedShape},
)
@deferrable
def _broadcast_shapes(shape_x: Any, shape_y: Any) -> DynamicRaggedShape:
    x, y = (
        s if isinstance(s, DynamicRaggedShape) else DynamicRaggedShape([], s)
        for s in (shape_x, shape_y)
    )
    return DynamicRaggedShape.from_tensor(add(x.template, y.template), x.dtype)


@implements(grids_and_masks.one_hot, indices=RaggedTensor)
@with_fed_values
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
