"""Functions of sparse tensors; values are TensorFlow's."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf

X = tf.SparseTensor([[0, 1], [1, 0], [3, 2]], [3.0, 1.0, 2.0], [4, 3])


def parts(x):
    return x.indices.numpy().tolist(), x.values.numpy().tolist(), x.dense_shape.numpy().tolist()


def test_parts():
    assert parts(tf.sparse.eye(2, 3)) == ([[0, 0], [1, 1]], [1, 1], [2, 3])
    assert parts(tf.sparse.slice(X, [1, 0], [3, 2])) == ([[0, 0]], [1], [3, 2])
    first, second = tf.sparse.split(X, 2, 1)
    assert parts(first) == ([[0, 1], [1, 0]], [3, 1], [4, 2])
    assert parts(second) == ([[3, 0]], [2], [4, 1])
    assert parts(tf.sparse.reset_shape(X, [5, 5]))[2] == [5, 5]
    filled, empty = tf.sparse.fill_empty_rows(X, 9.0)
    assert parts(filled)[:2] == ([[0, 1], [1, 0], [2, 0], [3, 2]], [3, 1, 9, 2])
    assert empty.numpy().tolist() == [False, False, True, False]


def test_reductions():
    assert tf.sparse.reduce_max(X, 1).numpy().tolist() == [3, 1, 0, 2]
    assert tf.sparse.reduce_max(X) == 3
    assert tf.sparse.reduce_max(X, 0, keepdims=True).numpy().tolist() == [[1, 3, 2]]
    sparse = tf.sparse.reduce_max(X, 1, output_is_sparse=True)
    assert parts(sparse) == ([[0], [1], [3]], [3, 1, 2], [4])
    below = tf.SparseTensor([[0, 0], [0, 1]], [-1.0, -2.0], [2, 2])
    assert tf.sparse.reduce_max(below, 1).numpy().tolist() == [-1, 0]


def test_gradients_flow_through_the_elements():
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values)
        x = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], values, [2, 2])
        best = tf.sparse.reduce_max(x, 1)
        soft = tf.sparse.softmax(x).values[0]
        cut = tf.sparse.slice(x, [0, 0], [2, 1]).values ** 2
    assert tape.gradient(best, values).numpy().tolist() == [0, 1, 1]
    p = 1 / (1 + np.e)
    close(tape.gradient(soft, values), np.array([p * (1 - p), -p * (1 - p), 0], "f"))
    assert tape.gradient(cut, values).numpy().tolist() == [2, 0, 6]


def test_counts():
    rows = [[1, 2, 2], [0, 1, 1]]
    assert parts(tf.sparse.bincount([1, 2, 2])) == ([[1], [2]], [1, 2], [3])
    places = [[0, 1], [0, 2], [1, 0], [1, 1]]
    assert parts(tf.sparse.bincount(rows, axis=-1)) == (places, [1, 2, 1, 2], [2, 3])
    weights = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert parts(tf.sparse.bincount(rows, weights, axis=-1))[1] == [1, 5, 4, 11]
    once = tf.sparse.bincount(rows, axis=-1, binary_output=True, minlength=5)
    assert parts(once) == (places, [1, 1, 1, 1], [2, 5])
    marks = tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 0], [2, 2]), 4)
    assert marks.numpy().astype(int).tolist() == [[0, 1, 1, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize(("name", "scale"), [("sum", 1), ("mean", 0.5), ("sqrt_n", 0.5**0.5)])
def test_segments(name, scale):
    run = getattr(tf.sparse, f"segment_{name}")
    data = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(data)
        y = run(data, [0, 1, 2, 0], [0, 0, 1, 1])
    close(y, np.array([[4, 6], [6, 8]], "f") * np.float32(scale))
    close(tape.gradient(y, data), np.array([[2, 2], [1, 1], [1, 1]], "f") * np.float32(scale))
    assert run(data, [0, 1], [0, 2], num_segments=4).numpy()[[1, 3]].tolist() == [[0, 0]] * 2


def test_rows_and_samples():
    rows = tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([12, 26, 37]))
    left = tf.sparse.mask(rows, [12, 37])
    assert (left.indices.numpy().tolist(), left.values.numpy().tolist()) == ([26], [[2]])
    a, b = [[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]
    _, values, _ = tf.sparse.sampled_addmm([[0, 0], [1, 1]], [1.0, 2.0], [2, 2], a, b)
    assert values.numpy().tolist() == [2, 6]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.sparse.split(X, 9, 0), tf.errors.InvalidArgumentError, "num_split"),
        (lambda: tf.sparse.reset_shape(X, [2, 2]), ValueError, "new_shape"),
        (lambda: tf.sparse.softmax([1.0]), TypeError, "SparseTensor"),
        (
            lambda: tf.sparse.segment_sum([[1.0]], [5], [0]),
            tf.errors.InvalidArgumentError,
            r"indices\[0\] == 5 out of range",
        ),
        (
            lambda: tf.sparse.segment_sum([[1.0]], [0, 0], [1, 0]),
            tf.errors.InvalidArgumentError,
            "not increasing",
        ),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
