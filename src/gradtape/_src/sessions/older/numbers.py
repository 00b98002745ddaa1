"""Operations that compute numbers, with TensorFlow 1's names and arguments."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import as_dtype, float32, int32, int64
from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.elementwise.arithmetic import scalar_mul as _scalar_mul
from gradtape._src.ops.elementwise.division import floordiv
from gradtape._src.ops.linalg import norms
from gradtape._src.ops.nn import losses
from gradtape._src.ops.random import distributions
from gradtape._src.ops.reduce import counting, extremes, reductions
from gradtape._src.sessions.older.arguments import either, reduced_over


@export("compat.v1.arg_max")
def arg_max(
    input: Any, dimension: Any, output_type: Any = int64, name: str | None = None
) -> Tensor:
    """Returns the index of the largest element along an axis.

    Args:
      input: A tensor.
      dimension: The axis.
      output_type: The type of the result.
      name: The operation's name.

    Returns:
      A tensor of integers.
    """
    return extremes.argmax(input, dimension, output_type, name)


@export("compat.v1.arg_min")
def arg_min(
    input: Any, dimension: Any, output_type: Any = int64, name: str | None = None
) -> Tensor:
    """Returns the index of the smallest element along an axis.

    Args:
      input: A tensor.
      dimension: The axis.
      output_type: The type of the result.
      name: The operation's name.

    Returns:
      A tensor of integers.
    """
    return extremes.argmin(input, dimension, output_type, name)


@export("compat.v1.bincount")
def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = int32
) -> Tensor:
    """Counts how often each integer occurs.

    Args:
      arr: Integers that are not negative.
      weights: The numbers to add up for each integer. By default, each occurrence counts as 1.
      minlength: The minimum length of the result.
      maxlength: The maximum length of the result.
      dtype: The type of the elements.

    Returns:
      A vector.
    """
    return counting.bincount(arr, weights, minlength, maxlength, dtype)


@export("compat.v1.confusion_matrix")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """Counts how often each class was predicted for each true class.

    Args:
      labels: The true values.
      predictions: The predicted values.
      num_classes: The number of classes.
      dtype: The type of the elements.
      name: The operation's name.
      weights: A weight for each prediction.

    Returns:
      A matrix with a row for each true class and a column for each predicted class.
    """
    return counting.confusion_matrix(labels, predictions, num_classes, weights, dtype, name)


@export("compat.v1.count_nonzero")
def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Tensor:
    """Counts the nonzero elements along axes.

    Args:
      input_tensor: A tensor.
      axis: The axes. Defaults to all axes.
      keepdims: Whether the reduced axes are kept, with length 1.
      dtype: The type of the elements.
      name: The operation's name.
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.
      input: A second name of `input_tensor`.

    Returns:
      A tensor of integers.
    """
    x = either(input, input_tensor, "input", "input_tensor")
    over = reduced_over(axis, reduction_indices, keepdims, keep_dims)
    return reductions.count_nonzero(x, *over, dtype, name)


@export("compat.v1.nn.in_top_k")
def in_top_k(predictions: Any, targets: Any, k: int, name: str | None = None) -> Tensor:
    """Returns whether targets are among the k largest predictions.

    Args:
      predictions: A matrix of scores.
      targets: A vector of classes.
      k: The number of predictions to look at.
      name: The operation's name.

    Returns:
      A bool vector.
    """
    return losses.in_top_k(targets, predictions, k, name)


@export("compat.v1.scalar_mul")
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor | IndexedSlices:
    """Multiplies by a scalar.

    Args:
      scalar: A scalar.
      x: A tensor.
      name: The operation's name.

    Returns:
      A tensor, or an `IndexedSlices` if `x` is one.
    """
    return _scalar_mul(scalar, x, name)


@export("compat.v1.floor_div")
def floor_div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Divides, and rounds the quotients down.

    Args:
      x: A tensor.
      y: A tensor.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return floordiv(x, y, name)


@export("compat.v1.norm")
def norm(
    tensor: Any,
    ord: Any = "euclidean",  # noqa: A002 (TensorFlow's name)
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the norm of vectors or matrices.

    Args:
      tensor: A tensor.
      ord: The kind of norm; see `tf.norm`.
      axis: The axis of the vectors, or the two axes of the matrices.
      keepdims: Whether the reduced axes are kept, with length 1.
      name: The operation's name.
      keep_dims: The old name of `keepdims`.

    Returns:
      A tensor.
    """
    return norms.norm(tensor, ord, axis, either(keepdims, keep_dims, "keepdims", "keep_dims"), name)


@export("compat.v1.multinomial")
def multinomial(
    logits: Any,
    num_samples: Any,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Tensor:
    """Draws classes at random, given their log probabilities.

    Args:
      logits: A matrix of unnormalized log probabilities.
      num_samples: The number of draws for each row.
      seed: The seed.
      name: The operation's name.
      output_dtype: The type of the result.

    Returns:
      A matrix of integers, of shape (batch, num_samples).
    """
    return distributions.categorical(logits, num_samples, output_dtype, seed, name)


@export("compat.v1.random_poisson")
def random_poisson(
    lam: Any, shape: Any, dtype: Any = float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Draws from a Poisson distribution.

    Args:
      lam: The mean.
      shape: The shape of the draws for each mean.
      dtype: The type of the elements.
      seed: The seed.
      name: The operation's name.

    Returns:
      A tensor of shape `shape + lam.shape`.
    """
    return distributions.poisson(shape, lam, as_dtype(dtype), seed, name)
