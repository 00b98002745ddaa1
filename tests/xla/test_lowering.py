"""The lowering of a graph's operations in compiled programs."""

import numpy as np
import pytest

pytest.importorskip("jax")

import gradtape as tf


def jit(function):
    return tf.function(function, jit_compile=True)


def monotone(x):
    return tf.nn.isotonic_regression(x * 2.0)[0]


def shown(x):
    tf.print(x)
    return x


@pytest.mark.parametrize(
    ("function", "line"),
    [(monotone, "in monotone: return tf.nn.isotonic"), (shown, r"in shown: tf.print\(x\)")],
)
def test_what_cannot_be_compiled_is_named_with_its_line(function, line):
    """Also where it stands in a branch of a function that is called."""
    with pytest.raises(tf.errors.UnimplementedError, match=rf"test_lowering.py:\d+, {line}"):
        jit(lambda x: tf.cond(x[0] > 0, lambda: function(x), lambda: x))(tf.ones([3]))


def test_loops_and_choices_for_many_examples():
    def rows(x, n):
        return (
            tf.vectorized_map(lambda r: tf.cond(r > 2, lambda: r * 2, lambda: -r), x),
            tf.vectorized_map(
                lambda r: tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * r), (0, 1.0)),
                x,
            )[1],
            tf.vectorized_map(
                lambda r: tf.while_loop(lambda y: y < 9.0, lambda y: [y * r], [r])[0], x
            ),
            tf.vectorized_map(lambda r: tf.foldl(lambda s, e: s + e * r, x), x),
        )

    x, n = tf.constant([1.5, 2.0, 3.0]), tf.constant(3)
    x_ = x.numpy()
    expected = [
        np.where(x_ > 2, 2 * x_, -x_),
        x_**3,
        [1.5**6, 16.0, 9.0],
        x_[0] + x_ * x_[1:].sum(),
    ]
    for function in (tf.function(rows), jit(rows)):
        for got, want in zip(function(x, n), expected, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6)


def test_jacobians_through_loops_and_choices():
    def powers(x, n):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.while_loop(
                lambda i, _: i < n, lambda i, y: (i + 1, y * x), (0, x), maximum_iterations=5
            )[1]
            z = tf.cond(n > 0, lambda: tf.reverse(x, [0]) * x, lambda: x)
        return tape.jacobian(y, x), tape.jacobian(z, x)

    x = tf.constant([1.5, 2.0, 3.0])
    for function in (tf.function(powers), jit(powers)):
        of_loop, of_choice = function(x, tf.constant(3))
        np.testing.assert_allclose(of_loop, np.diag(4 * x.numpy() ** 3), rtol=1e-6)
        want = np.diag(x.numpy()[::-1]) + np.fliplr(np.diag(x.numpy()))
        np.testing.assert_allclose(of_choice, want, rtol=1e-6)


def test_assertions_are_left_out():
    def checked(x):
        tf.debugging.assert_positive(x)
        return x * 2

    assert jit(checked)(tf.constant([-1.0])).numpy().tolist() == [-2]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(checked)(tf.constant([-1.0]))
