"""Convolutions and their transposes, as functions of `tf.compat.v1.nn`."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.nn import convolution as convolutions
from gradtape._src.ops.nn import transposed_convolution as transposed
from gradtape._src.sessions.older.arguments import either


@export("compat.v1.nn.conv1d")
def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Returns the convolution of sequences.

    Args:
      value: Sequences.
      filters: Filters of shape (length, channels, outputs).
      stride: The step of the convolution.
      padding: "VALID" or "SAME".
      use_cudnn_on_gpu: Accepted for compatibility.
      data_format: "NWC" or "NCW"; "NHWC" and "NCHW" are the old names.
      name: The operation's name.
      input: The new name of `value`.
      dilations: The distance between the elements of a filter.

    Returns:
      A tensor.

    Raises:
      ValueError: The sequences are given under both names.
    """
    x = either(input, value, "input", "value")
    order = {None: "NWC", "NHWC": "NWC", "NCHW": "NCW"}.get(data_format, data_format)
    return convolutions.conv1d(x, filters, stride, padding, order or "NWC", dilations)


@export("compat.v1.nn.conv2d")
def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Returns the convolution of images.

    Args:
      input: Images.
      filter: Filters of shape (height, width, channels, outputs).
      strides: The steps of the convolution. Defaults to 1.
      padding: "VALID", "SAME" or a list of pairs of numbers.
      use_cudnn_on_gpu: Accepted for compatibility.
      data_format: "NHWC" or "NCHW".
      dilations: The distances between the elements of a filter.
      name: The operation's name.
      filters: The new name of `filter`.

    Returns:
      A tensor.

    Raises:
      ValueError: The filters are given under both names.
    """
    kernel = either(filter, filters, "filter", "filters")
    steps = 1 if strides is None else strides
    return convolutions.conv2d(input, kernel, steps, padding, data_format, dilations)


@export("compat.v1.nn.conv3d")
def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Returns the convolution of volumes.

    Args:
      input: Volumes.
      filter: Filters of shape (depth, height, width, channels, outputs).
      strides: The steps of the convolution, one for each axis.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" or "NCDHW".
      dilations: The distances between the elements of a filter.
      name: The operation's name.
      filters: The new name of `filter`.

    Returns:
      A tensor.

    Raises:
      ValueError: The filters are given under both names.
    """
    kernel = either(filter, filters, "filter", "filters")
    return convolutions.conv3d(input, kernel, strides, padding, data_format, dilations)


@export("compat.v1.nn.depthwise_conv2d")
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Convolves each channel separately, with one or more filters for each.

    Args:
      input: Images.
      filter: Filters of shape (height, width, channels, multiplier).
      strides: The steps of the convolution, one for each axis.
      padding: "VALID", "SAME" or a list of pairs of numbers.
      rate: The old name of `dilations`.
      name: The operation's name.
      data_format: "NHWC" or "NCHW".
      dilations: The distances between the elements of a filter, for height and width.

    Returns:
      A tensor with `channels * multiplier` channels.

    Raises:
      ValueError: The distances are given under both names.
    """
    spread = either(dilations, rate, "dilations", "rate")
    return convolutions.depthwise_conv2d(input, filter, strides, padding, data_format, spread)


@export("compat.v1.nn.depthwise_conv2d_native")
def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Convolves each channel separately, with one or more filters for each.

    Args:
      input: Images.
      filter: Filters of shape (height, width, channels, multiplier).
      strides: The steps of the convolution, one for each axis.
      padding: "VALID", "SAME" or a list of pairs of numbers.
      data_format: "NHWC" or "NCHW".
      dilations: The distances between the elements of a filter, one for each axis.
      name: The operation's name.

    Returns:
      A tensor with `channels * multiplier` channels.
    """
    spread = list(dilations)[2:] if data_format == "NCHW" else list(dilations)[1:3]
    return convolutions.depthwise_conv2d(input, filter, strides, padding, data_format, spread)


@export("compat.v1.nn.separable_conv2d")
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Convolves each channel separately, then mixes the channels of each pixel.

    Args:
      input: Images.
      depthwise_filter: Filters of shape (height, width, channels, multiplier).
      pointwise_filter: A filter of shape (1, 1, channels * multiplier, outputs).
      strides: The steps of the convolution, one for each axis.
      padding: "VALID", "SAME" or a list of pairs of numbers.
      rate: The old name of `dilations`.
      name: The operation's name.
      data_format: "NHWC" or "NCHW".
      dilations: The distances between the elements of a filter, for height and width.

    Returns:
      A tensor.

    Raises:
      ValueError: The distances are given under both names.
    """
    spread = either(dilations, rate, "dilations", "rate")
    filters = depthwise_filter, pointwise_filter
    return convolutions.separable_conv2d(input, *filters, strides, padding, data_format, spread)


@export("compat.v1.nn.convolution")
def convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Returns the convolution of inputs with any number of axes.

    Args:
      input: The inputs.
      filter: The filters.
      padding: "VALID" or "SAME".
      strides: The steps of the convolution.
      dilation_rate: The old name of `dilations`.
      name: The operation's name.
      data_format: The order of the axes, such as "NHWC".
      filters: The new name of `filter`.
      dilations: The distances between the elements of a filter.

    Returns:
      A tensor.
    """
    kernel = either(filters, filter, "filters", "filter")
    spread = either(dilations, dilation_rate, "dilations", "dilation_rate")
    return convolutions.convolution(input, kernel, strides, padding, data_format, spread)


@export("compat.v1.nn.conv2d_transpose")
def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Returns the transposed convolution of images, which is the gradient of a convolution.

    Args:
      value: Images.
      filter: Filters of shape (height, width, outputs, channels).
      output_shape: The shape of the result.
      strides: The steps of the convolution.
      padding: "VALID" or "SAME".
      data_format: "NHWC" or "NCHW".
      name: The operation's name.
      input: The new name of `value`.
      filters: The new name of `filter`.
      dilations: The distances between the elements of a filter.

    Returns:
      A tensor of shape `output_shape`.
    """
    return transposed.conv2d_transpose(
        either(input, value, "input", "value"),
        either(filters, filter, "filters", "filter"),
        output_shape,
        strides,
        padding,
        data_format,
        dilations,
    )


@export("compat.v1.nn.conv3d_transpose")
def conv3d_transpose(
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Returns the transposed convolution of volumes, which is the gradient of a convolution.

    Args:
      value: Volumes.
      filter: Filters of shape (depth, height, width, outputs, channels).
      output_shape: The shape of the result.
      strides: The steps of the convolution.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" or "NCDHW".
      name: The operation's name.
      input: The new name of `value`.
      filters: The new name of `filter`.
      dilations: The distances between the elements of a filter.

    Returns:
      A tensor of shape `output_shape`.

    Raises:
      ValueError: An argument is given under both of its names.
    """
    return transposed.conv3d_transpose(
        either(input, value, "input", "value"),
        either(filters, filter, "filters", "filter"),
        output_shape,
        strides,
        padding,
        data_format,
        dilations,
    )
