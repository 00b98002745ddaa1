"""Operators of tensors, variables and other values."""

import operator

import numpy as np
import pytest

import gradtape as tf

ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
COMPARISON = ["lt", "le", "gt", "ge", "eq", "ne"]


@pytest.mark.parametrize("name", ARITHMETIC + COMPARISON)
@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_operators_are_numpys(name, make):
    run, x = getattr(operator, name), np.array([1.5, 2.0, 4.0])
    for other in (2.0, np.array([4.0, 2.0, 0.5]), tf.constant([4.0, 2.0, 0.5], tf.float64)):
        np.testing.assert_array_equal(run(make(x), other), run(x, np.asarray(other)))
    if name in ARITHMETIC:
        np.testing.assert_array_equal(run(3.0, make(x)), run(3.0, x))


def test_bits_and_truth():
    x, y = tf.constant([True, True, False]), tf.constant([True, False, False])
    assert (x & y).numpy().tolist() == [True, False, False]
    assert (x | y).numpy().tolist() == [True, True, False]
    assert (x ^ y).numpy().tolist() == [False, True, False]
    assert (~x).numpy().tolist() == [False, False, True]
    assert (tf.constant(6) & 3, tf.constant(6) | 3, tf.constant(6) ^ 3) == (2, 7, 5)
    assert ~tf.constant(6) == -7


def test_products_of_matrices():
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert (a @ [[1.0], [1.0]]).numpy().tolist() == [[3], [7]]
    assert (np.float32([[1, 1]]) @ a).numpy().tolist() == [[4, 6]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        a @ tf.ones([3, 1])


def test_equality_of_shapes_that_do_not_broadcast_is_one_answer():
    assert bool(tf.zeros([2]) == tf.zeros([3])) is False
    assert bool(tf.zeros([2]) != tf.zeros([3])) is True
    assert (tf.constant(1) == None) is False  # noqa: E711
    assert (tf.constant(1) != None) is True  # noqa: E711


def test_negative_and_absolute_values():
    assert (-tf.Variable([1.0, -2.0])).numpy().tolist() == [-1, 2]
    assert abs(tf.constant([-3, 4])).numpy().tolist() == [3, 4]


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv", "ipow"])
def test_variables_are_not_changed_in_place(name):
    with pytest.raises(RuntimeError, match="assign"):
        getattr(operator, name)(tf.Variable(1.0), 2.0)


def test_rows_of_variables():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert v.sparse_read([1]).numpy().tolist() == [[3, 4]]
    assert v.gather_nd([[0, 1]]).numpy().tolist() == [2]
    assert v[1, 0] == 3.0
