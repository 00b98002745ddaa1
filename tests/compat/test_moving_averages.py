"""Moving averages of variables."""

import numpy as np
import pytest

import gradtape as tf


def test_moving_averages():
    x = tf.Variable([1.0, 2.0], name="x")
    average = tf.train.ExponentialMovingAverage(0.9)
    assert average.average(x) is None
    average.apply([x])
    x.assign([3.0, 4.0])
    average.apply([x])
    assert average.average(x).numpy().tolist() == pytest.approx([1.2, 2.2])
    assert average.average(x).name == "x/ExponentialMovingAverage:0"
    quick = tf.train.ExponentialMovingAverage(0.99, num_updates=3)
    y = tf.Variable(5.0)
    quick.apply([y])
    y.assign(10.0)
    quick.apply([y])
    assert float(quick.average(y)) == pytest.approx(8.461538)
    with pytest.raises(TypeError, match="must be half, float, or double"):
        average.apply([tf.Variable(1)])
    with pytest.raises(TypeError, match="does not support non-Variable tensors"):
        average.apply([tf.constant(1.0)])


def test_averages_in_a_function():
    average, steps = tf.train.ExponentialMovingAverage(0.9, num_updates=tf.Variable(1)), 3
    plain, v, w = tf.train.ExponentialMovingAverage(0.9), tf.Variable(1.0), tf.Variable(1.0)
    for each in (average, plain):
        each.apply([v])

    @tf.function
    def step():
        v.assign_add(1.0)
        for each in (average, plain):
            each.apply([v])

    for _ in range(steps):
        step()
    expected = [1.0, 1.0]
    for k in range(steps):
        for i, decay in enumerate([2 / 11, 0.9]):
            expected[i] -= (1 - decay) * (expected[i] - (k + 2))
    found = [float(each.average(v)) for each in (average, plain)]
    assert found == pytest.approx(expected, rel=1e-6)
    assert average.average(w) is None
    assert "Python" not in step.explain()


@pytest.mark.parametrize("zero_debias", [False, True])
def test_averages_of_tensors(zero_debias):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2], name="x")
        with v1.variable_scope("scope"):
            averages = v1.train.ExponentialMovingAverage(0.9, zero_debias=zero_debias)
            update = averages.apply([x])
        session.run(v1.global_variables_initializer())
        for step in range(3):
            session.run(update, {x: [1.0, step]})
        expected = [1.0, 1.0701107] if zero_debias else [0.271, 0.29]
        np.testing.assert_allclose(session.run(averages.average(x)), expected, rtol=1e-5)
        names = ["scope/x/ExponentialMovingAverage:0"]
        if zero_debias:
            inner = "scope/scope/x/ExponentialMovingAverage"
            names = [f"{inner}/biased:0", f"{inner}/local_step:0", *names]
        assert [v.name for v in v1.global_variables()] == names
        assert v1.moving_average_variables() == []
