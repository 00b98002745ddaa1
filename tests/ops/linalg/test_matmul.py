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


def test_a_product_of_small_integers_has_the_dtype_that_is_wanted():
    a = tf.constant([[100, 100]], tf.int8)
    for product in (
        tf.matmul(a, a, transpose_b=True, output_type=tf.int32),
        tf.raw_ops.BatchMatMulV3(x=a, y=a, Tout=tf.int32, adj_y=True),
    ):
        assert product.dtype == tf.int32
        assert product.numpy().tolist() == [[20000]]
