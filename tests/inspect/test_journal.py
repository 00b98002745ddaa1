"""The journal of the mode of explanations, and its cost."""

import numpy as np

import gradtape as tf
from gradtape.debugging import Cause, explanations


def test_the_mode_leaves_nothing_behind():
    before = [tf.GradientTape.__enter__, tf.Tensor._numpy, tf.Variable._incoming]
    with explanations():
        assert tf.GradientTape.__enter__ is not before[0]
    assert [tf.GradientTape.__enter__, tf.Tensor._numpy, tf.Variable._incoming] == before
    from gradtape._src.core.recorder import STACK

    assert STACK.recorders == ()


def test_the_same_numbers_in_the_mode():
    x = tf.Variable(np.linspace(0.1, 2.0, 6).reshape(2, 3))

    def run():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(tf.sin(x) * tf.exp(x) / (1 + x**2))
            g = inner.gradient(y, x)
        return g.numpy(), outer.jacobian(g, x).numpy()

    plain = run()
    with explanations():
        noted = run()
    for a, b in zip(plain, noted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_bounded_memory_is_said():
    x = tf.Variable(1.0)
    with explanations(limit=5), tf.GradientTape() as tape:
        y = tf.stop_gradient(x)
        for _ in range(20):
            y = y + 1.0
    why = tape.explain(y, x)
    assert any("dropped" in note for note in why.notes)


def test_another_thread():
    import threading

    found = []

    def work():
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.stop_gradient(x) * 1.0
        found.append(tape.explain(y, x))

    with explanations():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found[0].cause is Cause.STOP_GRADIENT
