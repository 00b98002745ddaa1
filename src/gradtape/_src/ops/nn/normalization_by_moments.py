"""Means and variances, normalization by them, and biases of channels."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np

from gradtape._src.base.export import export, export_value, raw_op
from gradtape._src.compute.formulas import number
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, reduced, shown_shape
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.same_dtype import pair
from gradtape._src.declare.structural import count, reduce_sum_p, reshape_p
from gradtape._src.declare.unknown_sizes import Size, UnknownRank, is_unknown
from gradtape._src.ops.array.tensor_shapes import shape as tensor_shape
from gradtape._src.ops.array.tensor_shapes import size as size_of
from gradtape._src.ops.elementwise.arithmetic import add_p
from gradtape._src.ops.elementwise.casting import cast, cast_p, widened
from gradtape._src.ops.elementwise.division import reciprocal_no_nan_p, reciprocal_p
from gradtape._src.ops.elementwise.identities import stop_gradient_p
from gradtape._src.ops.elementwise.powers import pow_p, rsqrt_p, square_p, squared_difference_p
from gradtape._src.ops.elementwise.selection import maximum
from gradtape._src.ops.linalg.matmul import matmul_p
from gradtape._src.ops.nn.fused_normalization import FUSED, moments_p, normalization_p
from gradtape._src.ops.reduce.reductions import reduce_mean_p, reduce_prod, reduce_sum


@export("nn.bias_add")
@raw_op("BiasAdd")
def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Adds a vector along the axis of the channels.

    Args:
      value: A numeric tensor of rank 2 or more.
      bias: A vector of the same dtype, whose length is the number of channels.
      data_format: "N...C" (channels last, the default) or "NC..." (channels second), or a name such
        as "NHWC".
      name: Accepted for compatibility.

    Returns:
      A tensor of `value`'s shape and dtype.

    Raises:
      ValueError: The data format is unknown.
      InvalidArgumentError: The shapes or dtypes are not compatible.

    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    if data_format is not None and data_format[:1] != "N":
        raise ValueError(
            f"`data_format` must be of the form `N...C` or `NC...`. Received: "
            f"data_format={data_format}"
        )
    value = tensor(value)
    bias = convert_to_tensor(bias, value.dtype)
    shape, own = value._value.shape, bias._value.shape
    if len(shape) < 2:
        raise invalid(f"Input tensor must be at least 2D: {shown_shape(shape)} [Op:BiasAdd]")
    if len(own) != 1:
        raise invalid(f"Biases must be 1D: {shown_shape(own)} [Op:BiasAdd]")
    first = data_format is not None and data_format.startswith("NC")
    axis = 1 if first else len(shape) - 1
    if shape[axis] != own[0]:
        which = "second" if first else "last"
        raise invalid(
            f"Must provide as many biases as the {which} dimension of the input tensor: "
            f"{shown_shape(own)} vs. {shown_shape(shape)} [Op:BiasAdd]",
        )
    if first and len(shape) > 2:
        bias = reshape_p(bias, shape=(own[0], *(1,) * (len(shape) - 2)))
    return add_p(value, bias)


@raw_op("BiasAddGrad")
def _bias_add_grad(out_backprop: Any, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Returns the gradient of BiasAdd with respect to the bias: the sum for each channel."""
    g = tensor(out_backprop)
    rank = len(shape_of(g))
    channel = 1 if data_format.startswith("NC") else rank - 1
    axes = tuple(a - rank for a in range(rank) if a != channel)
    return reduce_sum_p(g, axis=axes, keepdims=False)


