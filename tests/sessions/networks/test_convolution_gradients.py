"""Gradients of convolutions; the values are those of TensorFlow 2.21."""

import numpy as np

import gradtape as tf

v1 = tf.compat.v1
IMAGE = np.arange(16.0, dtype="f").reshape(1, 4, 4, 1)
KERNEL = np.ones((2, 2, 1, 1), "f")
STEPS = [1, 1, 1, 1]


def test_gradients_by_filters():
    found = v1.nn.conv2d_backprop_filter(IMAGE, [2, 2, 1, 1], IMAGE, STEPS, "SAME")
    assert np.ravel(found).tolist() == [1240.0, 920.0, 770.0, 552.0]
    pads = [[0, 0], [0, 0], [0, 0], [0, 0]]
    given = IMAGE[:, :3, :3]
    found = v1.nn.conv2d_backprop_filter(IMAGE, [2, 2, 1, 1], given, STEPS, pads)
    assert np.ravel(found).tolist() == [327.0, 372.0, 507.0, 552.0]
    volume = IMAGE[..., None]
    found = v1.nn.conv3d_backprop_filter(volume, [1] * 5, volume, [1] * 5, "SAME")
    assert np.ravel(found).tolist() == [1240.0]


def test_gradients_by_images():
    x = tf.Variable(IMAGE)
    with tf.GradientTape() as tape:
        y = tf.nn.conv2d(x, KERNEL, STEPS, "SAME")
    wanted = tape.gradient(y, x, IMAGE)
    found = v1.nn.conv2d_backprop_input([1, 4, 4, 1], KERNEL, IMAGE, STEPS, "SAME")
    np.testing.assert_array_equal(found, wanted)
    found = v1.nn.conv2d_backprop_input(
        [1, 4, 4, 1], out_backprop=IMAGE, strides=STEPS, padding="SAME", filters=KERNEL
    )
    np.testing.assert_array_equal(found, wanted)
