"""Conversions of Keras give what Keras itself gives."""

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


@pytest.mark.parametrize("name", ["convert_to_tensor", "cast"])
def test_conversions_take_what_keras_takes(name):
    quick = getattr(import_module("keras.src.backend.tensorflow.core"), name)
    for x, dtype in product(OPERANDS.values(), ["float32", "float64", "int32", None, "a"]):
        assert str(outcome(quick, x, dtype)) == str(outcome(quick.__wrapped__, x, dtype)), (
            x,
            dtype,
        )
