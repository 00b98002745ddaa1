"""`tf.config`: devices and switches."""

import pytest

import gradtape as tf
from gradtape._src.compat import config as compat_config

config = tf.config


def test_the_processor_is_there():
    cpu = config.list_physical_devices("CPU")
    assert [d.device_type for d in cpu] == ["CPU"]
    assert cpu[0].name == "/physical_device:CPU:0"
    assert "PhysicalDevice(name='/physical_device:CPU:0'" in repr(cpu[0])
    assert config.list_logical_devices("CPU")[0].name == "/device:CPU:0"
    assert config.list_physical_devices("TPU") == []
    assert config.get_visible_devices("CPU") == cpu


def test_a_device_that_is_not_there():
    with pytest.raises(ValueError, match="device"):
        config.set_visible_devices([config.PhysicalDevice("/physical_device:GPU:7", "GPU")])
    with pytest.raises((ValueError, RuntimeError)):
        config.experimental.set_memory_growth(config.list_physical_devices("CPU")[0], enable=True)


def test_threads():
    config.threading.set_intra_op_parallelism_threads(1)
    try:
        assert config.threading.get_intra_op_parallelism_threads() == 1
    finally:
        config.threading.set_intra_op_parallelism_threads(0)


def test_soft_placement():
    assert config.get_soft_device_placement()
    config.set_soft_device_placement(False)
    try:
        assert not config.get_soft_device_placement()
    finally:
        config.set_soft_device_placement(True)


def test_what_always_holds_here():
    assert config.experimental.get_synchronous_execution()
    assert config.experimental.get_device_details(config.list_physical_devices("CPU")[0]) == {}
    assert config.get_logical_device_configuration(config.list_physical_devices("CPU")[0]) is None
    has_gpu = bool(tf.config.list_logical_devices("GPU"))
    assert tf.sysconfig.get_build_info()["is_cuda_build"] is has_gpu


def test_xla_is_off_until_asked_for():
    assert config.optimizer.get_jit() == ""
    config.optimizer.set_jit(False)
    assert config.optimizer.get_jit() == ""


def test_memory_of_devices():
    for name in ("CPU:0", "/device:CPU:0"):
        assert tf.config.experimental.get_memory_info(name) == {"current": 0, "peak": 0}
    assert tf.config.experimental.get_memory_usage("CPU:0") == 0
    for name, message in (("CPU", "Failed parsing"), ("TPU:7", "No matching devices")):
        with pytest.raises(ValueError, match=message):
            tf.config.experimental.get_memory_info(name)
    with pytest.raises(TypeError, match="text"):
        tf.config.experimental.get_memory_info(3)


def test_descriptions_of_devices():
    (cpu,) = compat_config.list_local_devices()
    assert (cpu.name, cpu.device_type) == ("/device:CPU:0", "CPU")
    assert (cpu.memory_limit, cpu.xla_global_id) == (1 << 28, -1)
    assert cpu.incarnation == compat_config.list_local_devices()[0].incarnation > 0
    assert "locality {\n}" in str(cpu)
