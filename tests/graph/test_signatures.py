"""The cache keys of calls of a traced function."""

import numpy as np

import gradtape as tf
from gradtape._src.graph import signatures


def key(value):
    return signatures.describe(value, [])


def test_tensors_are_told_apart_by_shape_and_dtype():
    assert key(tf.constant(1.0)) == key(tf.constant(2.0))
    assert key(tf.constant(1.0)) != key(tf.constant(1))
    assert key(tf.zeros([2])) != key(tf.zeros([3]))
    assert hash(key([tf.constant(1.0), "a"])) == hash(key([tf.constant(2.0), "a"]))


def test_python_values_are_told_apart_by_value():
    assert key(3) != key(4)
    assert key("a") != key("b")
    assert key((1, 2)) == key((1, 2))
    assert key({"a": 1}) != key({"b": 1})


def test_objects_are_told_apart_by_identity():
    class Model:
        pass

    one, other = Model(), Model()
    assert key(one) == key(one)
    assert key(one) != key(other)


def test_tensors_are_collected_in_order():
    leaves, a, b = [], tf.constant(1.0), tf.constant(2.0)
    signatures.describe({"y": b, "x": [a, 3]}, leaves)
    assert [float(leaf) for leaf in leaves] == [1, 2]


def test_arguments_take_other_tensors():
    argument = {"x": tf.constant(1.0), "k": 5}
    found = signatures.filled(argument, iter([tf.constant(7.0)]))
    assert (float(found["x"]), found["k"]) == (7, 5)


def test_what_changed_is_said():
    (said,) = signatures.difference(["x"], (key(tf.zeros([3])),), (key(tf.zeros([2])),))
    assert "x" in said
    assert signatures.difference(["x"], (key(3),), (key(3),)) == []
    assert np.size(signatures.difference(["x"], (key(3),), (key(4),))) == 1


def test_a_trace_for_a_tensor_of_unknown_length_is_described_by_its_shape():
    step = tf.function(lambda x: x * 2)
    outer = tf.function(step, input_signature=[tf.TensorSpec([None, 3])])
    outer(tf.ones([2, 3]))
    step(tf.ones([2, 3]))
    assert "a tensor of shape (None, 3) and dtype float32 became" in step.explain()
    assert "<length" not in step.explain()
