"""Linear operators in a Gaussian process."""

from __future__ import annotations

import math

import gradtape as tf


def kernel(x: tf.Tensor, length: tf.Variable, amplitude: tf.Variable) -> tf.Tensor:
    squares = tf.math.squared_difference(x[:, None], x[None, :])
    return amplitude**2 * tf.exp(-0.5 * squares / length**2)


def log_likelihood(operator: tf.linalg.LinearOperator, y: tf.Tensor) -> tf.Tensor:
    alpha = operator.solvevec(y)
    n = tf.cast(operator.domain_dimension_tensor(), y.dtype)
    return -0.5 * (
        tf.tensordot(y, alpha, 1) + operator.log_abs_determinant() + n * math.log(2 * math.pi)
    )


def main() -> None:
    x = tf.linspace(tf.constant(0.0, tf.float64), 1.0, 6)
    y = tf.sin(6.0 * x)
    length, amplitude = tf.Variable(0.3, dtype=tf.float64), tf.Variable(1.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        matrix = kernel(x, length, amplitude) + 0.01 * tf.eye(6, dtype=tf.float64)
        operator = tf.linalg.LinearOperatorFullMatrix(
            matrix, is_self_adjoint=True, is_positive_definite=True
        )
        value = log_likelihood(operator, y)
    slopes = tape.gradient(value, {"length": length, "amplitude": amplitude})
    print({name: bool(tf.math.is_finite(slope)) for name, slope in slopes.items()})

    diagonal = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    identity = tf.linalg.LinearOperatorIdentity(2)
    product = tf.linalg.LinearOperatorKronecker([diagonal, identity])
    print(product.shape.as_list(), product.to_dense().shape.as_list(), product.is_square)
    inverse = diagonal.inverse()
    both = diagonal @ inverse
    print(float(both.trace()), diagonal.matvec([1.0, 1.0]).numpy().tolist())
    update = tf.linalg.LinearOperatorLowRankUpdate(diagonal, tf.ones([2, 1]))
    print(float(update.determinant()), [o.name for o in product.operators])
    toeplitz = tf.linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0])
    print(toeplitz.adjoint().to_dense().numpy().tolist(), (diagonal.H @ tf.ones([2, 1])).shape.rank)
    q, r = tf.linalg.qr(matrix)
    s, u, v = tf.linalg.svd(matrix)
    print(q.shape.rank, r.shape.rank, s.shape.as_list(), u.dtype.name, v.shape.rank)


main()
