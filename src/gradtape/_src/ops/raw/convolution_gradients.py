"""Gradients of convolutions, as functions with names of their own."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, result_by
from gradtape._src.declare.lengths_of_values import dimensions
from gradtape._src.ops.nn import convolution
from gradtape._src.ops.nn.window_geometry import raw_padding
from gradtape._src.ops.raw.gradients_by_tape import depthwise, linear


@export("conv2d_backprop_input_v2")
@raw_op("Conv2DBackpropInputV2", ignored=("use_cudnn_on_gpu",))
def conv2d_backprop_input_v2(
    input: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a 2-D convolution with respect to its input.

    Args:
      input: The input, of which only the shape matters.
      filter: The filters.
      out_backprop: The gradient with respect to the convolution's result.
      strides: The strides, one for each axis.
      padding: "SAME", "VALID" or "EXPLICIT".
      use_cudnn_on_gpu: Accepted for compatibility.
      explicit_paddings: For "EXPLICIT", a pair of numbers for each axis.
      data_format: "NHWC" or "NCHW".
      dilations: The dilations, one for each axis.
      name: Accepted for compatibility.

    Returns:
      A tensor like `input`.

    Raises:
      InvalidArgumentError: Shapes don't fit each other.
    """
    pads = raw_padding(padding, explicit_paddings)
    return linear(
        lambda x: convolution.conv2d(x, filter, strides, pads, data_format, dilations),
        *(shape_of(convert_to_tensor(input)), out_backprop, "Conv2DBackpropInputV2"),
    )


@export("conv2d_backprop_filter_v2")
@raw_op("Conv2DBackpropFilterV2", ignored=("use_cudnn_on_gpu",))
def conv2d_backprop_filter_v2(
    input: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a 2-D convolution with respect to its filters.

    Args:
      input: The input.
      filter: The filters, of which only the shape matters.
      out_backprop: The gradient with respect to the convolution's result.
      strides: The strides, one for each axis.
      padding: "SAME", "VALID" or "EXPLICIT".
      use_cudnn_on_gpu: Accepted for compatibility.
      explicit_paddings: For "EXPLICIT", a pair of numbers for each axis.
      data_format: "NHWC" or "NCHW".
      dilations: The dilations, one for each axis.
      name: Accepted for compatibility.

    Returns:
      A tensor like `filter`.

    Raises:
      InvalidArgumentError: Shapes don't fit each other.
    """
    pads = raw_padding(padding, explicit_paddings)
    return linear(
        lambda w: convolution.conv2d(input, w, strides, pads, data_format, dilations),
        *(shape_of(convert_to_tensor(filter)), out_backprop, "Conv2DBackpropFilterV2"),
    )


def _of_input_sizes(
    new: New, input_sizes: Any, filter: Any, out_backprop: Any, *_: Any, **__: Any
) -> Tensor:
    """Returns the result of a transposed convolution whose window or input is unknown."""
    return new(dimensions(input_sizes), tensor(out_backprop)._value.dtype)


@export("nn.depthwise_conv2d_backprop_input")
@result_by(_of_input_sizes)
def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a depthwise convolution with respect to its input.

    Args:
      input_sizes: The shape of the input.
      filter: The filters.
      out_backprop: The gradient with respect to the convolution's result.
      strides: The strides, one for each axis.
      padding: "SAME" or "VALID", or a pair of numbers for each axis.
      data_format: "NHWC" or "NCHW".
      dilations: The dilations, one for each axis.
      name: Accepted for compatibility.

    Returns:
      A tensor of the given shape.

    Raises:
      InvalidArgumentError: Shapes don't fit each other.
    """
    return linear(
        lambda x: depthwise(x, filter, strides, padding, data_format, dilations),
        *(input_sizes, out_backprop, "DepthwiseConv2dNativeBackpropInput"),
    )


@export("nn.depthwise_conv2d_backprop_filter")
def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a depthwise convolution with respect to its filters.

    Args:
      input: The input.
      filter_sizes: The shape of the filters.
      out_backprop: The gradient with respect to the convolution's result.
      strides: The strides, one for each axis.
      padding: "SAME" or "VALID", or a pair of numbers for each axis.
      data_format: "NHWC" or "NCHW".
      dilations: The dilations, one for each axis.
      name: Accepted for compatibility.

    Returns:
      A tensor of the given shape.

    Raises:
      InvalidArgumentError: Shapes don't fit each other.
    """
    return linear(
        lambda w: depthwise(input, w, strides, padding, data_format, dilations),
        *(filter_sizes, out_backprop, "DepthwiseConv2dNativeBackpropFilter"),
    )
