"""Details of TensorFlow's kernels and recorders that are easy to miss."""

import numpy as np
import pytest
from checks import gradient_of
from tolerances import close

import gradtape as tf


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", [tf.sqrt, tf.math.rsqrt, tf.math.reciprocal, tf.math.log])
def test_a_gradient_of_zero_stays_zero_in_the_branch_not_taken(function, dtype):
    x = tf.constant([-1.0, 0.0, 4.0], dtype)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.where(x > 1, function(x), x)
        g = tape.gradient(y, x)
    if function is not tf.math.log:  # TensorFlow divides by zero there, too
        assert g.numpy()[:2].tolist() == [1.0, 1.0]
    assert np.isfinite(g.numpy()[2])
    assert np.isfinite(outer.gradient(g, x).numpy()[2])


def test_a_scalar_gradient_of_zero_stays_zero():
    (g,) = gradient_of(lambda x: tf.sqrt(x) * 0.0, tf.constant(0.0))
    assert float(g) == 0.0


def test_the_gradient_of_a_norm_of_zero_stays_zero_where_it_is_not_taken():
    x = tf.constant([[0.0, 0.0], [3.0, 4.0]])
    (g,) = gradient_of(lambda x: tf.where([False, True], tf.norm(x, axis=1), 1.0), x)
    close(g, [[0, 0], [0.6, 0.8]])


def test_the_jacobian_of_sqrt_at_zero_is_infinite_on_the_diagonal_alone():
    x = tf.constant([0.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(x)
    assert tape.jacobian(y, x).numpy().tolist() == [[np.inf, 0.0], [0.0, 0.25]]


def test_the_sign_of_a_complex_number_has_a_gradient():
    (g,) = gradient_of(tf.sign, tf.constant([1j, 3 + 4j, 0j]))
    close(g, [1, 0.128 - 0.096j, 0])


def test_batch_jacobian_of_integers_is_zeros_of_the_targets_dtype():
    x = tf.ones([2, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.int32)
    j = tape.batch_jacobian(y, x)
    assert j.dtype is tf.int32
    assert j.shape == (2, 3, 3)


def test_logdet_of_complex_matrices_is_real():
    m = tf.constant([[2.0, 1j], [-1j, 3.0]])
    assert tf.linalg.logdet(m).dtype is tf.float64
    close(tf.linalg.logdet(m), np.log(5.0))
    (g,) = gradient_of(tf.linalg.logdet, m)
    assert g.dtype is tf.complex128
