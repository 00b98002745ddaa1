"""Arithmetic of Keras gives what Keras itself gives."""

from importlib import import_module
from itertools import product

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

OPERANDS = {
    "tensor": tf.constant([1.5, 2.0]),
    "double": tf.constant([1.5, 2.0], tf.float64),
    "half": tf.constant([1.5, 2.0], tf.bfloat16),
    "integers": tf.constant([1, 2]),
    "truths": tf.constant([True, False]),
    "variable": tf.Variable([1.5, 2.0]),
    "matrix": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
    "list": [1.0, 2.0],
    "array": np.array([1.0, 2.0]),
    "number": 2.0,
    "int": 2,
    "huge": 1e300,
    "bool": True,
    "none": None,
    "text": "a",
    "imaginary": 1j,
}


def outcome(run, *given):
    try:
        found = run(*given)
    except Exception as error:  # noqa: BLE001 (any is an answer)
        return type(error)
    return found.dtype.name, np.asarray(found.numpy()).tolist()


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "divide", "maximum", "minimum", "matmul"]
)
def test_arithmetic_takes_what_keras_takes(name):
    quick = getattr(import_module("keras.src.backend.tensorflow.numpy"), name)
    for x, y in product(OPERANDS, repeat=2):
        given = OPERANDS[x], OPERANDS[y]
        plain = outcome(quick.__wrapped__, *given)
        assert str(outcome(quick, *given)) == str(plain), (name, x, y)
