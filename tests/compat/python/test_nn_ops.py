"""The class of convolutions that libraries construct; results are those of `tf.nn.convolution`."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compat.python.nn_ops import Convolution


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_convolution(data_format):
    x, filters = tf.random.normal([2, 5, 5, 3], seed=1), tf.random.normal([2, 2, 3, 4], seed=2)
    expected = tf.nn.convolution(x, filters, [1, 1], "SAME", dilations=[2, 1])
    if data_format == "NCHW":
        x = tf.transpose(x, [0, 3, 1, 2])
    layer = Convolution(x.shape, filters.shape, "SAME", [1, 1], [2, 1], data_format=data_format)
    found = layer(x, filters)
    if data_format == "NCHW":
        found = tf.transpose(found, [0, 2, 3, 1])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
