"""The devices of a compiled program's inputs, and the message when a run fails."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("jax")

import jax

import gradtape as tf
from gradtape._src.xla.placement import common_device, lost, moved, rerun


def program_of(*written):
    return SimpleNamespace(written=written, state=list(written), keys=[], x64=False)


def test_inputs_are_moved_and_stay_where_they_were_moved():
    device, x, v = jax.devices()[0], tf.constant([1.0]), tf.Variable([2.0])
    there = moved([v._value, x._value], program_of(v), [x], device)
    assert all(array.devices() == {device} for array in there)
    assert common_device([np.ones(1), there[1]]) is device
    assert x._device is there[1]
    assert v.numpy().tolist() == [2.0]


def test_a_run_that_took_a_variables_memory_names_it():
    v = tf.Variable([1.0], name="weights")
    program = program_of(v)
    (array,) = moved([v._value], program, [], jax.devices()[0])
    cause = RuntimeError("out of memory")
    assert lost(program, cause) is None
    with pytest.raises(RuntimeError, match="out of memory"):
        rerun(program, [array], [], cause)
    array.delete()
    with pytest.raises(tf.errors.DataLossError, match=r"weights.*restore a checkpoint") as caught:
        rerun(program, [array], [], cause)
    assert caught.value.__cause__ is cause


def test_inputs_on_several_devices_are_put_on_the_first_one():
    seen = []

    def run(*values):
        seen.extend(values)
        return [values[0] + values[1]]

    program = program_of()
    program.run = run
    x, y = tf.constant([1.0]), tf.constant([2.0])
    placed = jax.device_put(x._value, jax.devices()[0])
    error = ValueError("Received incompatible devices for jitted computation")
    (total,) = rerun(program, [placed, y._value], [x, y], error)
    assert np.asarray(total).tolist() == [3.0]
    assert all(isinstance(value, jax.Array) for value in seen)
