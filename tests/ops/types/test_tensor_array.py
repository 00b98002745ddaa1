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


def test_elements_that_were_not_written_are_empty_strings():
    array = tf.TensorArray(tf.string, size=3, element_shape=[]).write(1, "x")
    assert array.stack().numpy().tolist() == [b"", b"x", b""]
    assert array.read(0).numpy() == b""


def test_an_array_of_strings_grows_in_a_loop():
    @tf.function
    def counted(n):
        array = tf.TensorArray(tf.string, size=0, dynamic_size=True, element_shape=[])
        for i in tf.range(n):
            array = array.write(2 * i, tf.strings.as_string(i))
        return array.stack()

    assert counted(tf.constant(3)).numpy().tolist() == [b"0", b"", b"1", b"", b"2"]
