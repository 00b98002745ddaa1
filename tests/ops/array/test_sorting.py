"""Order, the largest elements, and their places; values are TensorFlow's."""

import pytest

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


@pytest.mark.parametrize(
    ("x", "rises", "strictly"),
    [([1, 1, 2], True, False), ([1, 2], True, True), ([2, 1], False, False), ([], True, True)],
)
def test_order(x, rises, strictly):
    assert tf.math.is_non_decreasing(x) == rises
    assert tf.math.is_strictly_increasing(x) == strictly


@pytest.mark.parametrize("x", [[0, 0], [0, 2], [-1, 0]])
def test_a_function_refuses_numbers_that_are_no_permutation(x):
    function = tf.function(tf.math.invert_permutation)
    assert function(tf.constant([2, 0, 1])).numpy().tolist() == [1, 2, 0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.constant(x))
