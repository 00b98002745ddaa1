import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


def test_lengths_may_differ_from_run_to_run():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 3])
        assert x.shape.as_list() == [None, 3]
        y = tf.reduce_mean(tf.nn.softmax(x @ tf.ones([3, 2])), 0)
        for n in (1, 2, 7):
            np.testing.assert_allclose(session.run(y, {x: np.ones((n, 3))}), [0.5, 0.5])


def test_a_placeholder_without_a_value():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"placeholder tensor 'x' with dtype float and shape \[\?,2\]",
        ):
            session.run(x + 1.0)


def test_a_default():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder_with_default(tf.constant([1.0, 2.0]), [None])
        y = tf.reduce_sum(x)
        assert session.run(y) == 3.0
        assert session.run(y, {x: [1.0, 2.0, 3.0]}) == 6.0
    assert float(v1.placeholder_with_default(2.0, [])) == 2.0


def test_without_a_graph():
    with pytest.raises(RuntimeError, match="eager"):
        v1.placeholder(tf.float32)
