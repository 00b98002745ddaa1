import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1

X = np.random.default_rng(0).normal(size=(3, 5, 2)).astype(np.float32)


class Cell:
    """A cell whose output is not its state."""

    output_size, state_size = 2, (2, 2)

    def zero_state(self, batch_size, dtype):
        return tf.zeros([batch_size, 2], dtype), tf.ones([batch_size, 2], dtype)

    def __call__(self, x, state):
        with v1.variable_scope("cell"):
            w = v1.get_variable("w", [2, 2], initializer=v1.constant_initializer(0.5))
        first, second = state
        new = tf.tanh(x @ w + first)
        return new * second, (new, second + 1.0)


def reference(x, length):
    first, second, outputs = np.zeros(2), np.ones(2), np.zeros((5, 2))
    for t in range(length):
        first = np.tanh(x[t] @ np.full((2, 2), 0.5) + first)
        outputs[t] = first * second
        second = second + 1
    return outputs, first, second


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_each_step_is_a_part_of_the_graph(session):
    lengths = v1.placeholder(tf.int32, [None])
    steps = tf.unstack(tf.constant(X), axis=1)
    outputs, state = v1.nn.static_rnn(Cell(), steps, dtype=tf.float32, sequence_length=lengths)
    assert [v.name for v in v1.global_variables()] == ["rnn/cell/w:0"]
    session.run(v1.global_variables_initializer())
    found, last = session.run([tf.stack(outputs, 1), state], {lengths: [5, 2, 0]})
    for i, length in enumerate([5, 2, 0]):
        wanted = reference(X[i], length)
        np.testing.assert_allclose(found[i], wanted[0], atol=1e-6)
        np.testing.assert_allclose(last[0][i], wanted[1], atol=1e-6)
        np.testing.assert_allclose(last[1][i], wanted[2], atol=1e-6)


def test_another_cell_runs_back(session):
    steps, lengths = tf.unstack(tf.constant(X), axis=1), [5, 3, 1]
    joined, _, last = v1.nn.static_bidirectional_rnn(
        Cell(), Cell(), steps, dtype=tf.float32, sequence_length=lengths
    )
    names = [v.name for v in v1.global_variables()]
    assert names == ["bidirectional_rnn/fw/cell/w:0", "bidirectional_rnn/bw/cell/w:0"]
    session.run(v1.global_variables_initializer())
    found, last = session.run([tf.stack(joined, 1), last])
    for i, length in enumerate(lengths):
        there, back = reference(X[i], length), reference(X[i][:length][::-1], length)
        np.testing.assert_allclose(found[i, :, :2], there[0], atol=1e-6)
        np.testing.assert_allclose(found[i, :length, 2:], back[0][:length][::-1], atol=1e-6)
        np.testing.assert_allclose(last[0][i], back[1], atol=1e-6)


def test_inputs_are_a_list_that_is_not_empty():
    with pytest.raises(TypeError, match="must be a sequence"):
        v1.nn.static_rnn(Cell(), 3, dtype=tf.float32)
    with pytest.raises(ValueError, match="must not be empty"):
        v1.nn.static_rnn(Cell(), [], dtype=tf.float32)
    with pytest.raises(ValueError, match="`dtype` must be specified"):
        v1.nn.static_rnn(Cell(), [tf.ones([1, 2])])