@export("nn.moments")
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Returns the mean and the variance along axes; 16-bit floats are computed as float32.

    Args:
      x: A floating or complex tensor.
      axes: The axes that are reduced.
      shift: Accepted for compatibility.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      The mean and the (population) variance, in the dtype of `x`.

    Raises:
      InvalidArgumentError: There is no such axis.

    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), axes=[0])
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.0), np.float32(1.0))
    """
    # The derivative of the variance with respect to the mean is 0, so no gradient flows through the
    # mean. TensorFlow does the same; second derivatives lack a term by it.
    return _moments(x, axes, keepdims, True)


def _moments(x: Any, axes: Any, keepdims: bool, stops: bool) -> tuple[Any, Any]:
    """Returns the mean and the variance; its gradient flows through the mean unless it `stops`."""
    x = tensor(x)
    dtype = x._value.dtype
    y = widened(x)
    axis = reduced(axes, y._value.ndim, "Mean")
    if dtype in FUSED and active_tapes() is not None:
        return moments_p(x, axis=axis, keepdims=bool(keepdims), stops=stops)
    mean = reduce_mean_p(y, axis=axis, keepdims=True)
    deviation = squared_difference_p(y, stop_gradient_p(mean) if stops else mean)
    variance = reduce_mean_p(deviation, axis=axis, keepdims=bool(keepdims))
    if not keepdims:
        mean = reshape_p(mean, shape=shape_of(variance))
    if y is not x:
        mean, variance = cast_p(mean, dtype=dtype), cast_p(variance, dtype=dtype)
    return mean, variance


@export("nn.weighted_moments")
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Returns the weighted mean and variance along axes.

    Args:
      x: A floating-point tensor.
      axes: The axes that are reduced.
      frequency_weights: The weights; they broadcast with `x`.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      The mean and the variance, in the dtype of `x`.
    """
    x = tensor(x)
    dtype = x._value.dtype
    y = widened(x)
    weights = cast_p(convert_to_tensor(frequency_weights), dtype=y._value.dtype)
    whole = weights + y * 0  # the weights, broadcast to the shape of x
    axis = reduced(axes, whole._value.ndim, "Sum")
    total = reciprocal_no_nan_p(reduce_sum_p(whole, axis=axis, keepdims=True))
    mean = reduce_sum_p(whole * y, axis=axis, keepdims=True) * total
    variance = reduce_sum_p(whole * squared_difference_p(y, mean), axis=axis, keepdims=True) * total
    if not keepdims:
        kept = tuple(n for i, n in enumerate(shape_of(mean), -len(shape_of(mean))) if i not in axis)
        mean, variance = reshape_p(mean, shape=kept), reshape_p(variance, shape=kept)
    if y is not x:
        mean, variance = cast_p(mean, dtype=dtype), cast_p(variance, dtype=dtype)
    return mean, variance


@export("nn.sufficient_statistics")
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any, Any, Any]:
    """Returns the count, sum and sum of squares along axes, the input of `normalize_moments`.

    Args:
      x: A floating-point tensor.
      axes: The axes that are reduced.
      shift: A shift that is subtracted from the values for accuracy.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      The count, the sum, the sum of squares, and the shift, which is None if it is not given.
    """
    x = tensor(x)
    axis = reduced(list(axes), x._value.ndim, "Sum")
    n = count([x._value.shape[a] for a in axis])
    if shift is not None:
        shift = pair(x, shift)[1]
    values = x if shift is None else x - shift
    squares = square_p(values)
    if is_unknown((n,)):
        whole = tensor_shape(x)
        counts = cast(reduce_prod([whole[a] for a in axis]), x.dtype)
    else:
        counts = Tensor(x._value.dtype.type(n))
    return (
        counts,
        reduce_sum(values, list(axes), keepdims),
        reduce_sum(squares, list(axes), keepdims),
        shift,
    )


