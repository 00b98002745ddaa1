"""Gradient operations, computed by a tape over the forward operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base.dtypes import as_dtype, float32, float64, int64
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import sizes
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.array import creation, padding, slicing
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.image import raw_resize
from gradtape._src.ops.image import resize as crops
from gradtape._src.ops.linalg import solve
from gradtape._src.ops.linalg.diagonals import band_part
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.nn import convolution, morphology, pooling
from gradtape._src.ops.nn import normalization_by_moments as normalization
from gradtape._src.ops.nn.window_geometry import raw_padding


class FusedBatchNormGradV3(NamedTuple):
    """The gradients of batch normalization, and two empty tensors."""

    x_backprop: Tensor
    scale_backprop: Tensor
    offset_backprop: Tensor
    reserve_space_4: Tensor
    reserve_space_5: Tensor


class FusedBatchNormGradV2(NamedTuple):
    """The gradients of batch normalization, and two empty tensors."""

    x_backprop: Tensor
    scale_backprop: Tensor
    offset_backprop: Tensor
    reserve_space_3: Tensor
    reserve_space_4: Tensor


class FusedBatchNormGrad(NamedTuple):
    """The gradients of batch normalization, and two empty tensors."""

    x_backprop: Tensor
    scale_backprop: Tensor
    offset_backprop: Tensor
    reserve_space_3: Tensor
    reserve_space_4: Tensor


def _pulled_back(function: Callable[..., Any], inputs: list[Any], g: Any) -> list[Tensor]:
    """Returns the gradients with respect to the inputs, given that of the result."""
    at = [convert_to_tensor(x) for x in inputs]
    if not (at[0].dtype.is_floating or at[0].dtype.is_complex):  # a tape ignores whole numbers
        wide = _pulled_back(function, [cast(x, float64) for x in at], cast(g, float64))
        return [cast(cast(y, int64), x.dtype) for x, y in zip(at, wide, strict=True)]
    copies = [Tensor(x._value) if not x._id else x for x in at]
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(copies)
        out = function(*copies)
    g = convert_to_tensor(g, dtype_hint=out.dtype)  # a list would count as one for each result
    found: list[Tensor] = tape.gradient(out, copies, g, unconnected_gradients="zero")
    return found


def linear(function: Callable[..., Any], shape: Any, g: Any, op: str) -> Tensor:
    """Returns the vjp of a function that is linear in an input of this shape."""
    g = convert_to_tensor(g)
    return _pulled_back(function, [creation.zeros(sizes(shape, op), g.dtype)], g)[0]


@raw_op("Conv2DBackpropFilter", ignored=("use_cudnn_on_gpu",))
def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a 2-D convolution with respect to its filters."""
    pads = raw_padding(padding, explicit_paddings)
    return linear(
        lambda w: convolution.conv2d(input, w, strides, pads, data_format, dilations),
        *(filter_sizes, out_backprop, "Conv2DBackpropFilter"),
    )


@raw_op("Conv3DBackpropFilterV2")
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
    """Returns the gradient of a 3-D convolution with respect to its filters."""
    return linear(
        lambda w: convolution.conv3d(input, w, strides, padding, data_format, dilations),
        *(filter_sizes, out_backprop, "Conv3DBackpropFilterV2"),
    )


def depthwise(x: Any, w: Any, strides: Any, pads: Any, data_format: str, dilations: Any) -> Tensor:
    at = slice(2, 4) if data_format.startswith("NC") else slice(1, 3)
    rates = list(dilations)[at]
    return convolution.depthwise_conv2d(x, w, strides, pads, data_format, rates)


@raw_op("DepthwiseConv2dNativeBackpropInput")
def depthwise_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a depthwise convolution with respect to its input."""
    pads = raw_padding(padding, explicit_paddings)
    return linear(
        lambda x: depthwise(x, filter, strides, pads, data_format, dilations),
        *(input_sizes, out_backprop, "DepthwiseConv2dNativeBackpropInput"),
    )


@raw_op("DepthwiseConv2dNativeBackpropFilter")
def depthwise_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a depthwise convolution with respect to its filters."""
    pads = raw_padding(padding, explicit_paddings)
    return linear(
        lambda w: depthwise(input, w, strides, pads, data_format, dilations),
        *(filter_sizes, out_backprop, "DepthwiseConv2dNativeBackpropFilter"),
    )


