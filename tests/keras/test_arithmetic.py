"""Arithmetic of Keras gives what Keras itself gives."""

from importlib import import_module
from itertools import product

import pytest
from keras_operands import OPERANDS, outcome

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "divide", "maximum", "minimum", "matmul"]
)
def test_arithmetic_takes_what_keras_takes(name):
    quick = getattr(import_module("keras.src.backend.tensorflow.numpy"), name)
    for x, y in product(OPERANDS, repeat=2):
        given = OPERANDS[x], OPERANDS[y]
        plain = outcome(quick.__wrapped__, *given)
        assert str(outcome(quick, *given)) == str(plain), (name, x, y)
