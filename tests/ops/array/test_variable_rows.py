"""Changes of rows and places of variables; values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("add", [10, 2, -6, 4]),
        ("sub", [-8, 2, 12, 4]),
        ("update", [9, 2, -9, 4]),
        ("max", [9, 2, 3, 4]),
        ("min", [1, 2, -9, 4]),
    ],
)
def test_rows_and_places(name, expected):
    start, updates = [1.0, 2.0, 3.0, 4.0], [9.0, -9.0]
    v = tf.Variable(start)
    getattr(v, f"scatter_nd_{name}")([[0], [2]], updates)
    assert v.numpy().tolist() == expected
    for run, indices in ((f"scatter_{name}", [0, 2]), (f"scatter_nd_{name}", [[0], [2]])):
        if hasattr(tf.compat.v1, run):
            v = tf.Variable(start)
            getattr(tf.compat.v1, run)(v, indices, updates)
            assert v.numpy().tolist() == expected


def test_batches():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v.batch_scatter_update(tf.IndexedSlices(tf.constant([[9.0], [8.0]]), tf.constant([[0], [1]])))
    assert v.numpy().tolist() == [[9, 2], [3, 8]]


def test_errors():
    with pytest.raises(TypeError, match="must be a variable"):
        tf.compat.v1.scatter_add(tf.constant([1.0]), [0], [1.0])


@pytest.mark.parametrize("jit", [None, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["scatter_sub", "scatter_update", "scatter_max", "scatter_mul"])
def test_functions_change_rows_without_running_as_python(name, jit):
    if jit:
        pytest.importorskip("jax")
    v, expected = tf.Variable(tf.ones([4, 2])), tf.Variable(tf.ones([4, 2]))

    @tf.function(jit_compile=jit)
    def step(values, rows):
        getattr(v, name)(tf.IndexedSlices(values, rows))
        return v * 2.0

    for k in range(3):
        values, rows = tf.fill([2, 2], 3.0 + k), tf.constant([3, k])
        out = step(values, rows)
        getattr(expected, name)(tf.IndexedSlices(values, rows))
        assert v.numpy().tolist() == expected.numpy().tolist()
        assert out.numpy().tolist() == (expected * 2.0).numpy().tolist()
    assert "as Python" not in step.explain()


def test_functions_change_rows_in_place():
    v = tf.Variable(np.ones([5000, 4], np.float32))

    @tf.function
    def step(rows):
        taken = tf.gather(v, rows)
        v.scatter_nd_sub(rows[:, None], taken)
        return taken

    rows = tf.constant([1, 7])
    for _ in range(3):
        step(rows)  # which gives the variable memory of its own
    before = v._buffer.writable().ctypes.data
    step(rows)
    assert v._buffer.writable().ctypes.data == before
    assert v.numpy().sum() == 4998 * 4


def test_what_was_read_before_a_change_stays_as_it_was():
    v = tf.Variable(tf.zeros([3]))

    @tf.function
    def step():
        before = v.read_value()
        v.scatter_nd_add([[1]], [1.0])
        between = v.read_value()
        v.scatter_nd_add([[2]], [1.0])
        return before, between, v.read_value()

    for k in range(3):
        found = [x.numpy().tolist() for x in step()]
        assert found == [[0, k, k], [0, k + 1, k], [0, k + 1, k + 1]]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v, i: v.scatter_add(tf.IndexedSlices(tf.ones([1, 2]), i)), r"5 is not in \[0, 5\)"),
        (
            lambda v, i: v.scatter_nd_update(tf.stack([i - 5, i - 3], 1), [1.0]),
            r"indices\[0\] = \[0, 2\] does not index into shape \[5, 2\]",
        ),
        (
            lambda v, i: v.scatter_nd_max(tf.stack([i - 6, i - 5], 1), [1.0]),
            r"\[-1, 0\] does not index",
        ),
    ],
)
def test_places_outside_of_the_variable(change, message, traced):
    v = tf.Variable(tf.zeros([5, 2]))
    run = tf.function(lambda i: change(v, i)) if traced else lambda i: change(v, i)
    for _ in range(3 if traced else 1):  # interpreted, and as a program
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            run(tf.constant([5]))
    assert v.numpy().tolist() == [[0, 0]] * 5


def test_updates_have_the_shape_of_the_rows():
    variable = tf.Variable(tf.zeros((2, 3)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"updates\.shape"):
        variable.scatter_add(tf.IndexedSlices(tf.ones((2, 2)), [0, 1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"updates\.shape"):
        variable.scatter_nd_add([[0], [1]], tf.ones(3))
    variable.scatter_add(tf.IndexedSlices(tf.constant(1.0), [0, 1]))
    assert variable.numpy().tolist() == [[1.0] * 3] * 2


def test_updates_of_older_functions_take_the_dtype_of_the_variable():
    v = tf.Variable([1.0, 2.0, 3.0])
    changed = tf.compat.v1.scatter_update(v, [0], [5])
    assert changed.op is None
    tf.compat.v1.scatter_add(v, 1, np.float64(0.5))
    assert v.numpy().tolist() == [5, 2.5, 3]