@raw_op("MaxPoolGrad", ignored=("orig_output",))
def max_pool_grad(
    orig_input: Any,
    grad: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of max pooling with respect to its input."""
    pads = raw_padding(padding, explicit_paddings)
    return _pulled_back(
        lambda x: pooling.max_pool2d(x, ksize, strides, pads, data_format), [orig_input], grad
    )[0]


@raw_op("MaxPoolGradV2", ignored=("orig_output",))
def max_pool_grad_v2(
    orig_input: Any,
    grad: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of max pooling, whose sizes are given as tensors."""
    op = "MaxPoolGradV2"
    window, steps = list(sizes(ksize, op)), list(sizes(strides, op))
    return max_pool_grad(orig_input, grad, window, steps, padding, data_format=data_format)


@raw_op("MaxPool3DGrad", ignored=("orig_output",))
def max_pool_3d_grad(
    orig_input: Any,
    grad: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of 3-D max pooling with respect to its input."""
    return _pulled_back(
        lambda x: pooling.max_pool3d(x, ksize, strides, padding, data_format), [orig_input], grad
    )[0]


@raw_op("AvgPoolGrad")
def avg_pool_grad(
    orig_input_shape: Any,
    grad: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of average pooling with respect to its input."""
    return linear(
        lambda x: pooling.avg_pool2d(x, ksize, strides, padding, data_format),
        *(orig_input_shape, grad, "AvgPoolGrad"),
    )


@raw_op("AvgPool3DGrad")
def avg_pool_3d_grad(
    orig_input_shape: Any,
    grad: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of 3-D average pooling with respect to its input."""
    return linear(
        lambda x: pooling.avg_pool3d(x, ksize, strides, padding, data_format),
        *(orig_input_shape, grad, "AvgPool3DGrad"),
    )


def _batch_norm_gradients(
    g: Any, x: Any, scale: Any, parts: tuple[Any, Any], epsilon: float, how: tuple[str, bool]
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Returns the gradients of batch normalization with respect to input, scale and offset."""
    data_format, is_training = how
    x, scale = convert_to_tensor(x), convert_to_tensor(scale)
    g = cast(convert_to_tensor(g), x.dtype)
    offset = creation.zeros_like(scale)

    nothing = creation.zeros([0], scale.dtype)
    mean, variance = (nothing, nothing) if is_training else parts

    def run(x: Any, scale: Any, offset: Any) -> Any:
        given = (epsilon, 1.0, data_format, is_training)
        return normalization.fused_batch_norm(x, scale, offset, mean, variance, *given)[0]

    dx, dscale, doffset = _pulled_back(run, [x, scale, offset], g)
    rest = creation.zeros([0], scale.dtype)
    return dx, dscale, doffset, rest, rest


@raw_op("FusedBatchNormGradV3", ignored=("reserve_space_3",))
def fused_batch_norm_grad_v3(
    y_backprop: Any,
    x: Any,
    scale: Any,
    reserve_space_1: Any,
    reserve_space_2: Any,
    epsilon: float = 0.0001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> FusedBatchNormGradV3:
    """Returns the gradients of batch normalization."""
    parts = (reserve_space_1, reserve_space_2)
    how = (data_format, is_training)
    return FusedBatchNormGradV3(*_batch_norm_gradients(y_backprop, x, scale, parts, epsilon, how))


@raw_op("FusedBatchNormGradV2")
def fused_batch_norm_grad_v2(
    y_backprop: Any,
    x: Any,
    scale: Any,
    reserve_space_1: Any,
    reserve_space_2: Any,
    epsilon: float = 0.0001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> FusedBatchNormGradV2:
    """Returns the gradients of batch normalization."""
    given = (y_backprop, x, scale, reserve_space_1, reserve_space_2)
    return FusedBatchNormGradV2(
        *fused_batch_norm_grad_v3(*given, epsilon, data_format, is_training)
    )


@raw_op("FusedBatchNormGrad")
def fused_batch_norm_grad(
    y_backprop: Any,
    x: Any,
    scale: Any,
    reserve_space_1: Any,
    reserve_space_2: Any,
    epsilon: float = 0.0001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> FusedBatchNormGrad:
    """Returns the gradients of batch normalization."""
    given = (y_backprop, x, scale, reserve_space_1, reserve_space_2)
    return FusedBatchNormGrad(*fused_batch_norm_grad_v3(*given, epsilon, data_format, is_training))


@raw_op("LRNGrad", ignored=("output_image",))
def lrn_grad(
    input_grads: Any,
    input_image: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of local response normalization."""
    return _pulled_back(
        lambda x: normalization.local_response_normalization(x, depth_radius, bias, alpha, beta),
        [input_image],
        input_grads,
    )[0]


@raw_op("Dilation2DBackpropInput")
def dilation_backprop_input(
    input: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    rates: Any,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of dilation with respect to its input."""
    return _pulled_back(
        lambda x: morphology.dilation2d(x, cast(filter, x.dtype), strides, padding, "NHWC", rates),
        *([input], out_backprop),
    )[0]


@raw_op("Dilation2DBackpropFilter")
def dilation_backprop_filter(
    input: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    rates: Any,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of dilation with respect to its filters."""
    return _pulled_back(
        lambda w: morphology.dilation2d(cast(input, w.dtype), w, strides, padding, "NHWC", rates),
        *([filter], out_backprop),
    )[0]


@raw_op("ResizeBilinearGrad")
def resize_bilinear_grad(
    grads: Any,
    original_image: Any,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of the bilinear resizing of images."""
    size = shape_of(convert_to_tensor(grads))[1:3]
    return _pulled_back(
        lambda x: raw_resize.resize_bilinear(x, size, align_corners, half_pixel_centers),
        *([original_image], grads),
    )[0]


@raw_op("ResizeBicubicGrad")
def resize_bicubic_grad(
    grads: Any,
    original_image: Any,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of the bicubic resizing of images."""
    size = shape_of(convert_to_tensor(grads))[1:3]
    return _pulled_back(
        lambda x: raw_resize.resize_bicubic(x, size, align_corners, half_pixel_centers),
        *([original_image], grads),
    )[0]


@raw_op("ResizeNearestNeighborGrad")
def resize_nearest_grad(
    grads: Any,
    size: Any,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of the resizing of images to their nearest elements."""
    g = convert_to_tensor(grads)
    batch, height, width, channels = shape_of(g)
    whole = (batch, *sizes(size, "ResizeNearestNeighborGrad"), channels)
    return linear(
        lambda x: raw_resize.resize_nearest_neighbor(
            x, (height, width), align_corners, half_pixel_centers
        ),
        *(whole, g, "ResizeNearestNeighborGrad"),
    )


@raw_op("CropAndResizeGradImage")
def crop_and_resize_grad_image(
    grads: Any,
    boxes: Any,
    box_ind: Any,
    image_size: Any,
    T: Any = float32,
    method: str = "bilinear",
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of crops with respect to the images."""
    size = shape_of(convert_to_tensor(grads))[1:3]
    made = linear(
        lambda x: crops.crop_and_resize(x, boxes, box_ind, size, method),
        *(image_size, grads, "CropAndResizeGradImage"),
    )
    return cast(made, as_dtype(T))


@raw_op("MirrorPadGrad")
def mirror_pad_grad(input: Any, paddings: Any, mode: str, name: str | None = None) -> Tensor:
    """Returns the gradient of padding with reflected elements."""
    g = convert_to_tensor(input)
    pads = np.reshape(convert_to_tensor(paddings)._numpy(), (-1, 2)).tolist()
    shape = tuple([n - sum(pair) for n, pair in zip(shape_of(g), pads, strict=True)])
    return linear(lambda x: padding.pad(x, pads, mode), shape, g, "MirrorPadGrad")


@raw_op("StridedSliceGrad")
def strided_slice_grad(
    shape: Any,
    begin: Any,
    end: Any,
    strides: Any,
    dy: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of a slice, with zeros outside of the slice."""
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return linear(
        lambda x: slicing.strided_slice(x, begin, end, strides, *masks),
        *(shape, dy, "StridedSliceGrad"),
    )


@raw_op("CholeskyGrad", l="factor")
def cholesky_grad(factor: Any, grad: Any, name: str | None = None) -> Tensor:
    """Returns the gradient of the Cholesky decomposition with respect to its result."""
    factor = band_part(factor, -1, 0)  # what is above the diagonal does not count
    matrix = matmul(factor, factor, adjoint_b=True)
    return _pulled_back(solve.cholesky, [matrix], grad)[0]
