"""Reductions of ragged tensors; expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

ROWS = tf.ragged.constant([[3.0, 1, 4], [], [1, 5], [9]])
NESTED = tf.ragged.constant([[[1.0, 2], []], [], [[3, 4, 5], [6], [7]]])
UNIFORM = tf.ragged.constant([[[1.0, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)
LOWEST = np.finfo(np.float32).min
NAN = np.nan


def plain(x):
    return x.to_list() if isinstance(x, tf.RaggedTensor) else x.numpy().tolist()


@pytest.mark.parametrize(
    ("name", "axis", "expected"),
    [
        ("sum", None, 23),
        ("sum", 0, [13, 6, 4]),
        ("sum", -1, [8, 0, 6, 9]),
        ("mean", 1, [8 / 3, NAN, 3, 9]),
        ("mean", [1, 0], 23 / 6),
        ("max", 1, [4, LOWEST, 5, 9]),
        ("min", 1, [1, -LOWEST, 1, 9]),
        ("prod", (0,), [27, 5, 4]),
        ("prod", 1, [12, 1, 5, 9]),
        ("variance", 1, [14 / 9, NAN, 4, 0]),
        ("std", 0, [3.3993464, 2, 0]),
        ("logsumexp", 1, [4.3490124, -np.inf, 5.0181499, 9]),
        ("any", 1, [True, False, True, True]),
        ("all", 1, [True, True, True, True]),
    ],
)
def test_rows(name, axis, expected):
    found = getattr(tf.math, f"reduce_{name}")(ROWS, axis)
    assert isinstance(found, tf.Tensor)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    kept = getattr(tf.math, f"reduce_{name}")(ROWS, axis, keepdims=True)
    assert len(kept.shape) == 2
    np.testing.assert_allclose(tf.reshape(kept, [-1]), np.ravel(expected), rtol=1e-6)


@pytest.mark.parametrize(
    ("x", "axis", "shape", "expected", "kept_shape"),
    [
        (NESTED, 0, [3, None], [[4, 6, 5], [6], [7]], [1, 3, None]),
        (NESTED, 1, [3, None], [[1, 2], [], [16, 4, 5]], [3, 1, None]),
        (NESTED, 2, [3, None], [[3, 0], [], [12, 6, 7]], [3, None, 1]),
        (NESTED, [0, 1], [3], [17, 6, 5], [1, 1, None]),
        (NESTED, [0, 2], [3], [15, 6, 7], [1, 3, 1]),
        (NESTED, [1, 2], [3], [3, 0, 25], [3, 1, 1]),
        (NESTED, [], [3, None, None], NESTED.to_list(), [3, None, None]),
        (UNIFORM, 0, [2, 2], [[6, 8], [3, 4]], [1, 2, 2]),
        (UNIFORM, 2, [3, None], [[3, 7], [], [11]], [3, None, 1]),
        (UNIFORM, [0, 2], [2], [14, 7], [1, 2, 1]),
        (UNIFORM, None, [], 21, [1, 1, 1]),
    ],
)
def test_sums_of_nested_rows(x, axis, shape, expected, kept_shape):
    found = tf.reduce_sum(x, axis)
    assert (plain(found), found.shape.as_list()) == (expected, shape)
    kept = tf.reduce_sum(x, axis, keepdims=True)
    assert kept.shape.as_list() == kept_shape
    flat = kept.flat_values if isinstance(kept, tf.RaggedTensor) else kept
    assert np.sum(flat) == np.sum(x.flat_values)


def test_dtypes():
    whole = tf.ragged.constant([[3, 250], [], [2]], dtype=tf.uint8)
    assert plain(tf.reduce_sum(whole, 1)) == [253, 0, 2]
    assert plain(tf.reduce_max(whole, 1)) == [250, 0, 2]
    assert tf.reduce_mean(whole, 0).dtype == tf.float32
    assert plain(tf.reduce_mean(tf.cast(whole, tf.int32), 0)) == [2.5, 250]
    assert plain(tf.math.reduce_variance(whole, 0)) == [0.25, 0]
    truths = tf.ragged.constant([[True, False], [], [True]])
    assert plain(tf.reduce_all(truths, 1)) == [False, True, True]
    assert plain(tf.reduce_any(truths, 0)) == [True, False]
    near = tf.ragged.constant([[1e4, 1e4 + 1]])
    assert plain(tf.math.reduce_variance(near, 1)) == [0.25]


@pytest.mark.parametrize("axis", [None, 0, 1, 2, [0, 1], [1, 2]])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "prod", "variance", "logsumexp"])
def test_gradients(name, axis):
    """Those of each result's own elements, which the result of a dense tensor has, too."""
    x = tf.ragged.constant([[[1.0, 2.5], [0.5, 3]], [[4, 1.5], [2, -1]]], dtype=tf.float64)
    reduce = getattr(tf.math, f"reduce_{name}")

    def gradients(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                out = reduce(x, axis)
                out = out.flat_values if isinstance(out, tf.RaggedTensor) else out
                y = tf.reduce_sum(out**2)
            first = inner.gradient(y, x)
            flat = first.flat_values if isinstance(first, tf.RaggedTensor) else first
            z = tf.reduce_sum(flat**2)
        return first, outer.gradient(z, x)

    for found, expected in zip(gradients(x), gradients(x.to_tensor()), strict=True):
        assert isinstance(found, tf.RaggedTensor)
        np.testing.assert_allclose(found.to_tensor(), expected, rtol=1e-12, atol=1e-12)


def test_gradients_of_the_values_around_empty_rows():
    values = ROWS.flat_values
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values)
        x = ROWS.with_flat_values(values)
        mean, top = tf.reduce_mean(x, 1) ** 2, tf.reduce_max(x, 0) ** 2
    np.testing.assert_allclose(tape.gradient(mean, values), [16 / 9] * 3 + [3, 3, 18], rtol=1e-6)
    np.testing.assert_array_equal(tape.gradient(top, values), [0, 0, 8, 0, 10, 18])


def test_errors():
    with pytest.raises(ValueError, match="out of bounds"):
        tf.reduce_sum(ROWS, 2)
    with pytest.raises(TypeError, match="must be an int"):
        tf.reduce_sum(ROWS, 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="twice"):
        tf.reduce_sum(ROWS, [1, -1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="allowed values"):
        tf.reduce_sum(ROWS > 2, 1)
    with pytest.raises(ValueError, match="complex"):
        tf.math.reduce_variance(tf.cast(ROWS, tf.complex64), 1)


def test_rows_of_one_length():
    x = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1.0, 2], [], [3], [4]]), 2)
    assert x.shape.as_list() == [2, 2, None]
    assert (x.uniform_row_length.numpy(), ROWS.uniform_row_length) == (2, None)
    assert tf.reduce_sum(x * 2, 2).shape.as_list() == [2, 2]
    assert x[1:].shape.as_list() == [1, 2, None]
    assert repr(tf.shape(x)).startswith("<DynamicRaggedShape lengths=[2, 2, (2, 0, 1, 1)]")
    assert tf.RaggedTensor.from_tensor(tf.ones([2, 3, 4]), ragged_rank=2).shape == [2, 3, 4]
