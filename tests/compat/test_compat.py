"""`tf.compat`: text and bytes, dimensions, and TensorFlow 1's switches."""

from pathlib import Path

import pytest

import gradtape as tf

compat = tf.compat


def test_text_and_bytes():
    assert compat.as_bytes("é") == "é".encode()
    assert compat.as_bytes(b"a") == b"a"
    assert compat.as_text(b"\xc3\xa9") == compat.as_str("é") == "é"
    assert compat.as_str_any(3) == "3"
    assert compat.as_str_any(b"a") == "a"
    for wrong in (compat.as_bytes, compat.as_text):
        with pytest.raises(TypeError, match="Expected binary or unicode string"):
            wrong(3)


def test_paths():
    assert compat.path_to_str(Path("a") / "b") == str(Path("a") / "b")
    assert compat.path_to_str("a") == "a"
    assert compat.path_to_str(3) == 3


def test_dimensions():
    assert compat.dimension_value(3) == 3
    assert compat.dimension_value(compat.v1.Dimension(3)) == 3
    assert compat.dimension_value(compat.v1.Dimension(None)) is None
    assert compat.v1.Dimension(3) == 3
    assert int(compat.v1.Dimension(3)) == 3


def test_switches_of_tensorflow_1_change_nothing():
    assert compat.v1.enable_eager_execution() is None
    assert compat.v1.enable_v2_behavior() is None
    assert compat.v1.reset_default_graph() is None
    assert tf.constant(1.0) + 1.0 == 2.0


def test_scopes_of_names():
    with compat.v1.name_scope("a"), compat.v1.name_scope(None, "b"):
        assert tf.Variable(1.0, name="v").name == "a/b/v:0"
    with pytest.raises(TypeError), compat.v1.name_scope(None, values=[1]):
        pass


def test_the_horizon_of_compatibility():
    assert tf.compat.forward_compatible(2020, 1, 1)
    assert not tf.compat.forward_compatible(2099, 1, 1)
    with tf.compat.forward_compatibility_horizon(2030, 1, 1):
        assert tf.compat.forward_compatible(2029, 12, 31)
        assert not tf.compat.forward_compatible(2030, 1, 1)
    assert not tf.compat.forward_compatible(2029, 12, 31)


def test_the_length_at_an_index():
    length = tf.compat.dimension_at_index
    assert [length(tf.TensorShape([1, 2]), i).value for i in (1, -1)] == [2, 2]
    assert length(tf.TensorShape([1, None]), 1).value is None
    assert length(tf.TensorShape(None), 3).value is None
    with pytest.raises(IndexError):
        length(tf.TensorShape([1, 2]), 5)
    with pytest.raises(AssertionError):
        length([1, 2], 1)


def test_the_name_of_the_scope():
    with tf.name_scope("a"), tf.name_scope("b"):
        assert tf.__internal__.get_name_scope() == "a/b"


def test_a_value_of_a_session_becomes_a_sparse_tensor():
    value = tf.compat.v1.SparseTensorValue([[0, 1]], [5], [1, 2])
    sparse = tf.compat.v1.convert_to_tensor_or_sparse_tensor(value)
    assert tf.sparse.to_dense(sparse).numpy().tolist() == [[0, 5]]
