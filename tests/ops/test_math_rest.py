"""Less common functions of math, sets and the root; values are TensorFlow's."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf


def test_best():
    x = tf.constant([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])
    values, places = tf.math.approx_max_k(x, 2)
    assert values.numpy().tolist() == [[5, 3], [6, 4]]
    assert places.numpy().tolist() == [[1, 2], [2, 0]]
    assert tf.math.approx_min_k(x, 1, reduction_dimension=0).indices.numpy().tolist() == [[0, 1, 0]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.approx_min_k(x, 1).values ** 2
    assert tape.gradient(y, x).numpy().tolist() == [[2, 0, 0], [0, 4, 0]]


def test_confusion():
    got = tf.math.confusion_matrix([1, 2, 4], [2, 2, 4])
    assert got.dtype is tf.int32
    assert np.argwhere(got).tolist() == [[1, 2], [2, 2], [4, 4]]
    got = tf.math.confusion_matrix([1, 2, 2], [2, 2, 2], 4, [0.5, 1, 2], tf.float32)
    assert (got.shape, got[1, 2], got[2, 2]) == ((4, 4), 0.5, 3)


@pytest.mark.parametrize(
    ("x", "rises", "strictly"),
    [([1, 1, 2], True, False), ([1, 2], True, True), ([2, 1], False, False), ([], True, True)],
)
def test_order(x, rises, strictly):
    assert tf.math.is_non_decreasing(x) == rises
    assert tf.math.is_strictly_increasing(x) == strictly


def test_polynomials():
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.polyval([2.0, 4.0, 3.0], x)
    assert y.numpy().tolist() == [33, 51]
    assert tape.gradient(y, x).numpy().tolist() == [16, 20]
    assert tf.math.polyval([], 2.0) == 0


def test_even_points():
    want = [[0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75], [0.375, 0.375, 0.625]]
    assert tf.math.sobol_sample(3, 4).numpy().tolist() == want
    assert tf.math.sobol_sample(3, 2, skip=2, dtype=tf.float64).numpy().tolist() == want[2:]


def test_places():
    assert tf.unravel_index([2, 5, 7], (3, 3)).numpy().tolist() == [[0, 1, 2], [2, 2, 1]]
    assert tf.unravel_index(7, (3, 3)).numpy().tolist() == [2, 1]


def test_edit_distance():
    made = tf.SparseTensor([[0, 0, 0], [0, 1, 0], [0, 1, 1]], ["a", "b", "c"], [1, 2, 2])
    true = tf.SparseTensor([[0, 0, 0], [0, 0, 1], [0, 1, 0]], ["a", "c", "b"], [1, 2, 2])
    assert tf.edit_distance(made, true).numpy().tolist() == [[0.5, 1]]
    assert tf.edit_distance(made, true, normalize=False).numpy().tolist() == [[1, 1]]
    made = tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [3, 1])
    true = tf.SparseTensor([[0, 0]], [2], [3, 1])
    assert tf.edit_distance(made, true).numpy().tolist() == [1, np.inf, 0]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_volume_patches(padding):
    x = np.random.default_rng(0).normal(size=(1, 1, 5, 6, 2))
    got = tf.extract_volume_patches(x, [1, 1, 2, 3, 1], [1, 1, 2, 2, 1], padding)
    want = tf.image.extract_patches(x[:, 0], [1, 2, 3, 1], [1, 2, 2, 1], [1] * 4, padding)
    close(got[:, 0], want)


def test_names():
    assert tf.get_current_name_scope() == ""
    with tf.name_scope("a"), tf.name_scope("b"):
        assert tf.get_current_name_scope() == "a/b"


def test_no_gradient():
    run = tf.define_op("NoGradientHere")(lambda x: x * 2)
    tf.no_gradient("NoGradientHere")
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x)
    assert tape.gradient(y, x) is None


def rows(x):
    return x.indices.numpy().tolist(), x.values.numpy().tolist(), x.dense_shape.numpy().tolist()


A, B = np.array([[1, 2, 1], [4, 5, 6]]), np.array([[1, 3], [5, 4]])


@pytest.mark.parametrize("left", [A, tf.sparse.from_dense(A)], ids=["dense", "sparse"])
@pytest.mark.parametrize("right", [B, tf.sparse.from_dense(B)], ids=["dense", "sparse"])
def test_sets(left, right):
    both = tf.sets.intersection(left, right)
    assert rows(both) == ([[0, 0], [1, 0], [1, 1]], [1, 4, 5], [2, 2])
    assert rows(tf.sets.difference(left, right)) == ([[0, 0], [1, 0]], [2, 6], [2, 1])
    assert rows(tf.sets.difference(left, right, aminusb=False)) == ([[0, 0]], [3], [2, 1])
    assert rows(tf.sets.union(left, right))[1:] == ([1, 2, 3, 4, 5, 6], [2, 3])
    assert tf.sets.size(both).numpy().tolist() == [1, 2]


def test_sets_of_strings():
    assert rows(tf.sets.union([["b"]], [["a"]]))[1] == [b"a", b"b"]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (
            lambda: tf.math.confusion_matrix([1, -2], [2, 2]),
            tf.errors.InvalidArgumentError,
            "negative",
        ),
        (
            lambda: tf.math.confusion_matrix([1, 4], [2, 2], 3),
            tf.errors.InvalidArgumentError,
            "out of bound",
        ),
        (lambda: tf.math.polyval(3.0, 2.0), ValueError, "list type"),
        (lambda: tf.math.sobol_sample(0, 3), tf.errors.InvalidArgumentError, "at least one"),
        (lambda: tf.unravel_index([20], (3, 3)), tf.errors.InvalidArgumentError, "out of bound"),
        (lambda: tf.edit_distance([1], [1]), TypeError, "SparseTensor"),
        (lambda: tf.sets.size(A), TypeError, "SparseTensor"),
        (lambda: tf.sets.union(A, B[:1]), tf.errors.InvalidArgumentError, "Mismatched shapes"),
        (lambda: tf.sets.union(A, B * 1.0), TypeError, "Types don't match"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
