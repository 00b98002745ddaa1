"""Operations on sparse tensors with TensorFlow 1's names and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.sparse import algebra, functions
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.older.arguments import either, reduced_over


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
