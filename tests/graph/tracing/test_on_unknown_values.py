"""Operations on known values that fail: as in TensorFlow, only when the function runs."""

import numpy as np
import pytest

import gradtape as tf

NAN = float("nan")
CALLS = {
    "a singular matrix": lambda: tf.linalg.inv(tf.zeros([2, 2])),
    "a system of equations": lambda: tf.linalg.solve(tf.zeros([2, 2]), tf.ones([2, 1])),
    "not a number": lambda: tf.debugging.check_numerics(tf.constant(NAN), "message"),
    "unsorted segments": lambda: tf.math.segment_sum([1.0, 2.0], tf.constant([1, 0])),
    "a word": lambda: tf.strings.to_number(tf.constant("word")),
    "bytes": lambda: tf.io.decode_raw(tf.constant("abc"), tf.int32),
    "an index": lambda: tf.gather(tf.constant([1, 2]), tf.constant(5)),
    "a position": lambda: tf.sparse.to_dense(tf.SparseTensor([[5]], [1.0], [3])),
    "a label": lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([7], tf.zeros([1, 3])),
    "a count": lambda: tf.math.bincount(tf.constant([-1])),
    "an image": lambda: tf.io.decode_png(tf.constant("x")),
    "a pattern": lambda: tf.strings.regex_replace(tf.constant("a"), "(", "b"),
    "a division": lambda: tf.constant(1) // tf.constant(0),
    "an axis to roll": lambda: tf.roll(tf.ones([2, 2]), 1, 5),
    "an axis of sums": lambda: tf.cumsum(tf.ones([2]), 1),
    "an axis of products": lambda: tf.math.cumprod(tf.ones([2]), -2),
    "a reflection": lambda: tf.pad(tf.ones([2, 2]), [[5, 5], [0, 0]], "REFLECT"),
    "an empty table": lambda: tf.gather_nd(tf.ones([0, 3]), [[0]]),
    "a number of copies": lambda: tf.tile(tf.ones([2, 2]), [1, -1]),
    "an index to unravel": lambda: tf.unravel_index([9], [2, 2]),
}


@pytest.mark.parametrize("what", CALLS)
def test_wrong_values_are_found_when_the_function_runs(what):
    function = tf.function(lambda: CALLS[what]())
    with pytest.raises(tf.errors.InvalidArgumentError):
        function()


@pytest.mark.parametrize("what", [what for what in CALLS if what != "not a number"])
def test_wrong_values_that_are_not_used_are_no_error(what):  # TensorFlow always runs that check
    def f(x):
        CALLS[what]()
        return x

    assert tf.function(f).get_concrete_function(tf.constant(1))(tf.constant(1)) == 1


def test_a_result_that_is_not_used_is_not_computed():
    @tf.function
    def f(x):
        tf.linalg.inv(tf.zeros([2, 2]))
        return x

    assert f(tf.constant(2.0)) == 2


def test_the_program_cannot_catch_an_error_of_a_run():
    seen = []

    @tf.function
    def f(x):
        try:
            return x // tf.constant(0)
        except tf.errors.InvalidArgumentError as error:
            seen.append(error)
            return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="by zero"):
        f(tf.constant(3))
    assert not seen


def test_wrong_shapes_are_found_while_the_function_is_traced():
    function = tf.function(lambda: tf.linalg.inv(tf.zeros([2, 3])))
    with pytest.raises(ValueError, match="square"):
        function.get_concrete_function()


def test_values_that_are_right_are_computed():
    function = tf.function(lambda: tf.linalg.inv(2 * tf.eye(2)))
    np.testing.assert_array_equal(function(), 0.5 * np.eye(2, dtype=np.float32))


X = tf.ones([3, 2])


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda: tf.slice(X, [0, 1], [2, 2]), [2, 2]),
        (lambda: tf.slice(X, [0, -1], [2, 1]), [2, 1]),
        (lambda: tf.gather(X[:0], [0, 0, 0, 0]), [4, 2]),
        (lambda: tf.gather(X[:, :0], [0], axis=1), [3, 1]),
        (lambda: tf.gather(X[:, :0], [[0, 0]] * 3, batch_dims=1), [3, 2]),
    ],
    ids=["size", "begin", "rows", "columns", "batch"],
)
def test_shapes_of_results_that_cannot_be_computed(function, shape):
    traced = tf.function(function)
    assert traced.get_concrete_function().output_shapes == shape
    with pytest.raises(tf.errors.InvalidArgumentError):
        traced()


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda: tf.eye(-1), ValueError),
        (lambda: tf.eye(2, -1), ValueError),
        (lambda: tf.histogram_fixed_width([1.0], [0.0, 1.0], -1), ValueError),
        (lambda: tf.slice(X, [0, 3], [2, -1]), ValueError),
        (lambda: tf.slice(X, [0, 0], [-2, 1]), ValueError),
        (lambda: tf.dynamic_stitch([[0, 1]], [X]), ValueError),
        (lambda: tf.dynamic_stitch([[0], [1]], [[[1.0, 2.0]], [[3.0]]]), ValueError),
        (lambda: tf.dynamic_stitch([[0]], [X[:1], X[:1]]), ValueError),
        (lambda: tf.dynamic_stitch([[0.0]], [[1.0]]), TypeError),
    ],
)
def test_shapes_that_are_wrong_are_found_while_the_function_is_traced(function, error):
    with pytest.raises(error):
        tf.function(function).get_concrete_function()
