"""Names of devices."""

from __future__ import annotations

import pytest

import gradtape as tf


def test_the_names_of_devices():
    spec = tf.DeviceSpec.from_string("/job:w/replica:0/task:1/device:GPU:2")
    assert spec == tf.DeviceSpec("w", 0, 1, "gpu", 2)
    assert spec.replace(device_type="CPU").to_string() == "/job:w/replica:0/task:1/device:CPU:2"
    assert spec.make_merged_spec(tf.DeviceSpec(job="z")).job == "z"
    assert tf.DeviceSpec.from_string("cpu:0").to_string() == "/device:CPU:0"
    assert tf.DeviceSpec.from_string("/device:CPU:*").device_index is None
    with pytest.raises(ValueError, match="Unknown attribute 'what'"):
        tf.DeviceSpec.from_string("/what:3")


def test_the_parts_of_tensorflow_1_can_be_set():
    spec = tf.compat.v1.DeviceSpec(job="a", device_type="gpu", device_index=0)
    spec.job, spec.task = "b", "1"
    spec.merge_from(tf.DeviceSpec(replica=3))
    assert spec.to_string() == "/job:b/replica:3/task:1/device:GPU:0"
    assert spec.parse_from_string("/job:c/cpu:2") is spec
    assert (spec.job, spec.task, spec.device_type, spec.device_index) == ("c", None, "CPU", 2)
    with pytest.raises(AttributeError, match="no attribute 'host'"):
        spec.host = 1
