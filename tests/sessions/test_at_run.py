"""Operations on values of which not even the number of axes is known before a session runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
CALLS: dict[str, Any] = {
    "add": lambda x: x + 1.0,
    "comparison": lambda x: x > 2.0,
    "cast": lambda x: tf.cast(x, tf.int32),
    "where": lambda x: tf.where(x > 2.0, x, -x),
    "sum": tf.reduce_sum,
    "sum of an axis": lambda x: tf.reduce_sum(x, 1, keepdims=True),
    "mean": tf.reduce_mean,
    "max": tf.reduce_max,
    "log of a sum": tf.reduce_logsumexp,
    "product of matrices": lambda x: tf.matmul(x, tf.ones([3, 2], tf.float64)),
    "transposed": lambda x: tf.transpose(x),
    "transposed product": lambda x: tf.matmul(x, x, transpose_b=True),
    "reshape": lambda x: tf.reshape(x, [-1, 2]),
    "expand": lambda x: tf.expand_dims(x, 1),
    "squeeze": lambda x: tf.squeeze(x[:1]),
    "slice": lambda x: x[:, 1],
    "concat": lambda x: tf.concat([x, x], 1),
    "shape": tf.shape,
    "size": tf.size,
    "rank": tf.rank,
    "softmax": tf.nn.softmax,
    "log of softmax": tf.nn.log_softmax,
    "place": lambda x: tf.argmax(x, 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_a_session_gives_is_what_the_call_gives(name: str) -> None:
    call = CALLS[name]
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float64)
        y = call(x)
        found = session.run(y, {x: X})
        dtype = y.dtype
    expected = call(tf.constant(X))
    np.testing.assert_allclose(found, expected.numpy(), 1e-12)
    assert dtype == expected.dtype


@pytest.mark.parametrize(
    "name", [n for n in CALLS if n not in ("comparison", "cast", "shape", "size", "rank", "place")]
)
def test_gradients_of_first_and_second_order(name: str) -> None:
    call = CALLS[name]
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float64)
        (first,) = tf.gradients(call(x * x), x)
        (second,) = tf.gradients(first * x, x)
        found = session.run([first, second], {x: X})
    x = tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = call(x * x)
        gradient = inner.gradient(y, x)
        weighted = gradient * x
    expected = [gradient, outer.gradient(weighted, x)]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b.numpy(), 1e-10)


def test_shapes_are_told_as_far_as_they_are_known() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32)
        assert x.shape.rank is None
        assert tf.reduce_sum(x).shape.as_list() == []
        assert (x + 1.0).shape.rank is None
        assert repr(x + 1.0) == "<tf.Tensor 'add_1:0' shape=<unknown> dtype=float32>"


def test_a_shape_that_is_set_is_known_from_then_on() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32)
        x.set_shape([None, 2])
        y = tf.unstack(x, axis=1)[1] * 2.0
        assert y.shape.as_list() == [None]
        assert session.run(y, {x: [[1.0, 2.0], [3.0, 4.0]]}).tolist() == [4.0, 8.0]
        z = v1.placeholder(tf.float32, [None, 3])
        z.set_shape([4, None])
        assert z.shape.as_list() == [4, 3]
        with pytest.raises(ValueError, match="not compatible"):
            z.set_shape([4, 2])


def test_different_numbers_of_axes_in_different_runs() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
        y = a * b
        g = tf.gradients(y, [a, b])
        assert session.run(y, {a: 3.0, b: 4.0}) == 12.0
        first, second = session.run(g, {a: [[1.0], [2.0]], b: [1.0, 1.0, 1.0]})
        assert (first.shape, second.tolist()) == ((2, 1), [3.0, 3.0, 3.0])


def test_a_variable_takes_such_a_value() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable([1.0, 2.0])
        x = v1.placeholder(tf.float32)
        change = v.assign(x)
        session.run(change, {x: [5.0, 6.0]})
        assert session.run(v).tolist() == [5.0, 6.0]


def test_what_needs_the_axes_says_so() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32)
        with pytest.raises(tf.errors.UnimplementedError, match="give the placeholder a shape"):
            tf.unstack(x)
