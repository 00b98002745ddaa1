"""Operations of TensorFlow 1 graphs whose values are known when the graph is made."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


KNOWN = {
    "identity": lambda: tf.identity(tf.range(3)),
    "range": lambda: tf.range(3),
    "zeros": lambda: tf.zeros([2]),
    "empty strings": lambda: tf.zeros([2], tf.string),
    "ones_like": lambda: tf.ones_like([1.0]),
    "eye": lambda: tf.eye(2),
    "shape": lambda: tf.shape([1, 2]),
    "size": lambda: tf.size([1, 2]),
    "rank": lambda: tf.rank([1, 2]),
    "broadcast_dynamic_shape": lambda: tf.broadcast_dynamic_shape([2], [1]),
    "cast": lambda: tf.cast(tf.range(2), tf.float32),
    "strings": lambda: tf.strings.join(["a", "b"]),
    "several outputs": lambda: tf.unique(tf.range(2)),
    "operator": lambda: tf.range(2) * 2,
}


@pytest.mark.parametrize("name", KNOWN)
def test_operations_on_known_values_wait_for_others(session, name):
    v = v1.get_variable("v", [], initializer=v1.zeros_initializer())
    before = KNOWN[name]()
    with tf.control_dependencies([v.assign_add(1.0)]):
        y = KNOWN[name]()
    session.run(v.initializer)
    for found, expected in zip(session.run([y, before]), [before, before], strict=True):
        np.testing.assert_array_equal(found, session.run(expected))
    assert session.run(v) == 1.0


def test_known_values_stay_known_after_others(session):
    x = v1.placeholder(tf.float32, [4])
    with tf.control_dependencies([tf.print("first")]):
        assert tf.reshape(x, tf.shape(tf.zeros([2, 1])) * tf.constant([2, 1])).shape == (4, 1)
