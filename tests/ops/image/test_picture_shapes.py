"""Pictures in graphs: their sizes are unknown while a function is traced."""

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
