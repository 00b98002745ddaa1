"""Steps of optimizers as raw operations; the numbers are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

R = tf.raw_ops
G = np.array([0.5, -1.0], np.float32)


def test_a_step_takes_handles_and_changes_every_variable():
    v, m, s = (tf.Variable([1.0 + i, 2.0 - 0.3 * i]) for i in range(3))
    rates = {"beta1_power": 0.9, "beta2_power": 0.99, "lr": 0.1, "beta1": 0.9, "beta2": 0.99}
    handles = {"var": v.handle, "m": m.handle, "v": s.handle}
    assert R.ResourceApplyAdam(**handles, **rates, epsilon=1e-3, grad=G) is None
    np.testing.assert_allclose(v, [0.89276, 1.879072], rtol=1e-5)
    np.testing.assert_allclose(m, [1.85, 1.43], rtol=1e-5)
    np.testing.assert_allclose(s, [2.9725, 1.396], rtol=1e-5)


def test_a_step_without_slots_in_a_function():
    v = tf.Variable([1.0, 2.0], dtype=tf.float64)

    @tf.function
    def step(rate):
        R.ResourceApplyGradientDescent(var=v.handle, alpha=rate, delta=tf.cast(G, tf.float64))

    step(tf.constant(0.1, tf.float64))
    np.testing.assert_allclose(v, [0.95, 2.1], rtol=1e-6)


def test_steps_of_rows_leave_the_others():
    v, speed = tf.Variable(tf.ones([3, 2])), tf.Variable(tf.ones([3, 2]))
    R.ResourceSparseApplyMomentum(
        var=v.handle, accum=speed.handle, lr=0.1, grad=[G], indices=[1], momentum=0.9
    )
    np.testing.assert_allclose(v, [[1, 1], [0.86, 1.01], [1, 1]], rtol=1e-6)
    np.testing.assert_allclose(speed, [[1, 1], [1.4, -0.1], [1, 1]], rtol=1e-6)


def test_a_tensor_is_no_handle():
    with pytest.raises(tf.errors.InvalidArgumentError, match="handle is needed"):
        R.ResourceApplyGradientDescent(var=tf.constant(G), alpha=0.1, delta=G)
    with pytest.raises(TypeError, match="missing required argument 'delta'"):
        R.ResourceApplyGradientDescent(var=tf.Variable(G).handle, alpha=0.1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"grad": np.float32(1)},
        {"grad": np.ones((1, 2), "f")},
        {"lr": np.ones(1, "f")},
        {"momentum": np.ones(2, "f")},
        {"accum": tf.Variable([1.0]).handle},
    ],
)
def test_shapes_that_do_not_fit_are_refused(wrong):
    v, accum = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])
    given = {"var": v.handle, "accum": accum.handle, "lr": 0.5, "grad": G, "momentum": 0.5}
    with pytest.raises(tf.errors.InvalidArgumentError):
        R.ResourceApplyMomentum(**{**given, **wrong})
    rows = {**given, "grad": G[:1], "indices": [1]}
    if wrong.keys() & {"grad", "lr", "momentum"}:
        with pytest.raises(tf.errors.InvalidArgumentError):
            R.ResourceSparseApplyMomentum(**{**rows, **wrong})
    assert v.numpy().tolist() == [1, 2]
    R.ResourceSparseApplyMomentum(**rows)
    np.testing.assert_allclose(v, [1, 1.75])
