"""Convolution over any number of axes, and its two transposes.

All three are bilinear, and the gradients of each one are the other two.

Here images are (batch, *space, channels) and filters (*window, channels per group, outputs).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.convolution import conv, conv_filter, conv_input
from gradtape._src.compute.xla_convolution import conv_filter_xla, conv_input_xla, conv_xla
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import shorten
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import FLOATING, general, shape_of
from gradtape._src.declare.structural import reshape_p, slice_p, with_axis
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.ops.nn.window_geometry import (
    as_given,
    channels_last,
    explicit,
    fold,
    into_channels,
    is_channels_first,
    many_batches,
    one_batch,
    operands,
    out_of_channels,
    per_axis,
    raw_padding,
    unfold,
    windows,
)


def _conv_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    x, w = inputs
    groups = params["groups"]
    if not batched[1]:
        return unfold(conv_p(fold(x), w, **params), size)
    if not batched[0]:
        return out_of_channels(conv_p(x, into_channels(w, groups), **params), size, groups)
    return _each_a_group(conv_p, size, inputs, params)


def _each_a_group(run: Any, size: int, inputs: Any, params: Any) -> Any:
    x, w = (into_channels(v, 1) for v in inputs)
    out = run(x, w, geometry=params["geometry"], groups=size * params["groups"])
    return out_of_channels(out, size, 1)


def _conv_input_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    if not batched[1]:
        return unfold(conv_input_p(fold(inputs[0]), inputs[1], **params), size)
    return _each_a_group(conv_input_p, size, with_axis(size, batched, inputs), params)


def _conv_filter_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    groups = params["groups"]
    if not batched[0]:
        x, g = inputs
        out = conv_filter_p(x, into_channels(g, groups), **params)
        return out_of_channels(out, size, groups)
    return _each_a_group(conv_filter_p, size, with_axis(size, batched, inputs), params)


conv_p: Bound = general(
    "Conv2D",
    conv,
    {
        "x": lambda g, w, geometry, groups: conv_input_p(g, w, geometry=geometry, groups=groups),
        "w": lambda g, x, geometry, groups: conv_filter_p(x, g, geometry=geometry, groups=groups),
    },
    linear=["x", "w"],
    batching=_conv_batch,
    dtypes=FLOATING | {np.int32},
    same=slice(0, 2),
    traits=Traits(pattern=Pattern.CONVOLVED),
    xla=conv_xla,
)


conv_input_p: Bound = general(
    "Conv2DBackpropInput",
    conv_input,
    {
        "g": lambda t, w, geometry, groups: conv_p(t, w, geometry=geometry, groups=groups),
        "w": lambda t, g, geometry, groups: conv_filter_p(t, g, geometry=geometry, groups=groups),
    },
    linear=["g", "w"],
    batching=_conv_input_batch,
    dtypes=FLOATING,
    same=slice(0, 2),
    traits=Traits(pattern=Pattern.CONVOLVED_BACK),
    xla=conv_input_xla,
)


conv_filter_p: Bound = general(
    "Conv2DBackpropFilter",
    conv_filter,
    {
        "x": lambda t, g, geometry, groups: conv_input_p(g, t, geometry=geometry, groups=groups),
        "g": lambda t, x, geometry, groups: conv_p(x, t, geometry=geometry, groups=groups),
    },
    linear=["x", "g"],
    batching=_conv_filter_batch,
    dtypes=FLOATING,
    same=slice(0, 2),
    xla=conv_filter_xla,
)


def _convolve(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
    n: int,
) -> Tensor:
    op = f"Conv{n}D"
    try:
        x, w = operands(input, filters, n, op)
        first = is_channels_first(data_format, n)
        x, lead = one_batch(x, n, op)
    except Exception as error:
        shorten(error)
        raise
    x = channels_last(x, n, first)
    *space, channels = x._value.shape[1:]
    *window, own, outputs = w._value.shape
    if (channels and not own) or (own and (channels % own or outputs % max(channels // own, 1))):
        raise invalid(
            f"input depth must be evenly divisible by filter depth: {channels} vs {own} "
            f"[Op:{op}] (filter.shape[-2] is the number of channels of the image)",
        )
    # There are no products to add up, so that the filter's number of channels does not matter.
    if not channels:
        w = slice_p(w, begin=(0,) * (n + 2), end=(*window, 0, outputs))
        own = 1
    geometry = windows(
        space,
        window,
        per_axis(strides, n, first, "strides"),
        explicit(padding, n, first),
        per_axis(dilations, n, first, "dilations"),
        op,
    )
    out = conv_p(x, w, geometry=geometry, groups=max(channels // own, 1))
    result: Tensor = many_batches(as_given(out, n, first), lead)
    return result


@export("nn.conv1d")
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves sequences with filters.

    Args:
      input: A tensor of shape (..., width, channels).
      filters: A tensor of the same dtype and shape (window, channels, outputs).
      stride: The stride of the window.
      padding: "SAME", "VALID", or a list of pairs of numbers, one per axis.
      data_format: "NWC", or "NCW" if channels come before the width.
      dilations: The dilation of the window.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., new width, outputs).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The numbers of channels do not match.

    >>> x, filters = tf.ones((1, 4, 1)), tf.ones((2, 1, 1))
    >>> tf.nn.conv1d(x, filters, stride=1, padding="VALID").numpy()[0, :, 0]
    array([2., 2., 2.], dtype=float32)
    """
    return _convolve(input, filters, stride, padding, data_format, dilations, 1)


