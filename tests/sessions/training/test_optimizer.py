import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_minimize_counts_the_steps(session):
    v = tf.Variable(1.0, name="v")
    step = v1.train.get_or_create_global_step()
    change = v1.train.GradientDescentOptimizer(0.25).minimize(v * v, step)
    session.run(v1.global_variables_initializer())
    for _ in range(2):
        session.run(change)
    assert session.run([v, step]) == [0.25, 2]
    assert v1.get_collection("train_op") == [change]


def test_gradients_may_be_changed_before_they_are_applied(session):
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = v1.train.MomentumOptimizer(1.0, 0.5)
    pairs = optimizer.compute_gradients(v * 10.0, [v, w])
    assert pairs[1][0] is None
    change = optimizer.apply_gradients([(tf.clip_by_value(g, -1.0, 1.0), x) for g, x in pairs[:1]])
    session.run(v1.global_variables_initializer())
    session.run(change)
    assert session.run([v, optimizer.get_slot(v, "momentum")]) == [0.0, 1.0]
    assert optimizer.get_slot(w, "momentum") is None
    assert optimizer.get_slot_names() == ["momentum"]


def test_the_rate_may_be_fed(session):
    v, rate = tf.Variable(1.0), v1.placeholder(tf.float32, [])
    change = v1.train.GradientDescentOptimizer(rate).minimize(v)
    session.run(v.initializer)
    session.run(change, {rate: 0.5})
    assert session.run(v) == 0.5


def test_constraints(session):
    v = tf.Variable(1.0, constraint=lambda x: tf.maximum(x, 0.75))
    change = v1.train.GradientDescentOptimizer(1.0).minimize(v)
    session.run(v.initializer)
    session.run(change)
    assert session.run(v) == 0.75


def test_where_operations_run_at_once():
    v = tf.Variable([1.0, 2.0])
    optimizer = v1.train.GradientDescentOptimizer(0.5)
    optimizer.minimize(lambda: tf.reduce_sum(v * v), var_list=[v])
    np.testing.assert_array_equal(v.numpy(), [0.0, 0.0])
    with pytest.raises(RuntimeError, match="function"):
        optimizer.minimize(tf.constant(1.0))


def test_what_can_not_be_optimized(session):
    optimizer = v1.train.GradientDescentOptimizer(0.5)
    with pytest.raises(ValueError, match="No variables to optimize"):
        optimizer.minimize(tf.constant(1.0))
    v = tf.Variable(1.0)
    with pytest.raises(ValueError, match="No gradients provided"):
        optimizer.minimize(tf.constant(1.0), var_list=[v])
    with pytest.raises(ValueError, match="No variables provided"):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match="name"):
        v1.train.GradientDescentOptimizer(0.5, name="")
