from graphdef_export.exporting import kinds

import gradtape as tf


def test_a_gradient_runs_the_loop_once_more_and_goes_back() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(lambda y: tf.reduce_sum(y) < 9, lambda y: [y * x + 1], [x])[0]
        return tape.gradient(y, x)

    found = kinds(function, tf.TensorSpec([3]))
    assert found["StatelessWhile"] == 2
    assert found["TensorListPushBack"] == 1


def test_a_gradient_of_a_loop_over_rows() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.scan(lambda a, e: tf.tanh(a + e), x, tf.zeros(3))
        return tape.gradient(y, x)

    assert kinds(function, tf.TensorSpec([None, 3]))["StatelessWhile"] >= 2
