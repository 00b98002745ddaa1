"""Operands of all kinds, for the comparison of functions of Keras with their replacements."""

import numpy as np

import gradtape as tf

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
    """The dtype and value of a result, or the type of the error."""
    try:
        found = run(*given)
    except Exception as error:  # noqa: BLE001 (any is an answer)
        return type(error)
    return found.dtype.name, np.asarray(found.numpy()).tolist()
