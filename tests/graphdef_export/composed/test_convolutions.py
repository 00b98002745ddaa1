"""Convolutions are saved for images and filters of any size."""

import numpy as np
import pytest
from saving.saved_calls import check_saved_function

import gradtape as tf

DRAWN = np.random.default_rng(0)
MAP, FILTER = tf.TensorSpec([None, None, None, 2]), tf.TensorSpec([None, None, None, None])
SIGNAL, VOLUME = tf.TensorSpec([None, None, 2]), tf.TensorSpec([None] * 5)


def arrays(*shapes):
    return [DRAWN.normal(size=shape).astype("f4") for shape in shapes]


IMAGES = arrays([1, 5, 6, 2], [2, 3, 2, 3]), arrays([3, 4, 4, 2], [1, 2, 2, 5])
DEEP = arrays([1, 5, 6, 2], [2, 3, 2, 2]), arrays([3, 4, 4, 2], [1, 2, 2, 1])
BACK = arrays([1, 6, 6, 2], [2, 3, 3, 2]), arrays([1, 6, 6, 2], [3, 1, 3, 2])
FIRST = arrays([1, 2, 5, 6], [2, 3, 2, 3]), arrays([3, 2, 4, 4], [1, 2, 2, 5])
PAIRS = [[0, 0], [1, 0], [2, 1], [0, 0]]

CALLS = {
    "plain": (lambda x, w: tf.nn.conv2d(x, w, [1, 2], "VALID"), [MAP, FILTER], IMAGES),
    "explicit": (lambda x, w: tf.nn.conv2d(x, w, 1, PAIRS), [MAP, FILTER], IMAGES),
    "channels first": (
        lambda x, w: tf.nn.conv2d(x, w, 1, "SAME", data_format="NCHW"),
        [FILTER, FILTER],
        FIRST,
    ),
    "batches": (
        lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"),
        [tf.TensorSpec([None, None, None, None, 2]), FILTER],
        (arrays([2, 3, 5, 5, 2], [2, 2, 2, 1]), arrays([1, 2, 3, 3, 2], [1, 2, 2, 4])),
    ),
    "signals": (
        lambda x, w: tf.nn.conv1d(x, w, 2, "SAME"),
        [SIGNAL, tf.TensorSpec([None] * 3)],
        (arrays([2, 7, 2], [3, 2, 4]), arrays([1, 4, 2], [2, 2, 1])),
    ),
    "volumes": (
        lambda x, w: tf.nn.conv3d(x, w, [1] * 5, "SAME"),
        [VOLUME, VOLUME],
        (arrays([1, 3, 4, 3, 2], [2, 2, 1, 2, 3]), arrays([2, 2, 2, 2, 1], [1, 1, 2, 1, 1])),
    ),
    "dilated": (lambda x, w: tf.nn.atrous_conv2d(x, w, 2, "SAME"), [MAP, FILTER], IMAGES),
    "depthwise": (
        lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
        [MAP, FILTER],
        DEEP,
    ),
    "depthwise and dilated": (
        lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME", dilations=[2, 2]),
        [MAP, FILTER],
        DEEP,
    ),
    "transposed": (
        lambda x, w: tf.nn.conv2d_transpose(x, w, [1, 12, 12, 3], 2),
        [MAP, FILTER],
        BACK,
    ),
    "transposed to a computed shape": (
        lambda x, w: tf.nn.conv2d_transpose(x, w, tf.concat([tf.shape(x)[:3], [3]], 0), 1),
        [MAP, FILTER],
        BACK,
    ),
    "transposed signals, channels first": (
        lambda x, w: tf.nn.conv1d_transpose(x, w, [2, 3, 8], 2, data_format="NCW"),
        [tf.TensorSpec([None] * 3), tf.TensorSpec([None] * 3)],
        (arrays([2, 2, 4], [2, 3, 2]), arrays([2, 2, 4], [1, 3, 2])),
    ),
    "transposed and dilated": (
        lambda x, w: tf.nn.atrous_conv2d_transpose(x, w, [1, 6, 6, 3], 2, "SAME"),
        [MAP, FILTER],
        BACK,
    ),
}


@pytest.mark.parametrize("what", CALLS)
def test_saved_convolutions_of_any_size(what, tmp_path):
    check_saved_function(*CALLS[what], tmp_path)


def test_other_layouts_are_refused(tmp_path):
    module = tf.Module()
    module.f = tf.function(
        lambda x, w: tf.nn.conv3d(x, w, [1] * 5, [[0, 0], [1, 1], [1, 1], [1, 1], [0, 0]]),
        input_signature=[VOLUME, VOLUME],
    )
    with pytest.raises(tf.errors.UnimplementedError, match="three dimensions with this padding"):
        tf.saved_model.save(module, tmp_path)
