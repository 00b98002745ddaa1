"""Optimizers in the manner of Keras before TensorFlow 2.11, which libraries still subclass."""

import importlib

import numpy as np
import pytest

import gradtape as tf

tf_keras = importlib.import_module("tf_keras" if tf.keras else "")  # after Keras 3


class Momentum(tf_keras.optimizers.legacy.Optimizer):
    """Descent with momentum, in the manner of Keras before TensorFlow 2.11."""

    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, "velocity")

    def _resource_apply_dense(self, grad, var):
        velocity = self.get_slot(var, "velocity")
        var.assign_sub(velocity.assign(0.5 * velocity + grad))

    def _resource_apply_sparse(self, grad, var, indices):
        self._resource_scatter_add(var, indices, -grad)


def test_legacy_optimizers_have_slots():
    x = tf.Variable(8.0)
    momentum = Momentum("momentum")
    for _ in range(2):
        momentum.minimize(lambda: x, [x])
    assert float(x) == 8.0 - 1.0 - 1.5
    assert int(momentum.iterations) == 2
    assert [float(v) for v in momentum.variables()] == [2.0, 1.5]


def test_legacy_optimizers_update_rows():
    table = tf.Variable([[1.0], [2.0], [3.0]])
    Momentum("rows").minimize(lambda: tf.reduce_sum(tf.gather(table, [2, 2])), [table])
    np.testing.assert_array_equal(table, [[1.0], [2.0], [1.0]])


def test_legacy_optimizers_want_a_gradient():
    with pytest.raises(ValueError, match="no gradient"):
        Momentum("none").apply_gradients([(None, tf.Variable(1.0))])
