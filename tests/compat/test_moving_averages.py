"""Moving averages of variables."""

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
