"""Tensors of which not even the number of axes is known while a function is traced."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.declare.unknown_sizes import (
    Decisions,
    NeedsRank,
    broadcast_shapes,
    is_unknown,
    joined,
    may_be_equal,
    surely_equal,
)

ANY = tf.TensorSpec(None, tf.float32)


def traced_once(f, *xs, gradients=False):
    """The results for tensors of several shapes, all of one graph."""
    made = tf.function(f, input_signature=[ANY])
    outs = []
    for x in map(tf.constant, xs):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = made(x)
        outs.append(tape.gradient(y, x).numpy().tolist() if gradients else y.numpy().tolist())
    assert made.experimental_get_tracing_count() == 1
    assert "as Python" not in made.explain()
    return outs


XS = (np.float32(2), np.float32([1, 2]), np.float32([[1, 2], [3, 4], [5, 6]]))
"""Of three ranks."""


def test_elementwise_operations():
    assert traced_once(lambda x: tf.exp(x) * 0 + x * 2, *XS) == [(x * 2).tolist() for x in XS]


def test_what_is_known_while_tracing():
    seen = []

    def f(x):
        seen.append((x.shape.rank, tf.shape(x).shape, tf.rank(x).shape, tf.size(x).shape))
        seen.append(
            (tf.reduce_sum(x).shape, tf.reshape(x, [-1]).shape, tf.stack([x, x]).shape.rank)
        )
        return x

    traced_once(f, *XS)
    assert seen == [(None, [None], [], []), ([], [None], None)]


def test_operations_on_axes():
    def f(x):
        return tf.concat([tf.reshape(x, [-1]), tf.reshape(tf.transpose(x), [-1])], 0)[::2]

    found = traced_once(f, *XS)
    assert found == [np.r_[x.ravel(), x.T.ravel()][::2].tolist() for x in XS]


def test_an_index():
    assert traced_once(lambda x: x[0], *XS[1:]) == [1.0, [1.0, 2.0]]
    assert traced_once(lambda x: x[..., -1:], *XS[1:]) == [[2.0], [[2.0], [4.0], [6.0]]]


def test_gradients():
    found = traced_once(lambda x: tf.reduce_sum(x * x + x), *XS, gradients=True)
    assert found == [(2 * x + 1).tolist() for x in XS]


def test_gradients_of_what_was_broadcast():
    w = tf.Variable([1.0, 2.0])

    @tf.function(input_signature=[ANY])
    def f(x):
        return tf.reduce_sum(x * w + w)

    for x in XS:
        with tf.GradientTape() as tape:
            y = f(tf.constant(x))
        expected = np.broadcast_to(x + 1, np.broadcast_shapes(x.shape, (2,))).reshape(-1, 2).sum(0)
        assert np.allclose(tape.gradient(y, w), expected)
    assert f.experimental_get_tracing_count() == 1


def test_gradients_within():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.reshape(x, [-1])[:2] ** 2)
        return tape.gradient(y, x)

    assert traced_once(f, *XS) == [4.0, [2.0, 4.0], [[2.0, 4.0], [0.0, 0.0], [0.0, 0.0]]]


def test_a_choice_between_two_ranks():
    @tf.function
    def f(x, flat):
        y = tf.cond(flat, lambda: tf.reshape(x, [-1]), lambda: x)
        assert y.shape.rank is None
        return y + 1

    x = tf.ones([2, 2])
    assert f(x, tf.constant(True)).shape == [4]
    assert f(x, tf.constant(False)).shape == [2, 2]
    assert f.experimental_get_tracing_count() == 1


def test_a_loop_that_changes_the_rank():
    @tf.function
    def f(x, n):
        return tf.while_loop(
            lambda i, _: i < n,
            lambda i, y: (i + 1, y[tf.newaxis]),
            [0, x],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)],
        )[1]

    assert f(tf.ones([3]), tf.constant(2)).shape == [1, 1, 3]
    assert f(tf.ones([3]), tf.constant(0)).shape == [3]
    assert f.experimental_get_tracing_count() == 1


def test_a_shape_that_the_program_tells():
    def f(x):
        x.set_shape([None, 2])
        assert x.shape.as_list() == [None, 2]
        return x @ tf.ones([2, 1])

    assert traced_once(f, XS[2]) == [[[3.0], [7.0], [11.0]]]
    ensured = tf.function(lambda x: tf.ensure_shape(x, [2]), input_signature=[ANY])
    assert ensured(tf.ones([2])).shape == [2]
    with pytest.raises(tf.errors.InvalidArgumentError):
        ensured(tf.ones([3]))


def test_retracing_is_reduced_to_any_rank():
    shapes = []

    @tf.function(reduce_retracing=True)
    def f(x):
        shapes.append(x.shape.rank)
        return tf.reduce_sum(x)

    for x in (*XS, np.float32([[[7]]])):
        f(tf.constant(x))
    assert shapes == [0, None]


def test_functions_that_call_others():
    inner = tf.function(lambda x: tf.reduce_max(x) - x, input_signature=[ANY])
    assert traced_once(lambda x: inner(x * 2) + 1, *XS[:2]) == [1.0, [3.0, 1.0]]


def test_a_function_of_python_in_a_graph():
    calls = []

    def python(x):
        calls.append(x.numpy().tolist())
        return tf.reduce_sum(x) ** 2

    def f(x):
        y = tf.py_function(python, [x], tf.float32)
        assert y.shape.rank is None
        return y * 2

    assert traced_once(f, *XS[:2]) == [8.0, 18.0]
    assert calls == [2.0, [1.0, 2.0]]
    assert traced_once(f, XS[1], XS[1], gradients=True) == [[12.0, 12.0]] * 2


def test_a_function_of_python_gives_another_dtype():
    f = tf.function(lambda x: tf.numpy_function(lambda a: a.astype("f8"), [x], tf.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
        f(tf.constant(1.0))


def test_a_function_of_python_changes_a_variable():
    v = tf.Variable(1.0)

    def tripled():
        v.assign(v * 3)

    def counted():
        v.assign_add(1)

    @tf.function
    def f():
        v.assign(2.0)
        tf.py_function(tripled, [], [])
        return v + 1

    assert [f().numpy() for _ in range(2)] == [7, 7]

    @tf.function
    def in_a_loop(n):
        for _ in tf.range(n):
            tf.py_function(counted, [], [])
        return v.read_value()

    assert in_a_loop(tf.constant(2)).numpy() == 8


@pytest.mark.parametrize("shape", [None, [None], [None, None]])
def test_variables_whose_shape_may_change(shape):
    rank = 1 if shape is None else len(shape)
    v = tf.Variable(np.ones([2] * rank, "f"), shape=tf.TensorShape(shape))
    seen = []

    @tf.function
    def f(x):
        seen.append(v.read_value().shape.as_list() if shape else v.read_value().shape.rank)
        before = tf.size(v)
        v.assign(tf.concat([v, x], 0))
        return before, tf.reduce_sum(v)

    x = np.ones([2] * rank, "f")
    for n in (1, 2, 3):
        size, total = f(tf.constant(x))
        assert size.numpy() == n * 2**rank
        assert total.numpy() == (n + 1) * 2**rank
    assert seen == [shape]
    with tf.GradientTape() as tape:
        y = tf.function(lambda: tf.reduce_sum(v * v))()
    assert tape.gradient(y, v).numpy().tolist() == (2 * v.numpy()).tolist()


def test_rows_of_a_function_of_python_go_on_in_a_data_set():
    data = tf.data.Dataset.range(3).map(
        lambda x: tf.ensure_shape(tf.numpy_function(np.arange, [x], tf.int64), [None])
    )
    assert data.element_spec.shape.as_list() == [None]
    assert [x.tolist() for x in data.as_numpy_iterator()] == [[], [0], [0, 1]]


def test_what_a_shape_of_unknown_rank_answers():
    decisions = Decisions()
    shape = decisions.new_shape()
    assert is_unknown(shape)
    assert shape.known().rank is None
    assert surely_equal(shape, shape)
    assert not surely_equal(shape, (2,))
    assert may_be_equal((2,), shape)
    assert type(broadcast_shapes((2,), shape)) is type(shape)
    assert type(joined((2,), (2, 2), decisions, 0)) is type(shape)
    for ask in (len, iter, lambda s: s[0], lambda s: s == (2,), lambda s: (*s, 1)):
        with pytest.raises(NeedsRank):
            ask(shape)
