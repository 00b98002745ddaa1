"""Products of ragged matrices, compared with a product of NumPy for each."""

import numpy as np
import pytest

import gradtape as tf

A = [np.arange(6.0).reshape(3, 2) + 1, np.arange(2.0).reshape(1, 2) - 1, np.zeros((0, 2))]
B = [np.arange(8.0).reshape(2, 4), np.arange(2.0).reshape(2, 1), np.ones((2, 3))]


def ragged(matrices):
    return tf.ragged.stack([tf.constant(m) for m in matrices])


def test_each_matrix_is_multiplied():
    got = tf.matmul(ragged(A), ragged(B))
    assert got.shape.as_list() == [3, None, None]
    for row, x, y in zip(got, A, B, strict=True):
        want = x @ y
        assert row.to_list() == want.tolist()


def test_flipped_matrices_are_multiplied():
    flipped = [m.T for m in B]
    got = tf.matmul(ragged(A), ragged(flipped), transpose_b=True)
    assert got.to_list() == tf.matmul(ragged(A), ragged(B)).to_list()


@pytest.mark.parametrize("options", [None, {}, {"jit_compile": True}])
def test_gradient_is_that_of_the_single_products(options):
    splits, weights = [0, 3, 4], tf.constant(np.arange(4.0).reshape(2, 2))

    def loss(values):
        x = tf.RaggedTensor.from_row_splits(values, splits)
        y = tf.stack([weights, 2 * weights])
        return tf.reduce_sum(tf.matmul(x, y).flat_values ** 2)

    def slopes(values):
        with tf.GradientTape() as outer:
            outer.watch(values)
            with tf.GradientTape() as inner:
                inner.watch(values)
                out = loss(values)
            first = inner.gradient(out, values)
        return first, outer.gradient(first, values)

    values = tf.constant(np.concatenate(A[:2]))
    run = slopes if options is None else tf.function(slopes, **options)
    first, second = run(values)
    w = weights.numpy()
    wanted = np.concatenate([2 * A[0] @ w @ w.T, 2 * A[1] @ (2 * w) @ (2 * w).T])
    np.testing.assert_allclose(first, wanted)
    each = np.concatenate([np.ones((3, 2)) @ (2 * w @ w.T), np.ones((1, 2)) @ (8 * w @ w.T)])
    np.testing.assert_allclose(second, each)


def test_matrices_that_do_not_fit_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="matrices 0"):
        tf.matmul(ragged(A), tf.ones([3, 3, 2], tf.float64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="innermost"):
        tf.matmul(tf.ragged.constant([[[1.0, 2.0], [3.0]]]), tf.ragged.constant([[[1.0]]]))
    with pytest.raises(ValueError, match="Got float64 and float32"):
        tf.matmul(ragged(A), tf.ones([3, 2, 2]))
