"""Where TensorFlow's answer is easy to miss: what its own kernels and recorders do."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf


def gradient(function, *xs):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = function(*xs)
    return tape.gradient(y, xs)


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
    (g,) = gradient(lambda x: tf.sqrt(x) * 0.0, tf.constant(0.0))
    assert float(g) == 0.0


def test_the_gradient_of_a_norm_of_zero_stays_zero_where_it_is_not_taken():
    x = tf.constant([[0.0, 0.0], [3.0, 4.0]])
    (g,) = gradient(lambda x: tf.where([False, True], tf.norm(x, axis=1), 1.0), x)
    close(g, [[0, 0], [0.6, 0.8]])


def test_the_jacobian_of_sqrt_at_zero_is_infinite_on_the_diagonal_alone():
    x = tf.constant([0.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(x)
    assert tape.jacobian(y, x).numpy().tolist() == [[np.inf, 0.0], [0.0, 0.25]]


def test_the_sign_of_a_complex_number_has_a_gradient():
    (g,) = gradient(tf.sign, tf.constant([1j, 3 + 4j, 0j]))
    close(g, [1, 0.128 - 0.096j, 0])


def test_custom_gradient_lets_closed_over_tensors_through_where_no_argument_is_watched():
    w, x = tf.constant(2.0), tf.constant(3.0)

    @tf.custom_gradient
    def f(a):
        return a * w, lambda dy: dy * 5

    with tf.GradientTape() as tape:
        tape.watch(w)
        y = f(x)
    assert float(tape.gradient(y, w)) == 3.0
    g = gradient(lambda w, x: f(x), w, x)
    assert g[0] is None
    assert float(g[1]) == 5.0


def test_forward_mode_refuses_a_primal_given_twice():
    x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="multiple times"):
        tf.autodiff.ForwardAccumulator([x, x], [x, x])


def test_forward_mode_says_that_a_tangent_has_another_shape():
    x = tf.constant([1.0, 2.0, 3.0])
    with (
        pytest.raises(ValueError, match="a tangent of shape"),
        tf.autodiff.ForwardAccumulator(x, tf.ones(2)),
    ):
        x * x


def test_forward_over_reverse_through_a_lookup():
    table = tf.Variable([[0.5, 0.2], [0.7, 1.0], [0.3, 0.4]])
    with tf.autodiff.ForwardAccumulator(table, tf.ones([3, 2])) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.nn.embedding_lookup(table, [0, 2, 0]) ** 3)
        g = tape.gradient(y, table)
    hvp = acc.jvp(g)
    assert isinstance(hvp, tf.IndexedSlices)
    close(tf.convert_to_tensor(hvp), [[6, 2.4], [0, 0], [1.8, 2.4]])


def test_batch_jacobian_of_integers_is_zeros_of_the_targets_dtype():
    x = tf.ones([2, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.int32)
    j = tape.batch_jacobian(y, x)
    assert j.dtype is tf.int32
    assert j.shape == (2, 3, 3)


def test_one_hot_vectorized_with_values_of_each_example():
    n = tf.constant([[0, 2], [1, 1]])
    on = tf.constant([5.0, 7.0])
    ours = tf.vectorized_map(lambda a: tf.one_hot(a[0], 3, a[1], -a[1]), (n, on))
    want = [tf.one_hot(n[i], 3, on[i], -on[i]).numpy() for i in range(2)]
    close(ours, np.stack(want))
    close(tf.vectorized_map(lambda i: tf.one_hot(i, 3), n), tf.one_hot(n, 3).numpy())


def test_assertions_in_a_vectorized_map():
    x = tf.constant([1.0, 2.0])

    def checked(r):
        tf.debugging.assert_positive(r)
        tf.debugging.assert_less(r, 9.0)
        return r * 2

    assert tf.vectorized_map(checked, x, warn=False).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vectorized_map(checked, -x, warn=False)


def test_logdet_of_complex_matrices_is_real():
    m = tf.constant([[2.0, 1j], [-1j, 3.0]])
    assert tf.linalg.logdet(m).dtype is tf.float64
    close(tf.linalg.logdet(m), np.log(5.0))
    (g,) = gradient(tf.linalg.logdet, m)
    assert g.dtype is tf.complex128
