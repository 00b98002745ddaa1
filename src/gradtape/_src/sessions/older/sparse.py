"""Operations on sparse tensors with TensorFlow 1's names and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.dtypes import string
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.files import serialized
from gradtape._src.ops.sparse import algebra, functions
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.older.arguments import either, reduced_over

_KEYWORDS: Any = object()  # stands for no argument by position


@export("compat.v1.sparse_reduce_sum")
def sparse_reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the sums of a sparse tensor along axes.

    Args:
      sp_input: A sparse tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      reduction_axes: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A dense tensor.
    """
    over = reduced_over(axis, reduction_axes, keepdims, keep_dims, "reduction_axes")
    found = algebra.reduce_sum(sp_input, *over)
    assert isinstance(found, Tensor)
    return found


@export("compat.v1.sparse_reduce_sum_sparse")
def sparse_reduce_sum_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """Returns the sums of a sparse tensor along axes as a sparse tensor.

    Args:
      sp_input: A sparse tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      reduction_axes: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A sparse tensor.
    """
    over = reduced_over(axis, reduction_axes, keepdims, keep_dims, "reduction_axes")
    found = algebra.reduce_sum(sp_input, *over, True)
    assert isinstance(found, SparseTensor)
    return found


@export("compat.v1.sparse_reduce_max")
def sparse_reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the largest elements of a sparse tensor along axes.

    Args:
      sp_input: A sparse tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      reduction_axes: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A dense tensor.
    """
    over = reduced_over(axis, reduction_axes, keepdims, keep_dims, "reduction_axes")
    found = functions.reduce_max(sp_input, *over)
    assert isinstance(found, Tensor)
    return found


@export("compat.v1.sparse_add")
def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Tensor | SparseTensor:
    """Adds two sparse tensors, or a sparse and a dense one.

    Args:
      a: A sparse or dense tensor.
      b: A sparse or dense tensor.
      threshold: Sums whose absolute value is smaller are left out of a sparse result.
      thresh: The old name of `threshold`.

    Returns:
      A sparse tensor if both are sparse, otherwise a dense one.
    """
    least = either(threshold, thresh, "threshold", "thresh")
    return algebra.add(a, b, 0 if least is None else least)


@export("compat.v1.sparse_concat")
def sparse_concat(
    axis: int,
    sp_inputs: Sequence[Any],
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: int | None = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Joins sparse tensors along an axis.

    Args:
      axis: The axis.
      sp_inputs: Sparse tensors.
      name: The operation's name.
      expand_nonconcat_dim: The old name of `expand_nonconcat_dims`.
      concat_dim: The old name of `axis`.
      expand_nonconcat_dims: Whether the lengths of the other axes may differ.

    Returns:
      A sparse tensor.
    """
    along = axis if concat_dim is None else concat_dim
    grow = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    found = algebra.concat(along, sp_inputs, grow, name)
    assert isinstance(found, SparseTensor)
    return found


@export("compat.v1.sparse_reduce_max_sparse")
def sparse_reduce_max_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """Returns the largest values of a sparse tensor along axes as a sparse tensor.

    Args:
      sp_input: A sparse tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      reduction_axes: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A sparse tensor.
    """
    over = reduced_over(axis, reduction_axes, keepdims, keep_dims, "reduction_axes")
    found = functions.reduce_max(sp_input, *over, True)
    assert isinstance(found, SparseTensor)
    return found


@export("compat.v1.sparse_split")
def sparse_split(
    keyword_required: Any = _KEYWORDS,
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """Splits a sparse tensor along an axis; all arguments are given by name.

    Args:
      keyword_required: Must not be given.
      sp_input: A sparse tensor.
      num_split: The number of parts.
      axis: The axis.
      name: The operation's name.
      split_dim: The old name of `axis`.

    Returns:
      A list of sparse tensors.

    Raises:
      ValueError: An argument is given by position, or is missing.
    """
    if keyword_required is not _KEYWORDS:
        raise ValueError("Keyword arguments are required for this function.")
    place = either(axis, split_dim, "axis", "split_dim")
    for key, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", place)):
        if value is None:
            raise ValueError(f"{key} is required")
    return functions.split(sp_input, num_split, place)


@export("compat.v1.sparse_segment_sum")
def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Returns the sums of selected rows of a tensor in each segment.

    Args:
      data: A tensor.
      indices: The numbers of the selected rows.
      segment_ids: The segment of each selected row, in increasing order.
      name: The operation's name.
      num_segments: The number of segments.
      sparse_gradient: Whether the gradient of `data` is `tf.IndexedSlices` of the rows.

    Returns:
      A tensor with a row for each segment.
    """
    return functions.sparse_segment_sum(
        data, indices, segment_ids, num_segments, name, sparse_gradient
    )


@export("compat.v1.sparse_segment_mean")
def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Returns the means of selected rows of a tensor in each segment.

    Args:
      data: A tensor.
      indices: The numbers of the selected rows.
      segment_ids: The segment of each selected row, in increasing order.
      name: The operation's name.
      num_segments: The number of segments.
      sparse_gradient: Whether the gradient of `data` is `tf.IndexedSlices` of the rows.

    Returns:
      A tensor with a row for each segment.
    """
    return functions.sparse_segment_mean(
        data, indices, segment_ids, num_segments, name, sparse_gradient
    )


@export("compat.v1.sparse_segment_sqrt_n")
def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Returns the sums of selected rows in each segment, divided by the roots of their numbers.

    Args:
      data: A tensor.
      indices: The numbers of the selected rows.
      segment_ids: The segment of each selected row, in increasing order.
      name: The operation's name.
      num_segments: The number of segments.
      sparse_gradient: Whether the gradient of `data` is `tf.IndexedSlices` of the rows.

    Returns:
      A tensor with a row for each segment.
    """
    return functions.sparse_segment_sqrt_n(
        data, indices, segment_ids, num_segments, name, sparse_gradient
    )


@export("compat.v1.serialize_sparse", "compat.v1.io.serialize_sparse")
def serialize_sparse(sp_input: Any, name: str | None = None, out_type: Any = string) -> Tensor:
    """Converts a sparse tensor to a vector of three strings that contain its parts.

    Args:
      sp_input: A sparse tensor.
      name: The operation's name.
      out_type: The dtype, which must be string.

    Returns:
      A tensor.
    """
    return serialized.serialize_sparse(sp_input, out_type)


@export("compat.v1.serialize_many_sparse", "compat.v1.io.serialize_many_sparse")
def serialize_many_sparse(sp_input: Any, name: str | None = None, out_type: Any = string) -> Tensor:
    """Converts a sparse tensor to a row of three strings for each of its rows.

    Args:
      sp_input: A sparse tensor.
      name: The operation's name.
      out_type: The dtype, which must be string.

    Returns:
      A tensor.
    """
    return serialized.serialize_many_sparse(sp_input, out_type)