@export("nn.normalize_moments")
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Returns mean and variance from sufficient statistics.

    Args:
      counts: The number of values.
      mean_ss: The sum of the values, each minus the shift.
      variance_ss: The sum of the squares of the values, each minus the shift.
      shift: The shift that was subtracted, or None.
      name: Accepted for compatibility.

    Returns:
      Mean and variance.
    """
    share = reciprocal_p(tensor(counts))
    mean = mean_ss * share
    variance = variance_ss * share - square_p(mean)
    return (mean if shift is None else shift + mean), variance


@export("nn.batch_normalization")
def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """Returns `scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    Args:
      x: A floating-point tensor.
      mean: The mean; it broadcasts.
      variance: The variance; it broadcasts.
      offset: The offset, or None.
      scale: The factor, or None.
      variance_epsilon: A small number that is added to the variance to avoid division by 0.
      name: Accepted for compatibility.

    Returns:
      A tensor of `x`'s shape and dtype.

    >>> tf.nn.batch_normalization([1.0, 3.0], 2.0, 1.0, None, None, 1e-3).numpy().round(3)
    array([-1.,  1.], dtype=float32)
    """
    inputs = tensor(x)
    variance = pair(inputs, variance)[1]
    dtype = inputs._value.dtype
    if dtype in FUSED and type(variance_epsilon) is float and active_tapes() is not None:
        given = [pair(inputs, v)[1] for v in (mean, scale, offset) if v is not None]
        given.insert(1, variance)
        if all(v._value.dtype is dtype for v in given):
            scaled = scale is not None
            return normalization_p(inputs, *given, epsilon=variance_epsilon, scaled=scaled)
    epsilon = convert_to_tensor(variance_epsilon, dtype_hint=variance.dtype)
    inverse = rsqrt_p(add_p(variance, epsilon))
    mean = pair(inputs, mean)[1]
    if scale is not None:
        scale = pair(inverse, scale)[1]
        if _spreads(inverse, scale):  # as in layer normalization
            y = (inputs - in_dtype(mean, dtype)) * in_dtype(inverse, dtype)
            y = y * in_dtype(scale, dtype)
            return y if offset is None else y + in_dtype(pair(inverse, offset)[1], dtype)
        inverse = inverse * scale
    shifted = -mean * inverse if offset is None else offset - mean * inverse
    return inputs * in_dtype(inverse, dtype) + in_dtype(shifted, dtype)


def _spreads(x: Tensor, y: Tensor) -> bool:
    """Whether the product of two tensors has axes that only one, and that only the other, has."""
    a: Any = shape_of(x)
    b: Any = shape_of(y)
    if UnknownRank in (type(a), type(b)):
        return False
    pairs = [
        [type(n) is Size or n != 1 for n in lengths]
        for lengths in zip_longest(a[::-1], b[::-1], fillvalue=1)
    ]
    return [True, False] in pairs and [False, True] in pairs


def in_dtype(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    return x if x._value.dtype == dtype else cast_p(x, dtype=dtype)


@export("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """Computes `batch_normalization`, with the argument names of TensorFlow 1.

    Args:
      input: A floating-point tensor.
      mean: The mean.
      variance: The variance.
      beta: The offset.
      gamma: The factor.
      variance_epsilon: A small number that is added to the variance to avoid division by 0.
      scale_after_normalization: Whether `gamma` is used.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `input`.
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


def _lrn(x: Tensor, depth_radius: int, bias: float, alpha: float, beta: float) -> Tensor:
    """Computes the normalization; a product with a band matrix sums over neighbouring channels."""
    if (wide := widened(x)) is not x:
        out = _lrn(wide, depth_radius, bias, alpha, beta)
        return cast_p(out, dtype=x._value.dtype)
    channels = x._value.shape[-1]
    near = np.abs(np.subtract.outer(np.arange(channels), np.arange(channels))) <= depth_radius
    sums = matmul_p(square_p(x), Tensor(near.astype(x._value.dtype)))
    return x * pow_p.operator(number(bias, x) + number(alpha, x) * sums, -float(beta))


@export("nn.local_response_normalization")
@takes(depth_radius="int", bias="float", alpha="float", beta="float")
@raw_op("LRN")
def local_response_normalization(
    input: Any,
    depth_radius: int | None = 5,
    bias: float | None = 1,
    alpha: float | None = 1,
    beta: float | None = 0.5,
    name: str | None = None,
) -> Tensor:
    """Returns `x / (bias + alpha * s)**beta` with s the sum of squares of neighbouring channels.

    Args:
      input: A floating-point tensor of rank 4, channels last.
      depth_radius: The number of neighbouring channels on either side.
      bias: The constant that is added to the sum.
      alpha: The factor of the sum.
      beta: The exponent.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The rank is not 4.
    """
    x = tensor(input)
    if x._value.ndim != 4:
        raise invalid(f"in must be 4-dimensional, got {shown_shape(x._value.shape)} [Op:LRN]")
    radius = 5 if depth_radius is None else int(depth_radius)
    given = ((bias, 1.0), (alpha, 1.0), (beta, 0.5))
    return _lrn(x, radius, *(default if n is None else float(n) for n, default in given))


lrn = local_response_normalization


export_value(lrn, "nn.lrn")


def _zero_fraction(x: Any) -> Any:
    n = np.size(x)
    return np.float32((n - np.count_nonzero(x)) / n) if n else np.float32(np.nan)


def _zero_fraction_xla(x: Any) -> Any:
    return jnp.mean((x == 0).astype(np.float32))


zero_fraction_p = general("ZeroFraction", _zero_fraction, xla=_zero_fraction_xla)


@export("math.zero_fraction", "nn.zero_fraction")
def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """Returns the share of elements that are 0.

    Args:
      value: A tensor of any dtype; False and empty strings count as 0.
      name: Accepted for compatibility.

    Returns:
      A float32 tensor of rank 0; NaN if there are no elements.
    """
    return zero_fraction_p(tensor(value))


def _normalized(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    epsilon: float,
    exponential_avg_factor: float,
    data_format: str,
    is_training: bool,
) -> tuple[Tensor, ...]:
    """Returns normalized images, the updated mean and variance, and those of the batch."""
    inputs = convert_to_tensor(x)
    kept = convert_to_tensor(mean), convert_to_tensor(variance)
    rank = len(shape_of(inputs))
    channels = 1 if data_format.startswith("NC") else rank - 1
    used: tuple[Tensor, ...] = kept
    following: tuple[Tensor, ...] = kept
    if is_training:
        axes = [axis for axis in range(rank) if axis != channels]
        x = in_dtype(inputs, convert_to_tensor(scale)._value.dtype)
        used = _moments(x, axes, False, False)
        size = count([shape_of(inputs)[axis] for axis in axes])
        if is_unknown((size,)):
            total = cast(size_of(inputs), used[1].dtype) / shape_of(inputs)[channels]
            ratio: Any = total / maximum(total - 1.0, 1.0)
        else:
            ratio = size / (size - 1) if size != 1 else 1.0
        fresh = used[0], used[1] * ratio
        following = fresh
        if exponential_avg_factor != 1:
            new = float(exponential_avg_factor)
            old = zip(kept, fresh, strict=True)
            following = tuple([(1 - new) * a + new * b for a, b in old])
    shape = [1] * rank
    shape[channels] = shape_of(inputs)[channels]
    whole = tuple(shape)
    center, spread, shift, factor = (
        reshape_p(convert_to_tensor(p), shape=whole) for p in (*used, offset, scale)
    )
    y = batch_normalization(inputs, center, spread, shift, factor, epsilon)
    return y, *following, *used


@raw_op("FusedBatchNormV3")
def fused_batch_norm_v3(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    epsilon: float = 1e-4,
    exponential_avg_factor: float = 1,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Normalizes images by mean and variance, and returns the statistics."""
    given = epsilon, exponential_avg_factor, data_format, is_training
    return *_normalized(x, scale, offset, mean, variance, *given), Tensor(np.zeros((), np.float32))


@raw_op("FusedBatchNorm")
@raw_op("FusedBatchNormV2")
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    epsilon: float = 1e-4,
    exponential_avg_factor: float = 1,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Normalizes images by mean and variance, and returns the statistics."""
    given = epsilon, exponential_avg_factor, data_format, is_training
    return _normalized(x, scale, offset, mean, variance, *given)
