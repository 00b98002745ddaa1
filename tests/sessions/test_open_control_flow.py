import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_a_choice_runs_one_branch(session):
    x = v1.placeholder(tf.float32, [])
    v = tf.Variable(0.0)
    y = tf.cond(x > 0.0, lambda: v.assign_add(x) * 2.0, lambda: v + 100.0)
    session.run(v.initializer)
    assert session.run(y, {x: 3.0}) == 6.0
    assert session.run(v) == 3.0
    assert session.run(y, {x: -1.0}) == 103.0
    assert session.run(v) == 3.0


def test_a_choice_between_operations_is_an_operation(session):
    x = v1.placeholder(tf.bool, [])
    v = tf.Variable(0)
    choice = tf.cond(x, lambda: tf.group(v.assign(1)), lambda: tf.no_op())
    session.run(v.initializer)
    assert session.run(choice, {x: False}) is None
    assert session.run(v) == 0
    session.run(choice, {x: True})
    assert session.run(v) == 1


def test_a_loop_runs_as_often_as_is_fed(session):
    n = v1.placeholder(tf.int32, [])
    total = tf.Variable(0)

    def step(i):
        total.assign_add(i)
        return (i + 1,)

    (last,) = tf.while_loop(lambda i: i < n, step, (tf.constant(0),))
    session.run(total.initializer)
    assert session.run(last, {n: 4}) == 4
    assert session.run(total) == 6


def test_a_loop_has_a_gradient(session):
    x = v1.placeholder(tf.float64, [])
    _, y = tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, tf.ones([], "float64"))
    )
    (slope,) = tf.gradients(y, x)
    assert session.run([y, slope], {x: 2.0}) == [8.0, 12.0]
