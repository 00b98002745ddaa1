"""Dilation, erosion, and places of maxima; values are TensorFlow's."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1, 5, 5, 2)).astype("f")
FILTER = RNG.normal(size=(2, 3, 2)).astype("f")
ONES = [1, 1, 1, 1]


def test_dilation_and_erosion():
    got = tf.nn.dilation2d(X, FILTER, [1, 2, 2, 1], "VALID", "NHWC", ONES)
    want = [0.635969, 0.761375, 1.299546, 1.603556, 0.228846, 1.007985, 1.260851, 1.051415]
    np.testing.assert_allclose(np.ravel(got), want, 1e-5)
    got = tf.nn.dilation2d(X, FILTER, ONES, "SAME", "NHWC", [1, 2, 2, 1])
    np.testing.assert_allclose(
        np.ravel(got)[:4], [-1.682346, -0.620377, -0.980694, -0.880494], 1e-5
    )
    got = tf.nn.erosion2d(X, FILTER, ONES, "SAME", "NHWC", ONES)
    np.testing.assert_allclose(
        np.ravel(got)[:4], [-2.682411, -0.615149, -2.320577, -0.875267], 1e-5
    )


def test_gradient_of_ties_goes_to_the_first():
    x, f = tf.zeros((1, 3, 3, 1)), tf.zeros((2, 2, 1))
    with tf.GradientTape() as tape:
        tape.watch([x, f])
        y = tf.nn.dilation2d(x, f, ONES, "SAME", "NHWC", ONES)
    by_x, by_f = tape.gradient(y, [x, f])
    assert np.ravel(by_x).tolist() == [1] * 9
    assert np.ravel(by_f).tolist() == [9, 0, 0, 0]


@pytest.mark.parametrize(("whole", "last"), [(False, [48, 49]), (True, [98, 99])])
def test_max_pool_with_argmax(whole, last):
    both = np.concatenate([X, -X])
    values, places = tf.nn.max_pool_with_argmax(both, 2, 2, "SAME", include_batch_in_index=whole)
    assert np.ravel(places)[:6].tolist() == [2, 3, 6, 7, 18, 19]
    assert np.ravel(places)[-2:].tolist() == last
    close(values, tf.nn.max_pool2d(both, 2, 2, "SAME"))


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (
            lambda: tf.nn.dilation2d(X, FILTER, ONES, "SAME", "NCHW", ONES),
            ValueError,
            "data_format=NCHW",
        ),
        (
            lambda: tf.nn.dilation2d(X, FILTER[..., :1], ONES, "SAME", "NHWC", ONES),
            tf.errors.InvalidArgumentError,
            "same depth: 2 vs 1",
        ),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_integers_do_not_overflow_at_the_border():
    image = tf.ones([1, 2, 2, 1], tf.int8)
    filters = tf.constant([[[-3]], [[-2]]], tf.int8)
    out = tf.nn.dilation2d(image, filters, [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])
    assert out.numpy().ravel().tolist() == [-1, -1, -2, -2]
