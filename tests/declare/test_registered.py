"""Gradients that a program registers."""

import pytest

import gradtape as tf
from gradtape._src.declare.general import REGISTRY
from gradtape._src.declare.registered import gradient_registry


@pytest.fixture
def name():
    """The name of an operation that is declared for the time of a test."""
    yield "NoGradientHere"
    REGISTRY.pop("NoGradientHere", None)


def test_no_gradient(name):
    run = tf.define_op(name)(lambda x: x * 2)
    tf.no_gradient(name)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x)
    assert tape.gradient(y, x) is None


def test_registered_gradients_are_found():
    with pytest.raises(LookupError, match="gradient registry has no entry for: LookedUp"):
        gradient_registry.lookup("LookedUp")

    @tf.RegisterGradient("LookedUp")
    def gradient(op, dy):
        return 2 * dy

    assert gradient_registry.lookup("LookedUp") is gradient
    assert "LookedUp" in gradient_registry.list()
