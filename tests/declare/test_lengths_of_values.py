"""Lengths that the value of a tensor tells when a graph runs."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.declare.lengths_of_values import extents, lengths_of_values


def traced_once(f, *calls):
    """The results of calls of a function, which makes one graph for all of them."""
    made = tf.function(f)
    outs = [made(*map(tf.constant, call)).numpy() for call in calls]
    assert made.experimental_get_tracing_count() == 1
    assert "as Python" not in made.explain()
    return outs


def test_lengths_that_are_known():
    assert extents([2, tf.constant(3)], "Fill") == (2, 3)
    assert lengths_of_values([2, 3]) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="-1"):
        extents([-1], "Fill")


def test_a_length_of_a_number():
    two, none = traced_once(lambda n: tf.zeros([n, 3]), (2,), (0,))
    assert two.shape == (2, 3)
    assert none.shape == (0, 3)


def test_lengths_of_a_vector():
    (out,) = traced_once(lambda s: tf.fill(s, 7), ([2, 3],))
    assert out.tolist() == [[7] * 3] * 2


def test_the_shape_that_is_known_while_tracing():
    seen = []

    def f(n, s):
        seen.extend([tf.ones([n, 2]).shape, tf.random.normal(s).shape, tf.random.normal([n]).shape])
        return n

    traced_once(f, (3, [1, 2]))
    assert [x.as_list() for x in seen] == [[None, 2], [None, None], [None]]


@pytest.mark.parametrize(
    "draw",
    [
        lambda n: tf.random.normal([n, 4]),
        lambda n: tf.random.uniform([n, 4], 0, 9, tf.int32),
        lambda n: tf.random.truncated_normal((n, 4)),
    ],
)
def test_random_numbers_of_a_length_that_a_run_tells(draw):
    many, few = traced_once(draw, (200,), (1,))
    assert many.shape == (200, 4)
    assert few.shape == (1, 4)
    assert len(np.unique(many)) > 5


@pytest.mark.parametrize(
    "draw",
    [
        lambda n: tf.random.stateless_normal([n, 4], [1, 2]),
        lambda n: tf.random.gamma([n], [1.0, 2.0, 3.0, 4.0]),
    ],
)
def test_random_numbers_that_are_drawn_by_python(draw):
    f = tf.function(draw)
    assert f(tf.constant(200)).numpy().shape == (200, 4)
    assert f(tf.constant(1)).numpy().shape == (1, 4)


def test_numbers_drawn_in_a_loop():
    @tf.function
    def f(n):
        total = tf.zeros([4])
        for _ in tf.range(3):
            total += tf.reduce_sum(tf.random.uniform([n, 4]), 0)
        return total

    assert 0 < f(tf.constant(5)).numpy().min() < 15
    assert f(tf.constant(0)).numpy().tolist() == [0] * 4


def test_what_is_no_length_is_refused():
    f = tf.function(lambda n: tf.zeros([n]))
    assert f(tf.constant(2)).shape == [2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="-2"):
        f(tf.constant(-2))


def test_effects_happen_once_where_a_length_is_refused():
    v = tf.Variable(0)

    @tf.function
    def f(n):
        v.assign_add(1)
        return tf.zeros([n])

    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(-1))
    assert v.numpy() == 1


def test_gradients_go_through_such_shapes():
    @tf.function
    def f(x, n):
        return tf.reduce_sum(tf.broadcast_to(x, [n, 2]) ** 2)

    x = tf.constant([1.0, 2.0])
    for n in (1, 3, 2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(n))
        assert tape.gradient(y, x).numpy().tolist() == [2.0 * n, 4.0 * n]
