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
