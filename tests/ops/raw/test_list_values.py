"""Lists of tensors in handles, loops, branches, functions and sessions."""

import pytest
from raw_lists import (
    F,
    M,
    R,
    W,
    empty,
    get,
    length,
    pop,
    push,
    put,
    reserve,
    resize,
    rows_of,
    stack,
)

import gradtape as tf


def test_a_change_gives_another_list():
    first = reserve()
    put(first, 1, [3.0, 4.0])
    push(first, [3.0, 4.0])
    pop(first)
    resize(first, 7)
    assert stack(first).numpy().tolist() == [[0, 0], [0, 0], [0, 0]]
    assert (first.dtype, first.shape, length(first)) == (tf.variant, [], 3)
    assert str(first) == "tf.Tensor(<TensorList>, shape=(), dtype=variant)"


def test_values_that_are_no_lists():
    with pytest.raises(ValueError, match="requested dtype variant for Tensor with dtype float32"):
        length(M)
    with pytest.raises(TypeError, match="Cannot convert 3 to EagerTensor of dtype variant"):
        length(3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a list"):
        length(tf.stack([empty(), empty()]))


def set_in_a_loop(x):
    handle = reserve()
    for i in tf.range(3):
        handle = put(handle, i, x[i] * 2.0)
    return stack(handle)


def set_by_while_loop(x):
    def body(i, handle):
        return i + 1, put(handle, i, x[i] * 2.0)

    return stack(tf.while_loop(lambda i, _: i < 3, body, [0, reserve()])[1])


@pytest.mark.parametrize("options", [{}, {"jit_compile": True}])
@pytest.mark.parametrize("compute", [set_in_a_loop, set_by_while_loop])
def test_loops_of_functions_carry_lists(compute, options):
    compiled = tf.function(compute, **options)
    with tf.GradientTape() as tape:
        tape.watch(M)
        y = W * compiled(M)
    assert (y / W).numpy().tolist() == [[2, 4], [6, 8], [10, 12]]
    assert tape.gradient(y, M).numpy().tolist() == (2 * W).numpy().tolist()


def test_lists_grow_and_shrink_in_loops_of_functions():
    @tf.function
    def f(x, n):
        handle = empty([])
        for i in tf.range(n):
            handle = push(handle, x * tf.cast(i, F))
        handle, last = pop(handle, [])
        return stack(handle, []), last, R.TensorListLength(input_handle=handle)

    with tf.GradientTape() as tape:
        x = tf.constant(3.0)
        tape.watch(x)
        rows, last, count = f(x, tf.constant(4))
    assert (rows.numpy().tolist(), last.numpy(), count.numpy()) == ([0, 3, 6], 9, 3)
    assert tape.gradient([rows, last], x).numpy() == 6


def test_branches_of_functions_return_lists():
    @tf.function
    def f(x, flag):
        handle = rows_of(x)
        if flag:
            handle = put(handle, 0, x[1] * 3.0)
        return stack(handle)

    for flag, first in ((True, [9, 12]), (False, [1, 2])):
        assert f(M, tf.constant(flag)).numpy().tolist() == [first, [3, 4], [5, 6]]


def test_lists_are_arguments_and_results_of_functions():
    double = tf.function(lambda handle, i: get(handle, i) * 2.0)
    rows = tf.function(lambda x: rows_of(x * x))
    with tf.GradientTape() as tape:
        tape.watch(M)
        y = double(rows(M), 1)
    assert y.numpy().tolist() == [18, 32]
    assert tape.gradient(y, M).numpy().tolist() == [[0, 0], [12, 16], [0, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="a list of tensors that leaves"):
        tf.function(lambda x: rows_of(x * x), jit_compile=True)(M)


def test_lists_in_sessions():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(F, [3, 2])
        y = stack(put(rows_of(x), 1, x[0] * 5.0))
        (dx,) = tf.gradients(W * y, x)
        found, slope = session.run([y, dx], {x: M.numpy()})
    assert found.tolist() == [[1, 2], [5, 10], [5, 6]]
    assert slope.tolist() == [[501, 5010], [0, 0], [7, 9]]
