"""Methods of variables and tensors from TensorFlow 1."""

import pytest

import gradtape as tf


def test_a_variable_has_its_value_from_the_beginning():
    v = tf.Variable(3.0)
    assert v.initializer is None
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        v.initial_value  # noqa: B018
    with pytest.raises(NotImplementedError):
        v.initialized_value()
    with pytest.raises(RuntimeError, match="numpy"):
        v.eval()
    assert v.load(4.0) is None
    assert v.numpy() == 4.0
    assert v.experimental_ref() == v.ref()
    assert not hasattr(v, "op")


def test_a_counter_stops_at_its_limit():
    v = tf.Variable(3)
    assert [int(v.count_up_to(5)), int(v.count_up_to(5)), int(v)] == [3, 4, 5]
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 5"):
        v.count_up_to(5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32, int64"):
        tf.Variable(1.0).count_up_to(3)


def test_what_only_eager_tensors_have():
    x = tf.constant(3)
    assert x.cpu() is x
    assert not x.is_packed
    assert x.backing_device == x.device
    assert x.experimental_ref() == x.ref()
    with pytest.raises(RuntimeError, match="GPU:0 unknown device"):
        x.gpu()
