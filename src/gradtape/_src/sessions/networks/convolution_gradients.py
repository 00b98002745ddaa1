"""Gradients of convolutions, as functions of `tf.compat.v1.nn`."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.nn.transposed_convolution import raw_conv2d_backprop_input
from gradtape._src.ops.raw import gradients_by_tape
from gradtape._src.sessions.older.arguments import either


def _split(padding: Any) -> tuple[str, Any]:
    """Returns a raw operation's padding, and its list of numbers."""
    if isinstance(padding, str):
        return padding, ()
    return "EXPLICIT", [int(n) for pair in padding for n in pair]


@export("compat.v1.nn.conv2d_backprop_filter")
def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a convolution of images with respect to its filters.

    Args:
      input: Images.
      filter_sizes: The shape of the filters.
      out_backprop: The gradient with respect to the convolution's result.
      strides: The steps of the convolution, one for each axis.
      padding: "VALID", "SAME" or a list of pairs of numbers.
      use_cudnn_on_gpu: Accepted for compatibility.
      data_format: "NHWC" or "NCHW".
      dilations: The distances between the elements of a filter.
      name: The operation's name.

    Returns:
      A tensor of shape `filter_sizes`.
    """
    how, pads = _split(padding)
    return gradients_by_tape.conv2d_backprop_filter(
        input, filter_sizes, out_backprop, strides, how, pads, data_format, dilations
    )


@export("compat.v1.nn.conv2d_backprop_input")
def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Returns the gradient of a convolution of images with respect to the images.

    Args:
      input_sizes: The shape of the images.
      filter: The filters.
      out_backprop: The gradient with respect to the convolution's result.
      strides: The steps of the convolution, one for each axis.
      padding: "VALID", "SAME" or a list of pairs of numbers.
      use_cudnn_on_gpu: Accepted for compatibility.
      data_format: "NHWC" or "NCHW".
      dilations: The distances between the elements of a filter.
      name: The operation's name.
      filters: The new name of `filter`.

    Returns:
      A tensor of shape `input_sizes`.

    Raises:
      ValueError: The filters are given under both names.
    """
    kernel = either(filter, filters, "filter", "filters")
    how, pads = _split(padding)
    return raw_conv2d_backprop_input(
        input_sizes, kernel, out_backprop, strides, how, pads, data_format, dilations
    )


@export("compat.v1.nn.conv3d_backprop_filter")
def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a convolution of volumes with respect to its filters.

    Args:
      input: Volumes.
      filter_sizes: The shape of the filters.
      out_backprop: The gradient with respect to the convolution's result.
      strides: The steps of the convolution, one for each axis.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" or "NCDHW".
      dilations: The distances between the elements of a filter.
      name: The operation's name.

    Returns:
      A tensor of shape `filter_sizes`.
    """
    return gradients_by_tape.conv3d_backprop_filter(
        input, filter_sizes, out_backprop, strides, padding, data_format, dilations
    )
