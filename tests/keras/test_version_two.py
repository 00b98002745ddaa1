"""`import tf_keras` gives Keras 3 whose optimizers can do what Keras 2's could."""

import importlib
import subprocess
import sys

import numpy as np
import pytest

import gradtape as tf

tf_keras = importlib.import_module("tf_keras" if tf.keras else "")  # after Keras 3


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "Nadam", "Ftrl", "Lion"])
def test_minimize_does_what_apply_gradients_does(name):
    two, three = getattr(tf_keras.optimizers, name), getattr(tf.keras.optimizers, name)
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    ours, theirs = two(0.1, jit_compile=False), three(0.1)
    for _ in range(3):
        ours.minimize(lambda: tf.reduce_sum(a**2), [a])
        theirs.apply_gradients([(2 * b, b)])
    np.testing.assert_allclose(a, b, rtol=1e-6)
    assert not np.allclose(a, [1.0, 2.0])
    assert isinstance(ours, tf_keras.optimizers.Optimizer)
    assert isinstance(ours, three)


def test_minimize_takes_the_tape_of_a_loss():
    x = tf.Variable(3.0)
    sgd = tf_keras.optimizers.SGD(0.5)
    with tf.GradientTape() as tape:
        loss = x * x
    sgd.minimize(loss, lambda: [x], tape=tape)
    assert float(x) == 0.0
    with pytest.raises(ValueError, match="`tape`"):
        sgd.minimize(loss, [x])


class Halving(tf_keras.optimizers.Optimizer):
    """A subclass that passes its name first, as Keras 2 had it."""

    def __init__(self):
        super().__init__("halving")

    def update_step(self, gradient, variable, learning_rate):
        variable.assign(variable / 2)


def test_an_optimizer_is_subclassed_by_name():
    x = tf.Variable(3.0)
    halving = Halving()
    halving.minimize(lambda: x * x, [x])
    assert float(x) == 1.5
    assert halving.name == "halving"


PROGRAM = """
import gradtape
gradtape.install()
import tf_keras, tf_keras.layers, keras
from tf_keras.optimizers import Adam
assert tf_keras.layers.Dense is keras.layers.Dense and tf_keras.Model is keras.Model
assert issubclass(Adam, tf_keras.optimizers.Optimizer)
try:
    import tf_keras.estimator
except ModuleNotFoundError as error:
    assert "Keras 3" in str(error)
else:
    raise AssertionError
"""


@pytest.mark.slow
def test_the_name_is_imported_after_install():
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=300)
