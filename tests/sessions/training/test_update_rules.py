"""The numbers are what TensorFlow 2.21 gives for the same program."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1

T = v1.train
CASES = {
    "sgd": (lambda: T.GradientDescentOptimizer(0.1), [0.074, -0.0141], [0.0864, 0.1296]),
    "momentum": (lambda: T.MomentumOptimizer(0.1, 0.9), [-0.8407, -1.771], [-0.54, -0.81]),
    "nesterov": (
        lambda: T.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        [-0.3996, -0.2347],
        [-0.2334, -0.3501],
    ),
    "adam": (lambda: T.AdamOptimizer(0.1), [0.6028, 1.602], [0.2743, 0.6039]),
    "adagrad": (lambda: T.AdagradOptimizer(0.1), [0.7339, 1.7304], [0.4123, 0.7367]),
    "rmsprop": (lambda: T.RMSPropOptimizer(0.1, momentum=0.5), [-0.1215, 0.7431], [-0.075, 0.0305]),
    "centered": (
        lambda: T.RMSPropOptimizer(0.1, centered=True),
        [0.215, 1.1118],
        [0.1366, 0.3136],
    ),
    "adadelta": (
        lambda: T.AdadeltaOptimizer(1.0, epsilon=1e-3),
        [0.4826, 1.4707],
        [0.2167, 0.5054],
    ),
    "ftrl": (
        lambda: T.FtrlOptimizer(
            0.1, l1_regularization_strength=0.1, l2_regularization_strength=0.2
        ),
        [0.6666, 1.6739],
        [0.3385, 0.6565],
    ),
    "shrunk": (
        lambda: T.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.1),
        [0.6642, 1.6714],
        [0.3355, 0.6532],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_four_steps(name):
    make, weights, row = CASES[name]
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2])
        w = tf.Variable([[1.0], [2.0]])
        e = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2) / 3)
        b = tf.Variable(0.5, constraint=lambda z: tf.maximum(z, 0.3))
        loss = tf.reduce_mean(tf.square(x @ w + b))
        loss += tf.reduce_sum(tf.square(tf.nn.embedding_lookup(e, [1, 3, 1])))
        change = make().minimize(loss)
        session.run(v1.global_variables_initializer())
        for _ in range(4):
            session.run(change, {x: [[1.0, 2.0], [0.5, -1.0]]})
        found, table, bias = session.run([w, e, b])
    np.testing.assert_allclose(found[:, 0], weights, atol=1e-4)
    np.testing.assert_allclose(table[1], row, atol=1e-4)
    np.testing.assert_array_equal(table[0], np.float32([0, 1]) / np.float32(3))
    assert bias == np.float32(0.3)


def test_sums_begin_with_a_positive_number():
    with pytest.raises(ValueError, match="positive"):
        T.AdagradOptimizer(0.1, 0.0)


def test_ftrl_with_a_smaller_first_step():
    """The values are those of TensorFlow 2.21."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.get_variable("x", initializer=[1.0, -2.0])
        loss = tf.reduce_sum(x * x * [1.0, 3.0])
        step = v1.train.FtrlOptimizer(0.1, beta=0.5).minimize(loss)
        session.run(v1.global_variables_initializer())
        for _ in range(3):
            session.run(step)
        np.testing.assert_allclose(session.run(x), [0.5197574, -1.6566669], rtol=1e-5)


@pytest.mark.parametrize(
    ("own", "names"),
    [
        (False, ["s/beta1_power:0", "s/beta2_power:0", "s/s/v/Adam:0", "s/s/v/Adam_1:0"]),
        (True, ["s/Adam/beta1_power:0", "s/Adam/beta2_power:0", "s/s/v/Adam:0", "s/s/v/Adam_1:0"]),
    ],
)
def test_names_of_the_state_in_scopes(own, names):
    with tf.Graph().as_default(), tf.compat.v1.variable_scope("s"):
        v = tf.compat.v1.get_variable("v", initializer=1.0)
        adam = tf.compat.v1.train.AdamOptimizer(use_own_namescope_for_non_slot_vars=own)
        adam.minimize(v * v)
        assert sorted(x.name for x in adam.variables()) == names


@pytest.mark.parametrize("name", ["Adam", "Momentum", "RMSProp", "Adagrad", "Adadelta", "Ftrl"])
def test_state_begins_without_what_updates_wait_for(name):
    make = getattr(v1.train, f"{name}Optimizer")
    with tf.Graph().as_default(), v1.Session() as session:
        v, count = v1.get_variable("v", initializer=1.0), v1.get_variable("n", initializer=0)
        session.run([v.initializer, count.initializer])
        with tf.control_dependencies([count.assign_add(1)]):
            make(0.1, 0.9).minimize(v * v, var_list=[v])
            averages = v1.train.ExponentialMovingAverage(0.9)
            averages.apply([v, v * 2.0])
        known = [v.name, count.name]
        session.run([x.initializer for x in v1.global_variables() if x.name not in known])
        assert session.run(count) == 0
