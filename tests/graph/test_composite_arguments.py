"""Sparse and ragged tensors as arguments of compiled functions."""

import gradtape as tf
from gradtape._src.graph import composite_arguments as composite
from gradtape._src.graph.composite_arguments import StaticValue


def test_values_that_a_program_depends_on_are_equal_by_value():
    one, same, other = (StaticValue(tf.constant(v)) for v in ([1, 2], [1, 2], [1, 3]))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one.tensor().numpy().tolist() == [1, 2]


def test_which_values_are_small():
    assert composite.is_small(tf.constant([1, 2]))
    assert not composite.is_small(tf.constant([1.5]))
    assert not composite.is_small(tf.zeros([1000], tf.int32))


def test_classes_of_composite_tensors():
    assert composite.is_composite(tf.RaggedTensor)
    assert composite.is_composite(tf.SparseTensor)
    assert not composite.is_composite(tf.Tensor)


def test_zeros_in_the_place_of_values():
    emptied = composite.emptied({"x": tf.constant([1.0, 2.0]), "n": 3})
    assert emptied["x"].numpy().tolist() == [0, 0]
    assert emptied["n"] == 3


class Rows(tf.experimental.ExtensionType):
    ragged: tf.RaggedTensor
    weights: tf.Tensor


def test_a_composite_tensor_in_another_one_stays_composite():
    rows = Rows(tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.constant([1.0, 2.0]))
    doubled = tf.function(lambda x: Rows(x.ragged * 2.0, x.weights))
    assert doubled(rows).ragged.to_list() == [[2], [4, 6]]
    spec = Rows.Spec(ragged=tf.RaggedTensorSpec([None, None]), weights=tf.TensorSpec([None]))
    sums = tf.function(lambda x: tf.reduce_sum(x.ragged, 1) * x.weights, input_signature=[spec])
    assert sums(rows).numpy().tolist() == [1, 10]


def test_slices_whose_dense_shape_is_an_input():
    spec = tf.IndexedSlicesSpec([None, 2], tf.float32, dense_shape_dtype=tf.int32)
    whole = tf.function(lambda x: tf.convert_to_tensor(x) * 2.0, input_signature=[spec])
    for count in (2, 3):
        slices = tf.IndexedSlices(
            tf.constant([[1.0, 2.0]]), tf.constant([1], tf.int64), tf.constant([count, 2])
        )
        found = whole(slices).numpy()
        assert found.shape == (count, 2)
        assert found[1].tolist() == [2, 4]
    assert whole.experimental_get_tracing_count() == 1
