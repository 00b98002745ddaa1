"""Convolutions with TensorFlow 1's arguments; the values are those of TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
IMAGE = np.arange(16.0, dtype="f").reshape(1, 4, 4, 1)
KERNEL = np.ones((2, 2, 1, 1), "f")


def test_images():
    wanted = tf.nn.conv2d(IMAGE, KERNEL, 2, "SAME")
    for found in (
        v1.nn.conv2d(IMAGE, KERNEL, [1, 2, 2, 1], "SAME", True, "NHWC", [1, 1, 1, 1]),
        v1.nn.conv2d(input=IMAGE, filter=KERNEL, strides=[1, 2, 2, 1], padding="SAME"),
        v1.nn.conv2d(IMAGE, filters=KERNEL, strides=2, padding="SAME", use_cudnn_on_gpu=False),
    ):
        np.testing.assert_array_equal(found, wanted)
    assert v1.nn.conv2d(IMAGE, KERNEL, padding="VALID").shape == (1, 3, 3, 1)
    with pytest.raises(ValueError, match="Cannot specify both"):
        v1.nn.conv2d(IMAGE, KERNEL, 1, "SAME", filters=KERNEL)


def test_sequences_and_volumes():
    rows, filters = IMAGE[0], np.ones((2, 1, 1), "f")
    wanted = tf.nn.conv1d(rows, filters, 2, "SAME")
    for layout in (None, "NWC", "NHWC"):
        found = v1.nn.conv1d(rows, filters, 2, "SAME", True, layout)
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(v1.nn.conv1d(None, filters, 2, "SAME", input=rows), wanted)
    volume, cube = IMAGE[..., None], np.ones((1, 2, 2, 1, 1), "f")
    found = v1.nn.conv3d(volume, cube, [1] * 5, "SAME", "NDHWC", [1] * 5)
    np.testing.assert_array_equal(
        found, tf.nn.conv3d(volume, filters=cube, strides=[1] * 5, padding="SAME")
    )
    back = v1.nn.conv3d_transpose(volume, cube, [1, 4, 4, 1, 1], [1] * 5)
    assert back.shape == (1, 4, 4, 1, 1)


def test_distances_have_an_old_name():
    wanted = tf.nn.depthwise_conv2d(IMAGE, KERNEL, [1, 1, 1, 1], "SAME", dilations=[2, 2])
    for found in (
        v1.nn.depthwise_conv2d(IMAGE, KERNEL, [1, 1, 1, 1], "SAME", [2, 2]),
        v1.nn.depthwise_conv2d(IMAGE, KERNEL, [1, 1, 1, 1], "SAME", dilations=[2, 2]),
        v1.nn.depthwise_conv2d_native(IMAGE, KERNEL, [1] * 4, "SAME", "NHWC", [1, 2, 2, 1]),
        v1.nn.separable_conv2d(IMAGE, KERNEL, [[[[1.0]]]], [1, 1, 1, 1], "SAME", [2, 2], "name"),
    ):
        np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ValueError, match="Cannot specify both"):
        v1.nn.depthwise_conv2d(IMAGE, KERNEL, [1] * 4, "SAME", [2, 2], dilations=[1, 1])


def test_transposes_and_any_number_of_axes():
    found = v1.nn.conv2d_transpose(IMAGE, KERNEL, [1, 8, 8, 1], [1, 2, 2, 1])
    np.testing.assert_allclose(found, IMAGE.repeat(2, 1).repeat(2, 2))
    assert v1.nn.convolution(IMAGE, KERNEL, "SAME", [2, 2]).shape == (1, 2, 2, 1)
