"""Layers and normalization, as functions of `tf.compat.v1.nn`."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.nn import activations
from gradtape._src.ops.nn import normalization_by_moments as of_moments
from gradtape._src.ops.nn import softmax as soft
from gradtape._src.ops.nn.activations import relu
from gradtape._src.sessions.older.arguments import either


@export("compat.v1.nn.xw_plus_b")
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """Returns a matrix product plus biases.

    Args:
      x: A matrix.
      weights: A matrix.
      biases: A vector.
      name: The operation's name.

    Returns:
      The matrix `x @ weights + biases`.
    """
    return of_moments.bias_add(matmul(x, weights), biases)


@export("compat.v1.nn.relu_layer")
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """Returns the positive part of a matrix product plus biases.

    Args:
      x: A matrix.
      weights: A matrix.
      biases: A vector.
      name: The operation's name.

    Returns:
      The matrix `relu(x @ weights + biases)`.
    """
    return relu(xw_plus_b(x, weights, biases))


@export("compat.v1.nn.softmax")
def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Returns `exp(logits) / sum(exp(logits))` along an axis, without overflow.

    Args:
      logits: A floating-point tensor.
      axis: The axis. Defaults to the last one.
      name: The operation's name.
      dim: The old name of `axis`.

    Returns:
      A tensor.

    Raises:
      ValueError: The axis is given under both names.
    """
    return soft.softmax(logits, either(axis, dim, "axis", "dim"))


@export("compat.v1.nn.log_softmax")
def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Returns `logits - log(sum(exp(logits)))` along an axis, without overflow.

    Args:
      logits: A floating-point tensor.
      axis: The axis. Defaults to the last one.
      name: The operation's name.
      dim: The old name of `axis`.

    Returns:
      A tensor.

    Raises:
      ValueError: The axis is given under both names.
    """
    return soft.log_softmax(logits, either(axis, dim, "axis", "dim"))


@export("compat.v1.nn.crelu")
def crelu(features: Any, name: str | None = None, axis: int = -1) -> Tensor:
    """Concatenates relu of the features and of their negation along an axis.

    Args:
      features: A real tensor.
      name: The operation's name.
      axis: The axis, which becomes twice as long.

    Returns:
      A tensor.
    """
    return activations.crelu(features, axis)


@export("compat.v1.nn.moments")
def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the mean and the variance along axes.

    Args:
      x: A tensor.
      axes: The axes.
      shift: Accepted for compatibility.
      name: The operation's name.
      keep_dims: The old name of `keepdims`.
      keepdims: Whether the axes are kept, with length 1.

    Returns:
      The mean and the variance.

    Raises:
      ValueError: An argument is given under both of its names.
    """
    kept = either(keepdims, keep_dims, "keepdims", "keep_dims")
    return of_moments.moments(x, axes, keepdims=bool(kept))


@export("compat.v1.nn.weighted_moments")
def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the weighted mean and variance along axes.

    Args:
      x: A tensor.
      axes: The axes.
      frequency_weights: Weights, of a shape that broadcasts with that of `x`.
      name: The operation's name.
      keep_dims: The old name of `keepdims`.
      keepdims: Whether the axes are kept, with length 1.

    Returns:
      The mean and the variance.

    Raises:
      ValueError: An argument is given under both of its names.
    """
    kept = either(keepdims, keep_dims, "keepdims", "keep_dims")
    return of_moments.weighted_moments(x, axes, frequency_weights, keepdims=bool(kept))


@export("compat.v1.nn.sufficient_statistics")
def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[Any, Any, Any, Any]:
    """Returns a count, a sum and a sum of squares, from which mean and variance follow.

    Args:
      x: A tensor.
      axes: The axes.
      shift: A number that is subtracted first.
      keep_dims: The old name of `keepdims`.
      name: The operation's name.
      keepdims: Whether the axes are kept, with length 1.

    Returns:
      The count, the sum, the sum of squares, and the shift or None.
    """
    kept = either(keepdims, keep_dims, "keepdims", "keep_dims")
    return of_moments.sufficient_statistics(x, axes, shift, bool(kept))


@export("compat.v1.nn.fused_batch_norm")
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalizes images by the mean and variance of each channel.

    Args:
      x: Images.
      scale: The factor of each channel.
      offset: The number that is added to each channel.
      mean: The mean of each channel; the running mean in training.
      variance: The variance of each channel; the running variance in training.
      epsilon: A small number that is added to variances; at least 1.001e-5.
      data_format: "NHWC" or "NCHW".
      is_training: Whether mean and variance are those of the images.
      name: The operation's name.
      exponential_avg_factor: The weight of the images in the running mean and variance.

    Returns:
      The normalized images, and the new running mean and variance.

    Raises:
      ValueError: Mean and variance are missing, but it is not training.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            "`exponential_avg_factor` != 1.0."
        )
    factor = convert_to_tensor(scale)
    first, second = (zeros([0], factor.dtype) if m is None else m for m in (mean, variance))
    least = max(epsilon, 1.001e-5)
    found: Any = of_moments.fused_batch_norm_v3(
        x,
        factor,
        offset,
        first,
        second,
        least,
        exponential_avg_factor,
        data_format,
        is_training,
    )
    return found[0], found[1], found[2]


@export("compat.v1.nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: bool | None = None,
    name: str | None = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Tensor:
    """Normalizes images by the mean and variance of each channel.

    Args:
      t: Images.
      m: The mean of each channel.
      v: The variance of each channel.
      beta: The number that is added to each channel.
      gamma: The factor of each channel.
      variance_epsilon: A small number that is added to variances.
      scale_after_normalization: Whether `gamma` is used.
      name: The operation's name.
      input: The new name of `t`.
      mean: The new name of `m`.
      variance: The new name of `v`.

    Returns:
      The normalized images.

    Raises:
      ValueError: An argument is given under both of its names.
    """
    return of_moments.batch_norm_with_global_normalization(
        either(input, t, "input", "t"),
        either(mean, m, "mean", "m"),
        either(variance, v, "variance", "v"),
        beta,
        gamma,
        variance_epsilon,
        bool(scale_after_normalization),
    )
