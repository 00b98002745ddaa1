"""Values are those of TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_both_penalties():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.get_variable("x", initializer=[1.0, -2.0])
        steps = v1.train.get_or_create_global_step()
        optimizer = v1.train.AdagradDAOptimizer(0.1, steps, 0.1, 0.1, 0.2)
        step = optimizer.minimize(tf.reduce_sum(x * x * [1.0, 3.0]), global_step=steps)
        session.run(v1.global_variables_initializer())
        found = []
        for _ in range(3):
            session.run(step)
            found.append(session.run(x))
        wanted = [[-0.0929165, 0.0989674], [-0.0778529, 0.0929293], [-0.0647099, 0.0872380]]
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
        slots = [session.run(optimizer.get_slot(x, name)) for name in optimizer.get_slot_names()]
        np.testing.assert_allclose(slots, [[1.658461, -10.84862], [4.158778, 144.7635]], rtol=1e-5)


def test_rows():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.get_variable("x", initializer=[[1.0], [-2.0]])
        steps = v1.train.get_or_create_global_step()
        loss = tf.reduce_sum(tf.square(tf.gather(x, [1, 1])))
        step = v1.train.AdagradDAOptimizer(0.1, steps).minimize(loss, global_step=steps)
        session.run(v1.global_variables_initializer())
        session.run(step)
        np.testing.assert_allclose(session.run(x), [[1.0], [0.099922]], rtol=1e-5)


def test_the_first_square_is_positive():
    with pytest.raises(ValueError, match="must be positive"):
        v1.train.AdagradDAOptimizer(0.1, tf.constant(0), 0.0)
