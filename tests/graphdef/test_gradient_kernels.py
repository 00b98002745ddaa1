"""Operations that gradients are made of, against the gradients of gradtape's own operations."""

import numpy as np
import pytest
from graph_nodes import run

import gradtape as tf
from gradtape._src.graphdef.gradient_kernels import pulled

F = tf.float32
X = tf.constant(np.random.default_rng(0).standard_normal((2, 6, 6, 3)), F)
W = tf.constant(np.random.default_rng(1).standard_normal((3, 3, 3, 2)), F)
CONV = {"strides": [1, 2, 2, 1], "padding": "SAME", "T": F}
POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID", "T": F}


def conv(x, w):
    return tf.nn.conv2d(x, w, 2, "SAME")


def depthwise(x, w):
    return tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME")


def pool(kind):
    return lambda x: getattr(tf.nn, kind)(x, 2, 2, "VALID")


def ones(x):
    return tf.random.stateless_normal(x.shape, [1, 2])


CASES = {
    "Conv2DBackpropFilter": (
        lambda g: run("Conv2DBackpropFilter", X, [3, 3, 3, 2], g, **CONV),
        lambda w: conv(X, w),
        W,
    ),
    "DepthwiseConv2dNativeBackpropFilter": (
        lambda g: run("DepthwiseConv2dNativeBackpropFilter", X, [3, 3, 3, 2], g, **CONV),
        lambda w: depthwise(X, w),
        W,
    ),
    "DepthwiseConv2dNativeBackpropInput": (
        lambda g: run("DepthwiseConv2dNativeBackpropInput", [2, 6, 6, 3], W, g, **CONV),
        lambda x: depthwise(x, W),
        X,
    ),
    "Conv2DBackpropInput": (
        lambda g: run("Conv2DBackpropInput", [2, 6, 6, 3], W, g, **CONV),
        lambda x: conv(x, W),
        X,
    ),
    "MaxPoolGrad": (
        lambda g: run("MaxPoolGrad", X, pool("max_pool2d")(X), g, **POOL),
        pool("max_pool2d"),
        X,
    ),
    "AvgPoolGrad": (
        lambda g: run("AvgPoolGrad", [2, 6, 6, 3], g, **POOL),
        pool("avg_pool2d"),
        X,
    ),
    "ResizeBilinearGrad": (
        lambda g: run("ResizeBilinearGrad", g, X, T=F, half_pixel_centers=True),
        lambda x: tf.image.resize(x, [4, 5]),
        X,
    ),
    "StridedSliceGrad": (
        lambda g: run(
            "StridedSliceGrad", [2, 6, 6, 3], [0, 1], [1, 5], [1, 2], g, T=F, Index=tf.int32,
            shrink_axis_mask=1,
        ),
        lambda x: x[0, 1:5:2],
        X,
    ),
    "MirrorPadGrad": (
        lambda g: run("MirrorPadGrad", g, [[0, 0], [1, 1], [0, 2], [0, 0]], T=F, mode="REFLECT"),
        lambda x: tf.pad(x, [[0, 0], [1, 1], [0, 2], [0, 0]], "REFLECT"),
        X,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_gradient(name):
    node, function, x = CASES[name]
    g = ones(function(x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    wanted = tape.gradient(y, x, g)
    np.testing.assert_allclose(node(g)[0], wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(pulled(function, x, g), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("trains", [True, False])
def test_the_gradient_of_normalization(trains):
    scale, offset = tf.constant([1.0, 2.0, 0.5]), tf.constant([0.0, 1.0, 2.0])
    mean, variance = tf.constant([0.1, 0.2, 0.3]), tf.constant([1.0, 2.0, 3.0])
    attributes = {"T": F, "U": F, "epsilon": 1e-3, "is_training": trains}
    with tf.GradientTape() as tape:
        tape.watch([X, scale, offset])
        given = X, scale, offset, mean, variance
        y, *_, first, second, _ = run("FusedBatchNormV3", *given, **attributes, gives=6)
    g = ones(y)
    wanted = tape.gradient(y, [X, scale, offset], g)
    kept = tf.zeros([0])
    found = run("FusedBatchNormGradV3", g, X, scale, first, second, kept, **attributes, gives=5)
    for a, b in zip(found, wanted, strict=False):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def test_the_second_gradient_of_max_pooling_takes_the_elements_at_the_maxima():
    x = tf.reshape(tf.range(16.0), (1, 4, 4, 1))
    y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    found = run("MaxPoolGradGrad", x, y, x * 2.0, **POOL)
    found = found[0] if isinstance(found, (list, tuple)) else found
    assert found.numpy().tolist() == (y * 2.0).numpy().tolist()
