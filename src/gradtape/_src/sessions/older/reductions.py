"""Reductions with TensorFlow 1's names and arguments."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import int64
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.reduce.extremes import argmax as _argmax
from gradtape._src.ops.reduce.extremes import argmin as _argmin
from gradtape._src.ops.reduce.extremes import reduce_max as _reduce_max
from gradtape._src.ops.reduce.extremes import reduce_min as _reduce_min
from gradtape._src.ops.reduce.log_sums import reduce_logsumexp as _reduce_logsumexp
from gradtape._src.ops.reduce.reductions import reduce_all as _reduce_all
from gradtape._src.ops.reduce.reductions import reduce_any as _reduce_any
from gradtape._src.ops.reduce.reductions import reduce_mean as _reduce_mean
from gradtape._src.ops.reduce.reductions import reduce_prod as _reduce_prod
from gradtape._src.ops.reduce.reductions import reduce_sum as _reduce_sum
from gradtape._src.sessions.older.arguments import either, reduced_over


@export("compat.v1.reduce_sum")
def reduce_sum(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the sum of elements along axes.

    Args:
      input_tensor: A tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      name: The operation's name.
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A tensor.

    Raises:
      ValueError: An argument is given under both its old and its new name.
    """
    over = reduced_over(axis, reduction_indices, keepdims, keep_dims)
    return _reduce_sum(input_tensor, *over, name)


@export("compat.v1.reduce_mean")
def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the mean of elements along axes.

    Args:
      input_tensor: A tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      name: The operation's name.
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A tensor.

    Raises:
      ValueError: An argument is given under both its old and its new name.
    """
    over = reduced_over(axis, reduction_indices, keepdims, keep_dims)
    return _reduce_mean(input_tensor, *over, name)


@export("compat.v1.reduce_max")
def reduce_max(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the maximum of elements along axes.

    Args:
      input_tensor: A tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      name: The operation's name.
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A tensor.

    Raises:
      ValueError: An argument is given under both its old and its new name.
    """
    over = reduced_over(axis, reduction_indices, keepdims, keep_dims)
    return _reduce_max(input_tensor, *over, name)


@export("compat.v1.reduce_min")
def reduce_min(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the minimum of elements along axes.

    Args:
      input_tensor: A tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      name: The operation's name.
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A tensor.

    Raises:
      ValueError: An argument is given under both its old and its new name.
    """
    over = reduced_over(axis, reduction_indices, keepdims, keep_dims)
    return _reduce_min(input_tensor, *over, name)


@export("compat.v1.reduce_prod")
def reduce_prod(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the product of elements along axes.

    Args:
      input_tensor: A tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      name: The operation's name.
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A tensor.

    Raises:
      ValueError: An argument is given under both its old and its new name.
    """
    over = reduced_over(axis, reduction_indices, keepdims, keep_dims)
    return _reduce_prod(input_tensor, *over, name)


@export("compat.v1.reduce_all")
def reduce_all(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Tests whether all elements along axes are true.

    Args:
      input_tensor: A tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      name: The operation's name.
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A tensor.

    Raises:
      ValueError: An argument is given under both its old and its new name.
    """
    over = reduced_over(axis, reduction_indices, keepdims, keep_dims)
    return _reduce_all(input_tensor, *over, name)


@export("compat.v1.reduce_any")
def reduce_any(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Tests whether any element along axes is true.

    Args:
      input_tensor: A tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      name: The operation's name.
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A tensor.

    Raises:
      ValueError: An argument is given under both its old and its new name.
    """
    over = reduced_over(axis, reduction_indices, keepdims, keep_dims)
    return _reduce_any(input_tensor, *over, name)


@export("compat.v1.reduce_logsumexp")
def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the logarithm of the sum of the exponentials of elements along axes.

    Args:
      input_tensor: A tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      name: The operation's name.
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns:
      A tensor.

    Raises:
      ValueError: An argument is given under both its old and its new name.
    """
    over = reduced_over(axis, reduction_indices, keepdims, keep_dims)
    return _reduce_logsumexp(input_tensor, *over, name)


@export("compat.v1.argmax")
def argmax(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = int64,
) -> Tensor:
    """Returns the indices of the largest elements along an axis.

    Args:
      input: A tensor.
      axis: The axis. Defaults to the first.
      name: The operation's name.
      dimension: The old name of `axis`.
      output_type: The dtype of the indices.

    Returns:
      A tensor.

    Raises:
      ValueError: An argument is given under both its old and its new name.
    """
    return _argmax(input, either(axis, dimension, "axis", "dimension"), output_type, name)


@export("compat.v1.argmin")
def argmin(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = int64,
) -> Tensor:
    """Returns the indices of the smallest elements along an axis.

    Args:
      input: A tensor.
      axis: The axis. Defaults to the first.
      name: The operation's name.
      dimension: The old name of `axis`.
      output_type: The dtype of the indices.

    Returns:
      A tensor.

    Raises:
      ValueError: An argument is given under both its old and its new name.
    """
    return _argmin(input, either(axis, dimension, "axis", "dimension"), output_type, name)
