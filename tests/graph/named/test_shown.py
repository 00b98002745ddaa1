"""Devices and tensors that the visible graph of a tracer shows."""

import gradtape as tf


def test_tensors_have_the_devices_that_the_program_chose():
    seen = []

    @tf.function
    def f(x):
        seen.append(x.device)
        with tf.device("CPU:0"):
            y = x + 1
        z = y + 1
        seen.extend([y.device, z.device])
        return z

    assert f(tf.constant(1)).device.endswith("device:CPU:0")
    assert seen == ["", "/device:CPU:0", ""]


def test_inputs_of_operations_are_the_arguments_themselves():
    @tf.function
    def f(x):
        y = x + 1
        assert y.op.inputs[0] is x
        assert y.graph.inputs[0] is x
        return y

    assert f(tf.constant(1)) == 2
