"""Scopes of devices and of initial values."""

import pytest

import gradtape as tf


@pytest.mark.parametrize(
    "name", ["/CPU:0", "cpu:0", "GPU:0", "/job:localhost/replica:0/task:0/device:CPU:0", None]
)
def test_device_scopes(name):
    with tf.device(name):
        assert tf.constant(1.0).device.endswith("CPU:0")


def test_a_name_of_no_device():
    with pytest.raises(ValueError, match="Unknown attribute"):
        tf.device("the big one")


def test_an_init_scope_is_recorded_by_no_tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape, tf.control_dependencies([x]):
        with tf.init_scope():
            y = x * 3.0
        z = x * y
    assert float(tape.gradient(z, x)) == 6
