"""Loops over datasets and iterators become parts of graphs."""

import pytest

import gradtape as tf


def rows(x):
    return tf.data.Dataset.from_tensor_slices(x)


def total(ds):
    out = tf.constant(0.0)
    for v in ds:
        if v > 0:
            out += v
        else:
            out -= 2.0 * v
    return out


def until(ds, most):
    out = tf.constant(0.0)
    for v in ds:
        out += v
        if out > most:
            break
    return out


@pytest.mark.parametrize("values", [[1.0, -2.0, 3.0], [0.5, -1.0] * 10])
def test_a_loop_over_a_data_set(values):
    compiled = tf.function(lambda x: total(rows(x)))
    assert compiled(tf.constant(values)).numpy() == sum(v if v > 0 else -2 * v for v in values)


@pytest.mark.parametrize(("most", "expected"), [(0.0, 1.0), (2.0, 3.0), (100.0, 10.0)])
def test_break_ends_a_loop_over_a_data_set(most, expected):
    compiled = tf.function(lambda x, most: until(rows(x), most))
    assert compiled(tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant(most)).numpy() == expected


def test_a_loop_over_a_numbered_data_set():
    @tf.function
    def f(x):
        out = tf.constant(0.0)
        for i, v in enumerate(rows(x)):
            out += tf.cast(i, tf.float32) * v
        return out, len(rows(x))

    out, n = f(tf.constant([5.0, 6.0, 7.0]))
    assert (out.numpy(), n.numpy()) == (20.0, 3)


@pytest.mark.parametrize(("most", "expected"), [(2.0, 3.0), (100.0, 10.0)])
def test_a_loop_over_an_iterator(most, expected):
    iterator = iter(rows(tf.constant([1.0, 2.0, 3.0, 4.0])))
    compiled = tf.function(lambda most: until(iterator, most))
    assert compiled(tf.constant(most)).numpy() == expected


def first_inside(ds):
    for v in ds:
        y = v
    return y


def none_before(ds):
    y = None
    for v in ds:
        y = v
    return y


def returned(ds):
    for v in ds:
        if v > 1.0:
            return v
    return tf.constant(0.0)


def other_dtype(ds):
    y = tf.constant(0)
    for v in ds:
        y = v
    return y


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (first_inside, ValueError, "'y' must be defined before the loop\n"),
        (none_before, ValueError, "'y' is not allowed to be None before the loop"),
        (returned, NotImplementedError, "a return statement cannot be placed inside this"),
        (other_dtype, TypeError, "'y' has dtype int32 before the loop, but dtype float32 after"),
    ],
)
def test_errors_are_tensorflows(function, kind, message):
    with pytest.raises(kind, match=message):
        tf.function(lambda x: function(rows(x)))(tf.ones(3))
