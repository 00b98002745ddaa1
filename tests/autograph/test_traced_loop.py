"""Loops that are traced once."""

import pytest
from autograph_checks import agree, jit

import gradtape as tf


def test_python_objects_pass_through_a_loop():
    def f(x):
        mode, scale = tf.sin, None
        for v in x:
            mode = mode
            if scale is not None:
                scale = scale
            total = mode(v)
        return total

    agree(f, ([0.1 * i for i in range(20)],))


def test_an_object_that_changes_in_a_loop_is_an_error():
    @jit
    def f(n):
        mode = tf.sin
        while n > 0:
            mode = tf.cos if mode is tf.sin else tf.sin
            n -= 1
        return mode(1.0)

    with pytest.raises(TypeError, match=r"'mode' is .*sin.* before the loop and .*cos.* after one"):
        f(tf.constant(3))


def test_numbers_take_the_dtype_of_the_loop():
    @jit
    def f(n):
        y = tf.constant(0.0, tf.float64)
        while n > 0:
            y = 1.5
            n -= 1
        return y

    assert f(tf.constant(3)).dtype == tf.float64


def test_a_discarded_trace_changes_no_variable():
    v = tf.Variable(0)

    @jit
    def f(n):
        while n > 0:
            last = v.assign_add(1) + 0
            n -= 1
        return last

    assert f(tf.constant(3)).numpy() == 3
    assert v.numpy() == 3


def test_an_array_of_which_nothing_is_known_before():
    def f(x):
        found = tf.TensorArray(tf.float32, size=20)
        kept = tf.TensorArray(tf.float32, size=20, element_shape=[])
        for i in tf.range(20):
            found = found.write(i, tf.stack([x[i], x[i] * x[i]]))
        return found.stack(), kept.stack()

    agree(f, ([0.1 * i for i in range(20)],))


def test_an_array_to_which_nothing_is_written():
    @jit
    def f(x):
        found = tf.TensorArray(tf.float32, size=20)
        for v in x:
            found = found.identity()
            x += v
        return x

    assert f(tf.ones(20)).numpy().tolist() == [21.0] * 20


CHANGES = {
    "a ragged tensor instead of a tensor": (
        lambda: tf.ones([2, 2]),
        lambda: tf.ragged.constant([[1.0]]),
    ),
    "a tensor instead of a ragged tensor": (
        lambda: tf.ragged.constant([[1.0]]),
        lambda: tf.ones([2, 2]),
    ),
    "no ragged tensor": (lambda: tf.ragged.constant([[1.0]]), lambda: None),
    "an array instead of a ragged tensor": (
        lambda: tf.ragged.constant([[1.0]]),
        lambda: tf.TensorArray(tf.float32, 2),
    ),
    "an object": (lambda: tf.ones([2, 2]), object),
    "a list": (
        lambda: tf.constant(1.0),
        lambda: tf.raw_ops.TensorListReserve(
            element_shape=tf.constant([], tf.int32), num_elements=2, element_dtype=tf.float32
        ),
    ),
}


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("what", CHANGES)
def test_another_kind_of_value_after_an_iteration(what, counts):
    first, after = CHANGES[what]

    @tf.function
    def f(n):
        x, i = first(), 0
        if counts:
            for i in tf.range(n):
                x = after()
        else:
            while i < n:
                x, i = after(), i + 1
        return i, x

    with pytest.raises(TypeError):
        f(tf.constant(20))