@export("nn.conv2d")
def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves images with filters.

    Args:
      input: A tensor of shape (..., height, width, channels).
      filters: A tensor of the same dtype and shape (height, width, channels, outputs); if it has
        fewer channels, they are convolved in groups.
      strides: The strides of the window:  1, 2 or 4 numbers.
      padding: "SAME", "VALID", or a list of pairs of numbers, one per axis.
      data_format: "NHWC", or "NCHW" if channels come before height and width.
      dilations: The dilations of the window:  1, 2 or 4 numbers.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., new height, new width, outputs).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The numbers of channels do not match.

    >>> x, filters = tf.ones((1, 3, 3, 1)), tf.ones((2, 2, 1, 1))
    >>> tf.nn.conv2d(x, filters, strides=1, padding="VALID").numpy()[0, :, :, 0]
    array([[4., 4.],
           [4., 4.]], dtype=float32)
    """
    return _convolve(input, filters, strides, padding, data_format, dilations, 2)


@raw_op("Conv2D")
def _raw_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Convolution of images."""
    pads = raw_padding(padding, explicit_paddings)
    return conv2d(input, filter, strides, pads, data_format, dilations)


@export("nn.conv3d")
@raw_op("Conv3D", filter="filters")
def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves volumes with filters.

    Args:
      input: A tensor of shape (batch, depth, height, width, channels).
      filters: A tensor of the same dtype and shape (depth, height, width, channels, outputs).
      strides: The strides of the window:  1, 3 or 5 numbers.
      padding: "SAME" or "VALID".
      data_format: "NDHWC", or "NCDHW" if channels come before the spatial axes.
      dilations: The dilation of the window.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new depth, new height, new width, outputs).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The numbers of channels do not match.
    """
    return _convolve(input, filters, strides, padding, data_format, dilations, 3)


@export("nn.convolution")
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves over as many axes as the filters have.

    Args:
      input: A tensor of shape (batch, *space, channels).
      filters: A tensor of the same dtype and shape (*window, channels, outputs).
      strides: The stride of the window along each axis.
      padding: "SAME", "VALID", or a list of pairs of numbers.
      data_format: None, or "NC..." if channels come before the spatial axes.
      dilations: The dilation of the window.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, *new space, outputs).

    Raises:
      ValueError: An argument is malformed, or strides and dilations both are greater than 1.
      InvalidArgumentError: The numbers of channels do not match.

    >>> tf.nn.convolution(tf.ones((1, 4, 1)), tf.ones((2, 1, 3))).shape
    TensorShape([1, 3, 3])
    """
    w = tensor(filters)
    n = w._value.ndim - 2
    first = is_channels_first(data_format, n)
    steps = per_axis(strides, n, first, "strides")
    rates = per_axis(dilations, n, first, "dilations")
    if max(steps, default=1) > 1 and max(rates, default=1) > 1:
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={list(steps)} and dilation_rate={list(rates)} (tf.nn.conv1d, conv2d and "
            f"conv3d take both)"
        )
    return _convolve(input, w, strides, padding, data_format, dilations, n)


