"""Arrays of tensors."""

import pytest

import gradtape as tf


def test_only_read_clears_an_element():
    array = tf.TensorArray(tf.float32, size=2).write(0, [1.0]).write(1, [2.0])
    for _ in range(2):
        assert array.stack().numpy().tolist() == [[1.0], [2.0]]
        assert array.gather([1]).numpy().tolist() == [[2.0]]
        assert array.concat().numpy().tolist() == [1.0, 2.0]
    assert array.read(1) == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="index 1 twice"):
        array.read(1)
