import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_arguments_by_position():
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant([1.0, 2.0])
        y = x * x * x
        first = v1.gradients(y, x, [tf.constant([1.0, 10.0])], "name", True, False)[0]
        second = v1.hessians(y, [x], "name", True)[0]
        assert session.run(first).tolist() == [3.0, 120.0]
        np.testing.assert_array_equal(session.run(second), [[6.0, 0.0], [0.0, 12.0]])


def test_parts_of_a_variable_have_gradients():
    with tf.Graph().as_default(), v1.Session() as session:
        halves = v1.fixed_size_partitioner(2)
        w = v1.get_variable("w", [4, 1], initializer=v1.ones_initializer(), partitioner=halves)
        loss = tf.reduce_sum(tf.square(tf.convert_to_tensor(w)))
        with pytest.raises(NotImplementedError, match="'w' is a partitioned variable"):
            v1.gradients(loss, w)
        session.run(v1.global_variables_initializer())
        parts = session.run(v1.gradients(loss, list(w)))
        np.testing.assert_array_equal(np.concatenate(parts), [[2.0]] * 4)
