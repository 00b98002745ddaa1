"""Transposed convolutions, which enlarge images."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, sizes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, result_by
from gradtape._src.declare.lengths_of_values import dimensions
from gradtape._src.declare.unknown_sizes import UnknownRank
from gradtape._src.ops.nn.convolution import conv_input_p
from gradtape._src.ops.nn.window_geometry import (
    as_given,
    channels_last,
    explicit,
    is_channels_first,
    one_batch,
    operands,
    per_axis,
    raw_padding,
    windows,
)


def _transposed(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
    n: int,
) -> Tensor:
    op = f"Conv{n}DBackpropInput"
    x, w = operands(input, filters, n, op)
    first = is_channels_first(data_format, n)
    x, _ = one_batch(x, n, op)
    x = channels_last(x, n, first)
    shape = list(sizes(output_shape, op, "output_shape"))
    if len(shape) == n + 2:
        shape = shape[2:] + shape[1:2] if first else shape[1:]
    *window, channels, own = w._value.shape
    space = shape[:n]
    geometry = windows(
        space,
        window,
        per_axis(strides, n, first, "strides"),
        explicit(padding, n, first),
        per_axis(dilations, n, first, "dilations"),
        op,
    )
    if x._value.shape[1:-1] != geometry.out or x._value.shape[-1] != own:
        raise invalid(
            f"an output of shape {space} needs an input of shape {[*geometry.out, own]}, got "
            f"{list(x._value.shape[1:])} [Op:{op}]",
        )
    if len(shape) > n and shape[n] != channels:
        raise invalid(
            f"output_shape must have the {channels} output channels of filters, got {shape[n]} "
            f"[Op:{op}]",
        )
    out = conv_input_p(x, w, geometry=geometry, groups=1)
    result: Tensor = as_given(out, n, first)
    return result


def _of_output_shape(
    new: New, x: Any, filters: Any, output_shape: Any, *_: Any, **__: Any
) -> Tensor:
    """Returns the result of a transposed convolution whose window or input is unknown."""
    dims = dimensions(output_shape)
    rank = shape_of(tensor(filters))
    whole = dims is not None and type(rank) is not UnknownRank and len(dims) == len(rank)
    return new(dims if whole else None, tensor(x)._value.dtype)


@export("nn.conv1d_transpose")
@result_by(_of_output_shape)
def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Returns the transpose of `conv1d`.

    Args:
      input: A tensor of shape (batch, width, channels).
      filters: A tensor of the same dtype and shape (window, outputs, channels).
      output_shape: The shape of the result.
      strides: The stride of the window.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW".
      dilations: The dilation of the window.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `output_shape`.

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The shapes do not match.
    """
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, 1)


@raw_op("Conv2DBackpropInput", ignored=("use_cudnn_on_gpu",))
def raw_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the transpose of the convolution of images."""
    pads = raw_padding(padding, explicit_paddings)
    args = out_backprop, filter, input_sizes, strides, pads, data_format, dilations
    return _transposed(*args, 2)


@raw_op("Conv3DBackpropInputV2")
def raw_conv3d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the transpose of the convolution of volumes."""
    args = out_backprop, filter, input_sizes, strides, padding, data_format, dilations
    return _transposed(*args, 3)


@export("nn.conv2d_transpose")
@result_by(_of_output_shape)
def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Returns the transpose of `conv2d`.

    Args:
      input: A tensor of shape (batch, height, width, channels).
      filters: A tensor of the same dtype and shape (height, width, outputs, channels).
      output_shape: The shape of the result.
      strides: The strides of the window:  1, 2 or 4 numbers.
      padding: "SAME", "VALID", or a list of pairs of numbers, one per axis.
      data_format: "NHWC" or "NCHW".
      dilations: The dilation of the window.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `output_shape`.

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The shapes do not match.
    """
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, 2)


@export("nn.conv3d_transpose")
@result_by(_of_output_shape)
def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Returns the transpose of `conv3d`.

    Args:
      input: A tensor of shape (batch, depth, height, width, channels).
      filters: A tensor of the same dtype and shape (depth, height, width, outputs, channels).
      output_shape: The shape of the result.
      strides: The stride of the window.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      dilations: The dilation of the window.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `output_shape`.

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The shapes do not match.
    """
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, 3)


@export("nn.conv_transpose")
@result_by(_of_output_shape)
def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Computes the transpose of `convolution`.

    Args:
      input: A tensor of shape (batch, *space, channels).
      filters: A tensor of the same dtype and shape (*window, outputs, channels).
      output_shape: The shape of the result.
      strides: The distance between neighboring positions of the window.
      padding: "SAME" or "VALID".
      data_format: None, or a string beginning with "NC" if channels come before the spatial axes.
      dilations: The distance between neighboring elements of the window.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `output_shape`.

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The shapes do not match.

    >>> x, window = tf.ones((1, 2, 1)), tf.ones((2, 1, 1))
    >>> tf.nn.conv_transpose(x, window, [1, 4, 1], strides=2).numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    w = tensor(filters)
    n = w._value.ndim - 2
    return _transposed(input, w, output_shape, strides, padding, data_format, dilations, n)


@export("nn.atrous_conv2d_transpose")
@result_by(_of_output_shape)
def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: Any,
    padding: Any,
    name: str | None = None,
) -> Tensor:
    """Returns the transpose of `atrous_conv2d`.

    Args:
      value: A tensor of shape (batch, height, width, channels).
      filters: A tensor of the same dtype and shape (height, width, outputs, channels).
      output_shape: The shape of the result.
      rate: The dilation of the window.
      padding: "SAME" or "VALID".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `output_shape`.

    Raises:
      ValueError: An argument is malformed.
      InvalidArgumentError: The shapes do not match.
    """
    return _transposed(value, filters, output_shape, 1, padding, "NHWC", rate, 2)
