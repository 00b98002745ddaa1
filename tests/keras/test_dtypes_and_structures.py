"""Conversions of Keras give what Keras itself gives."""

from importlib import import_module
from itertools import product

import pytest
from keras_operands import OPERANDS, outcome

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["convert_to_tensor", "cast"])
def test_conversions_take_what_keras_takes(name):
    quick = getattr(import_module("keras.src.backend.tensorflow.core"), name)
    for x, dtype in product(OPERANDS.values(), ["float32", "float64", "int32", None, "a"]):
        assert str(outcome(quick, x, dtype)) == str(outcome(quick.__wrapped__, x, dtype)), (
            x,
            dtype,
        )
