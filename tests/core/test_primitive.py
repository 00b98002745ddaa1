"""The run of an operation."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core.primitive import Primitive
from gradtape._src.core.recorder import Recorder, replaced
from gradtape._src.declare.general import REGISTRY
from gradtape._src.ops.elementwise.arithmetic import add_p
from gradtape._src.ops.elementwise.trigonometric import sin_p


class Listener(Recorder):
    """Notes the names of the operations that run, and runs them."""

    def __init__(self):
        self.names = []

    def process(self, primitive, inputs, params):
        self.names.append(primitive.name)
        return primitive.kernel(*[x.numpy() for x in inputs], **params)


def test_raw_values_give_raw_values_and_tensors_tensors():
    assert type(sin_p(np.float64(1.0))) is np.float64
    assert type(sin_p(tf.constant(1.0))) is tf.Tensor
    assert type(add_p(np.ones(2), np.ones(2))) is np.ndarray


def test_the_innermost_recorder_is_asked():
    listener = Listener()
    with replaced((listener,)):
        sin_p(tf.constant(1.0))
        add_p(tf.constant(1.0), tf.constant(2.0))
    assert listener.names == ["Sin", "AddV2"]
    sin_p(tf.constant(1.0))
    assert len(listener.names) == 2


def test_a_plan_is_made_once_for_each_set_of_inputs():
    primitive = REGISTRY["Mul"]
    assert primitive.plan(1) is primitive.plan(1)
    assert primitive.plan(1) is not primitive.plan(2)


def test_operations_are_shown_by_name():
    assert "Sin" in repr(REGISTRY["Sin"])
    assert isinstance(REGISTRY["Sin"], Primitive)


def test_numpys_errors_become_tensorflows():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Op:AddV2"):
        add_p(tf.zeros([2]), tf.zeros([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="string"):
        sin_p(tf.constant("a"))


def test_warnings_made_errors_do_not_change_values():
    with np.errstate(all="raise"):  # as programs say that look for errors of their own in NumPy
        assert np.isinf(tf.constant(1.0) / tf.constant(0.0))
        assert np.isnan(tf.math.log(tf.constant(-1.0)))
