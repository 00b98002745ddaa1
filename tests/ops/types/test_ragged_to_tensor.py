"""From the rows of a ragged tensor to a tensor, and back."""

import numpy as np
import pytest

import gradtape as tf

R = tf.ragged.constant([[1, 2, 3], [], [4]])
DENSE = [[1, 2, 3], [0, 0, 0], [4, 0, 0]]


def test_rows_are_filled_up():
    assert R.to_tensor().numpy().tolist() == DENSE
    assert R.to_tensor(-1).numpy().tolist() == [[1, 2, 3], [-1, -1, -1], [4, -1, -1]]
    assert R.to_tensor(shape=[2, 4]).numpy().tolist() == [[1, 2, 3, 0], [0, 0, 0, 0]]
    assert R.to_tensor(shape=[None, 2]).numpy().tolist() == [[1, 2], [0, 0], [4, 0]]
    assert tf.ragged.constant([["a"], []]).to_tensor().numpy().tolist() == [[b"a"], [b""]]


def test_nested_rows():
    deep = tf.ragged.constant([[[1], [2, 3]], [[4]]])
    assert deep.to_tensor().numpy().tolist() == [[[1, 0], [2, 3]], [[4, 0], [0, 0]]]


def test_back_again():
    made = tf.RaggedTensor.from_tensor
    assert made(DENSE, padding=0).to_list() == [[1, 2, 3], [], [4]]
    assert made(DENSE, lengths=[2, 0, 1]).to_list() == [[1, 2], [], [4]]
    assert made(DENSE).to_list() == DENSE
    with pytest.raises(ValueError, match=r"lengths.*padding|padding.*lengths"):
        made(DENSE, lengths=[1, 1, 1], padding=0)


def test_gradients_go_to_the_values():
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = tf.RaggedTensor.from_row_lengths(values, [1, 2]).to_tensor(9.0)
    weights = np.float32([[1, 2], [3, 4]])
    g = tape.gradient(y, values, output_gradients=tf.constant(weights))
    assert tf.convert_to_tensor(g).numpy().tolist() == [1, 3, 4]


def test_the_gradient_of_the_default_value():
    fill = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(fill)
        y = tf.ragged.constant([[1.0], [2.0, 3.0], []]).to_tensor(default_value=fill)
    assert y.numpy().tolist() == [[1, 5], [2, 3], [5, 5]]
    assert float(tape.gradient(y, fill)) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="are incompatible"):
        R.to_tensor(default_value=[5])
