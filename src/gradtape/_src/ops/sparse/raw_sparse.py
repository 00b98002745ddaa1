"""Raw operations on the parts of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.sparse.algebra import (
    reduce_sum,
    reorder,
    reshape,
    sparse_dense_matmul,
    to_dense,
)
from gradtape._src.ops.types.sparse_tensor import SparseTensor


@raw_op("SparseTensorDenseMatMul")
def sparse_tensor_dense_mat_mul(
    a_indices: Any,
    a_values: Any,
    a_shape: Any,
    b: Any,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the product of a sparse and a dense matrix."""
    a = SparseTensor(a_indices, a_values, a_shape)
    return sparse_dense_matmul(a, b, adjoint_a, adjoint_b)


@raw_op("SparseReorder")
def sparse_reorder(
    input_indices: Any, input_values: Any, input_shape: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the places and values of a sparse tensor in the order of its rows."""
    found = reorder(SparseTensor(input_indices, input_values, input_shape))
    return found.indices, found.values


@raw_op("SparseToDense")
def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Returns a tensor with values in some places, and one value in all others."""
    values = convert_to_tensor(sparse_values)
    places = cast(convert_to_tensor(sparse_indices), np.int64)
    if places.shape.rank == 1:
        places = places[:, None]
    sparse = SparseTensor(places, values, cast(convert_to_tensor(output_shape), np.int64))
    return to_dense(sparse, default_value, validate_indices)


@raw_op("SparseReshape")
def sparse_reshape(
    input_indices: Any, input_shape: Any, new_shape: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the places and the shape of a sparse tensor that is given another shape."""
    places = convert_to_tensor(input_indices)
    found = reshape(SparseTensor(places, places[:, 0], input_shape), new_shape)
    return found.indices, found.dense_shape


@raw_op("SparseReduceSum", reduction_axes="axis", keep_dims="keepdims")
def sparse_reduce_sum(
    input_indices: Any,
    input_values: Any,
    input_shape: Any,
    axis: Any,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the sums of a sparse tensor's values along axes."""
    sparse = SparseTensor(input_indices, input_values, input_shape)
    found = reduce_sum(sparse, axis, keepdims)
    assert isinstance(found, Tensor)
    return found
