"""Two arguments that must have one dtype."""

import operator as op

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.declare.same_dtype import gives_way, operands, pair


@pytest.mark.parametrize(
    ("x", "y", "dtype"),
    [
        (tf.constant(1.0, tf.float64), 2, tf.float64),
        (2, tf.constant(1, tf.int8), tf.int8),
        (tf.Variable(1.0), 2.0, tf.float32),
        (np.float64(1), 2.5, tf.float64),
        ([1, 2], [3, 4], tf.int32),
    ],
)
def test_what_is_no_tensor_takes_the_others_dtype(x, y, dtype):
    a, b = pair(x, y)
    assert (a.dtype, b.dtype) == (dtype, dtype)


def test_the_other_operand_takes_the_dtype_of_a_tensor():
    x = tf.constant(1, tf.int8)
    assert pair(x, 3)[1].dtype is tf.int8
    assert pair(x, np.int8(3))[1].dtype is tf.int8
    with pytest.raises(TypeError):
        pair(x, 1.5)


@pytest.mark.parametrize("shape", [(), (2,)])
@pytest.mark.parametrize("number", [3, 0.5, 0.0, -0.0, 1e30])
def test_numbers_beside_float32_are_float32_of_rank_0(shape, number):
    x = tf.ones(shape)
    for _ in range(2):  # the second time, the number is known
        one, other = pair(x, number), operands(number, x)
        for y in (one[1], other[0]):
            assert (y.dtype, y.shape) == (tf.float32, ())
            assert str(y.numpy()) == str(np.float32(number))
        np.testing.assert_array_equal(x * number, np.ones(shape, "f4") * np.float32(number))
        assert (x * number).dtype is tf.float32


def test_numbers_that_do_not_fit():
    with pytest.raises(TypeError):
        pair(tf.constant(1), 2.5)
    with pytest.raises((TypeError, ValueError)):
        pair(tf.constant(1.0), "a")


def test_operators_leave_it_to_the_right_operand():
    class Other:
        def __radd__(self, other):
            return "mine"

        __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __rmatmul__ = __radd__

    class Number(Other):
        def __array__(self, dtype=None, copy=None):
            return np.array(2.0, dtype)

    for x in (tf.constant(1.0), tf.Variable(1.0)):
        for run in (op.add, op.sub, op.mul, op.truediv, op.pow, op.matmul):
            assert run(x, Other()) == "mine"
        assert x + Number() == 3.0
    with pytest.raises((TypeError, ValueError)):
        tf.constant(1.0) + object()
    assert not gives_way(2.0)
    assert not gives_way(np.ones(2))


def test_operands_of_an_operator():
    a, b = operands(tf.constant(1.0), 2)
    assert (a.dtype, b.dtype) == (tf.float32, tf.float32)
