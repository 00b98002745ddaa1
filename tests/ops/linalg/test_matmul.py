"""Products of matrices refuse the same operands eagerly, in functions and for many examples."""

import pytest

import gradtape as tf

MATRIX = tf.ones([2, 3])


@pytest.mark.parametrize(
    ("product", "size"),
    [
        (lambda v: tf.matmul(v, MATRIX), 2),
        (lambda v: tf.matmul(MATRIX, v), 3),
        (lambda v: tf.matmul(MATRIX, v, transpose_b=True), 3),
        (lambda v: tf.matmul(v, MATRIX, adjoint_a=True), 2),
        (lambda v: v @ v, 2),
    ],
)
def test_a_vector_is_no_matrix(product, size):
    with pytest.raises(tf.errors.InvalidArgumentError, match="different ndims"):
        product(tf.ones([size]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="different ndims"):
        tf.vectorized_map(product, tf.ones([4, size]))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="different ndims"):
        tf.function(product)(tf.ones([size]))
