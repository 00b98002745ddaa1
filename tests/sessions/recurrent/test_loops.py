import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1

X = np.random.default_rng(0).normal(size=(3, 5, 2)).astype(np.float32)


class Cell:
    output_size = state_size = 3

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        return tf.zeros([batch_size, 3], dtype)

    def __call__(self, x, state):
        with v1.variable_scope("cell"):
            w = v1.get_variable("w", [2, 3], initializer=v1.constant_initializer(0.5))
        new = tf.tanh(x @ w + state)
        return new, new


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


@pytest.mark.parametrize("steps", [5, 20, None])
def test_a_loop_gives_what_unrolled_steps_give(session, steps):
    data = np.concatenate([X] * 4, 1) if steps == 20 else X
    x, lengths = v1.placeholder(tf.float32, [None, steps, 2]), v1.placeholder(tf.int32, [None])
    outputs, state = v1.nn.dynamic_rnn(Cell(), x, lengths, dtype=tf.float32)
    (w,) = v1.trainable_variables()
    assert w.name == "rnn/cell/w:0"
    loss = tf.reduce_sum(outputs**2) + tf.reduce_sum(state)
    ours = session.run(v1.global_variables_initializer())
    ours = session.run([outputs, state, tf.gradients(loss, w)[0]], {x: data, lengths: [4, 2, 0]})
    with v1.variable_scope("", reuse=True):
        whole = tf.unstack(tf.constant(data), axis=1)
        listed, last = v1.nn.static_rnn(Cell(), whole, dtype=tf.float32, sequence_length=[4, 2, 0])
    loss = tf.add_n([tf.reduce_sum(y**2) for y in listed]) + tf.reduce_sum(last)
    wanted = session.run([tf.stack(listed, 1), last, tf.gradients(loss, w)[0]])
    for a, b in zip(ours, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_steps_may_come_first(session):
    x = tf.constant(X)
    with v1.variable_scope("a", reuse=v1.AUTO_REUSE) as scope:
        first, _ = v1.nn.dynamic_rnn(Cell(), x, dtype=tf.float32, scope=scope)
        second, _ = v1.nn.dynamic_rnn(
            Cell(), tf.transpose(x, [1, 0, 2]), dtype=tf.float32, scope=scope, time_major=True
        )
    session.run(v1.global_variables_initializer())
    a, b = session.run([first, second])
    np.testing.assert_allclose(a, b.transpose(1, 0, 2), atol=1e-6)


@pytest.mark.parametrize("lengths", [None, [5, 2, 1]])
def test_two_cells_in_both_directions(session, lengths):
    x = tf.constant(X)
    (out, back), (_, last) = v1.nn.bidirectional_dynamic_rnn(
        Cell(), Cell(), x, lengths, dtype=tf.float32
    )
    both, _, last_unrolled = v1.nn.static_bidirectional_rnn(
        Cell(), Cell(), tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=lengths,
        scope="unrolled",
    )  # fmt: skip
    session.run(v1.global_variables_initializer())
    a, b, c, d = session.run([tf.concat([out, back], 2), tf.stack(both, 1), last, last_unrolled])
    np.testing.assert_allclose(a, b, atol=1e-6)
    np.testing.assert_allclose(c, d, atol=1e-6)


def test_a_function_may_decide_about_the_steps(session):
    xs = tf.TensorArray(tf.float32, 5, clear_after_read=False).unstack(X.transpose(1, 0, 2))
    lengths = tf.constant([4, 2, 1])

    def decide(time, output, state, calls):
        ended = time >= lengths
        x = tf.cond(tf.reduce_all(ended), lambda: tf.zeros([3, 2]), lambda: xs.read(time))
        state = tf.zeros([3, 3]) if output is None else state
        return ended, x, state, output, tf.constant(1) if calls is None else calls + 1

    array, state, calls = v1.nn.raw_rnn(Cell(), decide)
    plain, last = v1.nn.dynamic_rnn(Cell(), tf.constant(X), lengths, dtype=tf.float32, scope="b")
    session.run(v1.global_variables_initializer())
    found, wanted, a, b, calls = session.run([array.stack(), plain, state, last, calls])
    np.testing.assert_allclose(found, wanted.transpose(1, 0, 2)[:4], atol=1e-6)
    np.testing.assert_allclose(a, b, atol=1e-6)
    assert calls == 5


def test_what_is_no_cell():
    with pytest.raises(TypeError, match="is not an RNNCell"):
        v1.nn.dynamic_rnn(tf.tanh, X, dtype=tf.float32)
    with pytest.raises(ValueError, match="`dtype` must be specified"):
        v1.nn.dynamic_rnn(Cell(), X)
    with pytest.raises(TypeError, match="must be a callable"):
        v1.nn.raw_rnn(Cell(), 3)
