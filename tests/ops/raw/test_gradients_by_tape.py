"""Gradient operations: what a tape gives for the forward operation, and TensorFlow's numbers."""

import numpy as np
import pytest

import gradtape as tf

R = tf.raw_ops
RNG = np.random.default_rng(0)


def draw(*shape):
    return tf.constant(RNG.normal(size=shape).astype(np.float32))


X, FILTERS = draw(2, 6, 6, 3), draw(3, 3, 3, 4)
X3, FILTERS3 = draw(1, 4, 4, 4, 2), draw(2, 2, 2, 2, 3)
DEPTHWISE, FLAT = draw(3, 3, 3, 2), draw(2, 2, 3)
STEPS, WINDOW = [1, 1, 1, 1], {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
WINDOW3 = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"}
PADS = [0, 0, 1, 0, 1, 0, 0, 0]
CONV = {"strides": [1, 2, 2, 1], "padding": "EXPLICIT", "explicit_paddings": PADS}
SAME = {"strides": STEPS, "padding": "SAME"}
WIDE = {"strides": STEPS, "rates": STEPS, "padding": "SAME"}
BOXES = [[0.0, 0.1, 0.7, 0.8], [0.2, 0.2, 0.9, 0.9]]
CROPS = {"boxes": BOXES, "box_ind": [0, 1]}
CUT = {"begin": [1, 0], "end": [3, 5], "strides": [1, 2]}
CASES = {
    "Conv2DBackpropFilter": (
        lambda w: R.Conv2D(input=X, filter=w, **CONV),
        FILTERS,
        lambda g: R.Conv2DBackpropFilter(
            input=X, filter_sizes=[3, 3, 3, 4], out_backprop=g, **CONV
        ),
    ),
    "Conv3DBackpropFilterV2": (
        lambda w: R.Conv3D(input=X3, filter=w, strides=[1] * 5, padding="SAME"),
        FILTERS3,
        lambda g: R.Conv3DBackpropFilterV2(
            *(),
            input=X3,
            filter_sizes=FILTERS3.shape,
            out_backprop=g,
            strides=[1] * 5,
            padding="SAME",
        ),
    ),
    "DepthwiseConv2dNativeBackpropInput": (
        lambda x: R.DepthwiseConv2dNative(input=x, filter=DEPTHWISE, **SAME),
        X,
        lambda g: R.DepthwiseConv2dNativeBackpropInput(
            input_sizes=[2, 6, 6, 3], filter=DEPTHWISE, out_backprop=g, **SAME
        ),
    ),
    "DepthwiseConv2dNativeBackpropFilter": (
        lambda w: R.DepthwiseConv2dNative(input=X, filter=w, **SAME),
        DEPTHWISE,
        lambda g: R.DepthwiseConv2dNativeBackpropFilter(
            input=X, filter_sizes=[3, 3, 3, 2], out_backprop=g, **SAME
        ),
    ),
    "MaxPoolGrad": (
        lambda x: R.MaxPool(input=x, **WINDOW),
        X,
        lambda g: R.MaxPoolGrad(
            orig_input=X, orig_output=R.MaxPool(input=X, **WINDOW), grad=g, **WINDOW
        ),
    ),
    "MaxPoolGradV2": (
        lambda x: R.MaxPool(input=x, **WINDOW),
        X,
        lambda g: R.MaxPoolGradV2(orig_input=X, orig_output=g, grad=g, **WINDOW),
    ),
    "MaxPool3DGrad": (
        lambda x: R.MaxPool3D(input=x, **WINDOW3),
        X3,
        lambda g: R.MaxPool3DGrad(orig_input=X3, orig_output=g, grad=g, **WINDOW3),
    ),
    "AvgPoolGrad": (
        lambda x: R.AvgPool(value=x, **WINDOW),
        X,
        lambda g: R.AvgPoolGrad(orig_input_shape=[2, 6, 6, 3], grad=g, **WINDOW),
    ),
    "AvgPool3DGrad": (
        lambda x: R.AvgPool3D(input=x, **WINDOW3),
        X3,
        lambda g: R.AvgPool3DGrad(orig_input_shape=[1, 4, 4, 4, 2], grad=g, **WINDOW3),
    ),
    "LRNGrad": (
        lambda x: R.LRN(input=x, depth_radius=2, alpha=0.5),
        X,
        lambda g: R.LRNGrad(
            input_grads=g, input_image=X, output_image=X, depth_radius=2, alpha=0.5
        ),
    ),
    "Dilation2DBackpropInput": (
        lambda x: R.Dilation2D(input=x, filter=FLAT, **WIDE),
        X,
        lambda g: R.Dilation2DBackpropInput(input=X, filter=FLAT, out_backprop=g, **WIDE),
    ),
    "Dilation2DBackpropFilter": (
        lambda w: R.Dilation2D(input=X, filter=w, **WIDE),
        FLAT,
        lambda g: R.Dilation2DBackpropFilter(input=X, filter=FLAT, out_backprop=g, **WIDE),
    ),
    "ResizeBilinearGrad": (
        lambda x: R.ResizeBilinear(images=x, size=[4, 5]),
        X,
        lambda g: R.ResizeBilinearGrad(grads=g, original_image=X),
    ),
    "ResizeBicubicGrad": (
        lambda x: R.ResizeBicubic(images=x, size=[4, 5], half_pixel_centers=True),
        X,
        lambda g: R.ResizeBicubicGrad(grads=g, original_image=X, half_pixel_centers=True),
    ),
    "ResizeNearestNeighborGrad": (
        lambda x: R.ResizeNearestNeighbor(images=x, size=[4, 5]),
        X,
        lambda g: R.ResizeNearestNeighborGrad(grads=g, size=[6, 6]),
    ),
    "CropAndResizeGradImage": (
        lambda x: R.CropAndResize(image=x, crop_size=[4, 4], **CROPS),
        X,
        lambda g: R.CropAndResizeGradImage(grads=g, image_size=X.shape, T=tf.float32, **CROPS),
    ),
    "MirrorPadGrad": (
        lambda x: R.MirrorPad(input=x, paddings=[[1, 1], [1, 2]], mode="SYMMETRIC"),
        draw(3, 4),
        lambda g: R.MirrorPadGrad(input=g, paddings=[[1, 1], [1, 2]], mode="SYMMETRIC"),
    ),
    "StridedSliceGrad": (
        lambda x: R.StridedSlice(input=x, **CUT),
        draw(4, 5),
        lambda g: R.StridedSliceGrad(shape=[4, 5], dy=g, **CUT),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_the_gradient_of_the_forward_operation(name):
    forward, x, backward = CASES[name]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = forward(x)
    g = draw(*y.shape)
    found = backward(g)
    np.testing.assert_allclose(found, tape.gradient(y, x, g), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(tf.function(backward)(g), found, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("version", ["", "V2", "V3"])
@pytest.mark.parametrize("is_training", [True, False])
def test_batch_normalization(version, is_training):
    scale, offset, mean, variance = draw(3), draw(3), draw(3), tf.abs(draw(3))
    g, given = draw(2, 6, 6, 3), {"is_training": is_training}
    parts = {"mean": [], "variance": []} if is_training else {"mean": mean, "variance": variance}
    with tf.GradientTape() as tape:
        tape.watch([X, scale, offset])
        out = R.FusedBatchNormV3(x=X, scale=scale, offset=offset, **parts, **given)
    wanted = tape.gradient(out[0], [X, scale, offset], g)
    spaces = {"reserve_space_1": mean, "reserve_space_2": variance}
    if version == "V3":
        spaces["reserve_space_3"] = [0.0]
    function = getattr(R, f"FusedBatchNormGrad{version}")
    found = function(y_backprop=g, x=X, scale=scale, **spaces, **given)
    for a, b in zip(found[:3], wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)
    assert found._fields[:3] == ("x_backprop", "scale_backprop", "offset_backprop")


def test_cholesky():
    a = draw(3, 3)
    a = a @ tf.transpose(a) + 3 * tf.eye(3)
    g = tf.linalg.band_part(draw(3, 3), -1, 0)
    with tf.GradientTape() as tape:
        tape.watch(a)
        factor = tf.linalg.cholesky(a)
    wanted = tape.gradient(factor, a, g)
    np.testing.assert_allclose(R.CholeskyGrad(l=factor, grad=g), wanted, rtol=1e-3, atol=1e-4)


def test_second_derivatives():
    x = tf.Variable(draw(2, 3, 3, 3))
    with tf.GradientTape() as tape:
        y = R.AvgPoolGrad(orig_input_shape=[2, 6, 6, 3], grad=x, **WINDOW)
        loss = tf.reduce_sum(y**2)
    np.testing.assert_allclose(tape.gradient(loss, x), x / 2, rtol=1e-5)


def test_gradients_that_are_lists_are_one_gradient():
    factor, g = [[2.0, 7.0], [1.0, 3.0]], [[1.0, 5.0], [0.5, 2.0]]
    wanted = [[0.27083334, -0.04166667], [-0.04166667, 0.33333334]]
    np.testing.assert_allclose(R.CholeskyGrad(l=factor, grad=g), wanted, rtol=1e-6)
    np.testing.assert_allclose(R.CholeskyGrad(l=tf.constant(factor), grad=g), wanted, rtol=1e-6)
