"""Devices: what there is, and where compiled functions run."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

import gradtape as tf


def run(program: str) -> str:
    """Returns the output of a program in a process of its own, in which JAX has not started."""
    text = textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout.strip()


def test_what_is_not_there():
    with tf.device("/GPU:7"):  # soft placement
        assert float(tf.constant(1.0) + 1) == 2
    unknown = pytest.raises(tf.errors.InvalidArgumentError, match=r"All available devices .*CPU:0")
    with unknown, tf.device("/job:worker/task:3/CPU:0"):
        pass
    tf.config.set_soft_device_placement(False)
    try:
        with unknown, tf.device("/GPU:7"):
            pass
    finally:
        tf.config.set_soft_device_placement(True)


def test_looking_for_devices_loads_no_jax():
    run("""
        import sys, gradtape as tf
        assert [d.name for d in tf.config.list_physical_devices()] == ["/physical_device:CPU:0"]
        assert tf.config.list_logical_devices("GPU") == []
        assert "jax" not in sys.modules
    """)


def test_a_gpu_is_available_if_it_is_listed():
    gpus = tf.config.list_logical_devices("GPU")
    assert tf.test.gpu_device_name() == (gpus[0].name if gpus else "")
    assert tf.test.is_gpu_available() == bool(gpus)
    assert not tf.test.is_gpu_available(cuda_only=True, min_cuda_compute_capability=(1000, 0))
    capable = tf.test.is_gpu_available(min_cuda_compute_capability=(3, 0))
    assert capable == tf.test.is_gpu_available(cuda_only=True) == bool(gpus)


@pytest.mark.slow
def test_placement_on_one_of_several_devices():
    pytest.importorskip("jax")
    run("""
        import gradtape as tf
        cpu, = tf.config.list_physical_devices("CPU")
        halves = [tf.config.LogicalDeviceConfiguration()] * 2
        tf.config.set_logical_device_configuration(cpu, halves)
        assert len(tf.config.get_logical_device_configuration(cpu)) == 2
        assert [d.name for d in tf.config.list_logical_devices()] == [
            "/device:CPU:0", "/device:CPU:1"]
        v = tf.Variable(2.0)
        f = tf.function(lambda x: v.assign_add(x), jit_compile=True)
        g = tf.function(lambda a, b: a + b, jit_compile=True)
        with tf.device("CPU:1"):
            there = f(tf.constant(1.0))
        assert there.device.endswith("CPU:1"), there.device
        assert v.numpy() == 3
        assert f(tf.constant(1.0)).device.endswith("CPU:1")  # where its variable lies
        with tf.device("CPU:0"):
            here = g(tf.constant(1.0), tf.constant(1.0))
        assert here.device.endswith("CPU:0")
        assert float(g(here, there)) == 5  # moved to the first one's
        try:
            tf.config.set_logical_device_configuration(cpu, halves * 2)
        except RuntimeError as error:
            assert "after being initialized" in str(error)
        else:
            raise AssertionError
    """)
