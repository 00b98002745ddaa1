"""Devices: what there is, and where compiled functions run."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

import gradtape as tf
from gradtape._src.compute import devices
from gradtape._src.compute.device_spec import DeviceSpec


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


FAKE_GPUS = """
import jax
import gradtape as tf
from gradtape._src.compute import devices
config = tf.config
(cpu,) = config.list_physical_devices("CPU")
config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 3)
there = jax.local_devices()
devices.physical_devices = lambda: {"CPU": there[:1], "GPU": there[1:]}
from gradtape._src.compat import config as own
own.physical_devices = devices.physical_devices
one, two = config.list_physical_devices("GPU")
f = tf.function(lambda x: x + 1.0, jit_compile=True)

def place():
    return f(tf.constant(1.0)).device[-5:]

"""
"""A program in which two logical processors stand for GPUs."""


@pytest.mark.slow
def test_gpus_can_be_hidden():
    pytest.importorskip("jax")
    run(
        FAKE_GPUS
        + textwrap.dedent("""
        assert one.name == "/physical_device:GPU:0"
        assert config.get_visible_devices("GPU") == [one, two]
        config.set_visible_devices(two, "GPU")
        assert config.get_visible_devices("GPU") == [two]
        assert config.list_physical_devices("GPU") == [one, two]
        assert [d.name for d in config.list_logical_devices("GPU")] == ["/device:GPU:0"]
        assert place() == "CPU:2"
        with tf.device("GPU:0"):
            assert place() == "CPU:2"
        strategy = tf.distribute.MirroredStrategy()
        assert strategy.num_replicas_in_sync == 1
        assert strategy.extended.worker_devices[0].endswith("GPU:0")
        config.set_visible_devices([], "GPU")
        assert config.get_visible_devices() == [cpu]
        assert config.list_logical_devices("GPU") == []
        assert place() == "CPU:0"
        with tf.device("GPU:1"):
            assert place() == "CPU:0"
        config.set_visible_devices([cpu, one])
        assert place() == "CPU:1"
        try:
            config.set_visible_devices([], "CPU")
        except RuntimeError as error:
            assert "can't be hidden" in str(error)
        else:
            raise AssertionError
        """)
    )


@pytest.mark.slow
def test_memory_of_gpus():
    pytest.importorskip("jax")
    run(
        FAKE_GPUS
        + textwrap.dedent("""
        experimental = config.experimental
        assert not experimental.get_memory_growth(one)
        assert experimental.get_memory_growth(cpu)
        experimental.set_memory_growth(one, False)
        try:
            experimental.set_memory_growth(one, True)
        except RuntimeError as error:
            assert "cannot be modified after being initialized" in str(error)
        else:
            raise AssertionError
        assert experimental.get_device_details(one) == {"device_name": there[1].device_kind}
        assert experimental.get_memory_info("GPU:1") == {"current": 0, "peak": 0}
        """)
    )


@pytest.mark.slow
def test_a_gpu_is_not_divided():
    pytest.importorskip("jax")
    run(
        FAKE_GPUS
        + textwrap.dedent("""
        configuration = config.LogicalDeviceConfiguration(memory_limit=1024)
        wrong = (tf.errors.UnimplementedError, "divided"), (RuntimeError, "being initialized")
        for count, (kind, words) in zip((2, 1), wrong, strict=True):
            try:
                config.set_logical_device_configuration(one, [configuration] * count)
            except kind as error:
                assert words in str(error)
            else:
                raise AssertionError
        """)
    )


def test_the_processor_is_divided_before_jax_looks_for_other_devices():
    run("""
        import sys
        from gradtape._src.compute import devices
        devices._has_plugins = lambda: True
        import gradtape as tf
        (cpu,) = tf.config.list_physical_devices("CPU")
        halves = [tf.config.LogicalDeviceConfiguration()] * 2
        tf.config.set_logical_device_configuration(cpu, halves)
        assert "jax" not in sys.modules
    """)


@pytest.mark.slow
def test_memory_of_gpus_grows_if_this_is_asked_for_in_time():
    pytest.importorskip("jax")
    run("""
        import os
        os.environ.pop("XLA_PYTHON_CLIENT_PREALLOCATE", None)
        from gradtape._src.compute import devices
        assert not devices.memory_grows()
        devices._has_plugins = lambda: True
        import gradtape as tf
        assert tf.config.list_physical_devices()  # starts JAX, which then reserves no memory
        assert devices.memory_grows() and devices.grow_memory()
    """)


@pytest.mark.slow
def test_a_gpu_without_the_processor(monkeypatch):
    jax = pytest.importorskip("jax")
    gpu = jax.devices()[0]

    def local_devices(backend=None):
        if backend == "cpu":
            raise RuntimeError("Unknown backend cpu")
        return [gpu]

    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    monkeypatch.setattr(jax, "local_devices", local_devices)
    assert devices.jax_devices() == {"CPU": [], "GPU": [gpu]}
    assert devices.jax_device(DeviceSpec(device_type="CPU")) is None
