"""`tf.IndexedSlices`."""

import gradtape as tf
from gradtape._src.base.indexed_slices import with_open_shape


def slices(count=3):
    return tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([count, 2]))


def test_the_shape_is_the_dense_shape():
    assert slices().shape == [3, 2]
    assert (-slices()).values.numpy().tolist() == [[-1, -2]]
    assert tf.IndexedSlices(tf.zeros([1, 2]), tf.constant([0])).shape.rank is None


def test_a_dense_shape_that_is_an_input_is_known_when_the_graph_runs():
    shapes = []

    def whole(x):
        shapes.append(x.shape.as_list())
        return tf.convert_to_tensor(x)

    spec = tf.IndexedSlicesSpec([None, 2], indices_dtype=tf.int32, dense_shape_dtype=tf.int32)
    found = tf.function(whole, input_signature=[spec])(slices(4))
    assert shapes == [[None, 2]]
    assert found.shape == [4, 2]


def test_copies_keep_whether_the_shape_is_open():
    parts = [tf.constant([[1.0]]), tf.constant([0]), tf.constant([2, 1])]
    doubled = tf.nest.map_structure(lambda x: x + x, with_open_shape(parts), expand_composites=True)
    assert doubled._has_open_shape
    assert doubled.values.numpy().tolist() == [[2]]
    assert not tf.nest.map_structure(tf.identity, slices(), expand_composites=True)._has_open_shape
