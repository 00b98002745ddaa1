"""`tf.gradients` inside of functions."""

import pytest

import gradtape as tf

x = tf.constant(3.0)


def slopes(body, *args):
    return [None if g is None else float(g) for g in tf.function(body)(*args)]


def test_of_arguments_variables_constants_and_what_was_computed():
    v = tf.Variable(2.0)

    def body(a):
        c = tf.constant(5.0)
        y = a * a
        z = y * v * c
        return tf.gradients([z, y], [a, y, v, c, tf.constant(1.0)])

    assert slopes(body, x) == [66.0, 11.0, 45.0, 18.0, None]


def test_output_gradients_constants_and_unconnected_sources():
    def body(a):
        y = a * a
        return (
            tf.gradients([y, a], a, grad_ys=[tf.constant(2.0), None])
            + tf.gradients(y * a, [a, y], stop_gradients=[y])
            + tf.gradients(y, tf.constant(1.0), unconnected_gradients="zero")
        )

    assert slopes(body, x) == [13.0, 9.0, 3.0, 0.0]


def test_gradients_of_gradients_and_a_tape_outside():
    third = tf.function(lambda a: tf.gradients(tf.gradients(a**3, a)[0], a)[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = third(x)
    assert float(y) == 18.0
    assert float(tape.gradient(y, x)) == 6.0


def test_in_a_helper_and_step_by_step():
    v = tf.Variable(2.0)

    def slope():
        return tf.gradients(v * v, v)[0]

    @tf.function
    def step():
        g = slope()
        v.assign_sub(0.1 * g)
        return g

    assert [float(step()), float(step())] == pytest.approx([4.0, 3.2])


def test_where_there_is_no_function():
    with pytest.raises(RuntimeError, match=r"inside of a tf\.function"):
        tf.gradients(x, x)
    with pytest.raises(AttributeError, match="not None"):
        tf.function(lambda a: tf.gradients(a, None))(x)
