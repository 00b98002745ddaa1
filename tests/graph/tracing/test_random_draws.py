"""Random numbers in traced functions are drawn at each call."""

import numpy as np

import gradtape as tf


def test_each_call_draws_anew_and_a_seed_repeats_them():
    f = tf.function(lambda: tf.random.normal([3]))
    tf.random.set_seed(1)
    first, second = f().numpy(), f().numpy()
    assert not np.array_equal(first, second)
    g = tf.function(lambda: tf.random.normal([3]))
    tf.random.set_seed(1)
    np.testing.assert_array_equal(g(), first)


def test_two_draws_of_one_call_differ():
    a, b = tf.function(lambda: (tf.random.uniform([4]), tf.random.uniform([4])))()
    assert not np.array_equal(a, b)


def test_each_turn_of_a_loop_draws_its_own():
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, size=3)

        def body(i, a):
            return i + 1, a.write(i, tf.random.uniform([]))

        return tf.while_loop(lambda i, _: i < n, body, (0, array))[1].stack()

    assert len(set(f(tf.constant(3)).numpy().tolist())) == 3


def test_a_generator_moves_on():
    generator = tf.random.Generator.from_seed(1)
    f = tf.function(lambda: generator.normal([2]))
    first = f().numpy()
    other = tf.random.Generator.from_seed(1)
    np.testing.assert_array_equal(other.normal([2]), first)
    assert not np.array_equal(f(), first)
