"""Pictures in graphs: their sizes are unknown while a function is traced."""

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("PIL")
PICTURE = [[[0, 1, 2], [3, 4, 5]]]


def test_pictures_are_read_in_a_graph():
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def read(data):
        found = tf.io.decode_png(data), tf.io.decode_png(data, channels=1)
        shapes.extend(x.shape.as_list() for x in found)
        return found

    colors, gray = read(tf.io.encode_png(tf.constant(PICTURE, tf.uint8)))
    assert colors.numpy().tolist() == PICTURE
    assert gray.shape == (1, 2, 1)
    assert shapes == [[None, None, None], [None, None, 1]]


def test_pictures_are_written_in_a_graph():
    written = tf.function(tf.io.encode_png)(tf.constant(PICTURE, tf.uint8))
    assert tf.io.decode_png(written).numpy().tolist() == PICTURE


@pytest.mark.parametrize("value", ["a", np.zeros(2), None])
def test_places_and_sizes_are_integers(value):
    picture = tf.zeros((4, 5, 3))
    with pytest.raises(TypeError, match="must be an integer"):
        tf.image.crop_to_bounding_box(picture, value, 0, 2, 2)
    with pytest.raises(TypeError, match="must be an integer"):
        tf.image.resize_with_crop_or_pad(picture, value, 2)
