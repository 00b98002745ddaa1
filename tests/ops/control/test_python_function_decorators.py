"""`py_function` and `numpy_function` as decorators."""

import numpy as np
import pytest

import gradtape as tf


def test_a_decorated_function_is_an_operation_with_a_gradient():
    @tf.py_function(Tout=tf.float32)
    def twice(x):
        return x * 2

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = twice(x)
    assert twice.__name__ == "twice"
    assert y.numpy() == 6.0
    assert tape.gradient(y, x).numpy() == 2.0


def test_a_decorated_function_of_arrays():
    @tf.numpy_function(Tout=[tf.float32, tf.int32])
    def both(x, *, plus):
        assert isinstance(x, np.ndarray)
        return x + np.float32(plus), np.int32(x.size)

    total, size = both(tf.constant([1.0, 2.0]), plus=3)
    assert total.numpy().tolist() == [4.0, 5.0]
    assert size.numpy() == 2


@pytest.mark.parametrize("call", [tf.py_function, tf.numpy_function])
def test_inputs_need_a_function(call):
    with pytest.raises(ValueError, match="`inp` without `func`"):
        call(inp=[1.0], Tout=tf.float32)