@export("nn.atrous_conv2d")
def atrous_conv2d(
    value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """Convolves images with filters whose elements are `rate` pixels apart.

    Args:
      value: A tensor of shape (batch, height, width, channels).
      filters: A tensor of the same dtype and shape (height, width, channels, outputs).
      rate: The dilation of the window.
      padding: "SAME" or "VALID".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new height, new width, outputs).

    Raises:
      ValueError: An argument is malformed.
    """
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be 'SAME' or 'VALID'. Received: padding={padding!r}")
    x, w = _of_ranks(value, filters)
    return _convolve(x, w, 1, padding, "NHWC", rate, 2)


def _of_ranks(input: Any, filters: Any) -> tuple[Tensor, Tensor]:
    """Returns images and a filter as tensors, for functions of several operations.

    Raises:
      ValueError: The images have fewer than four axes, or the filter has another number than four.
    """
    x = tensor(input)
    w = convert_to_tensor(filters, dtype_hint=x.dtype)
    if len(shape_of(w)) != 4 or len(shape_of(x)) < 4:
        raise ValueError(
            f"Images must have rank 4 or more, and a filter rank 4. Received: shapes "
            f"{shape_of(x)} and {shape_of(w)}"
        )
    return x, w


@export("nn.depthwise_conv2d")
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves each channel separately, with one or more filters for each.

    Args:
      input: A tensor of shape (batch, height, width, channels).
      filter: A tensor of the same dtype and shape (height, width, channels, multiplier).
      strides: The strides of the window:  4 numbers.
      padding: "SAME", "VALID", or a list of pairs of numbers, one per axis.
      data_format: "NHWC", or "NCHW" if channels come before height and width.
      dilations: The dilations of the window:  1 or 2 numbers.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new height, new width, channels * multiplier).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The numbers of channels do not match.

    >>> x, filters = tf.ones((1, 3, 3, 2)), tf.ones((2, 2, 2, 1))
    >>> tf.nn.depthwise_conv2d(x, filters, strides=[1, 1, 1, 1], padding="VALID").shape
    TensorShape([1, 2, 2, 2])
    """
    x = tensor(input)
    if len(shape_of(x)) < 3:
        raise ValueError(f"`input` must have rank 3 or more. Received: shape {shape_of(x)}")
    x, w = operands(x, filter, 2, "DepthwiseConv2dNative")
    *window, channels, multiplier = w._value.shape
    own = x._value.shape[1 if data_format == "NCHW" else -1]
    if own != channels:
        raise invalid(
            f"input and filter must have the same depth: {own} vs {channels} "
            f"[Op:DepthwiseConv2dNative]",
        )
    w = reshape_p(w, shape=(*window, 1, channels * multiplier))
    return _convolve(x, w, strides, padding, data_format, dilations, 2)


@raw_op("DepthwiseConv2dNative")
def _raw_depthwise(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Convolves each channel of images separately."""
    pads = raw_padding(padding, explicit_paddings)
    spatial = list(dilations)[2:] if data_format == "NCHW" else list(dilations)[1:3]
    return depthwise_conv2d(input, filter, strides, pads, data_format, spatial)


@export("nn.separable_conv2d")
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves each channel separately, then mixes the channels.

    Args:
      input: A tensor of shape (batch, height, width, channels).
      depthwise_filter: A tensor of shape (height, width, channels, multiplier).
      pointwise_filter: A tensor of shape (1, 1, channels * multiplier, outputs).
      strides: The strides of the window:  4 numbers.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      dilations: The dilation of the window.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, new height, new width, outputs).

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The numbers of channels do not match.
    """
    x, w = _of_ranks(input, depthwise_filter)
    middle = depthwise_conv2d(x, w, strides, padding, data_format, dilations)
    return _convolve(middle, pointwise_filter, 1, "VALID", data_format, None, 2)
