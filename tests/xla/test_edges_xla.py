"""Compiled functions answer at special points as eager ones do."""

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow

A = [0.0, 0.0, -1.0, 1.0, np.inf, 2.0]
X = [0.0, 1.0, 1.0, 0.0, 1.0, 3.0]
FUNCTIONS = {
    "floordiv": (tf.math.floordiv, [np.inf, -np.inf, 1.0, -1.0, 1.0], [1.0, 1.0, 0.1, np.inf, 0.0]),
    "igamma": (tf.math.igamma, A, X),
    "igammac": (tf.math.igammac, A, X),
    "betainc": (lambda a, x: tf.math.betainc(a, a, x), [0.0, 0.0, 1.0], [0.0, 0.5, 1.0]),
    "imag": (tf.math.imag, [np.inf, np.nan, -0.0]),
    "square root": (lambda x: tf.pow(x, 0.5), [-np.inf, -0.0, 4.0]),
    "elu": (tf.nn.elu, [np.nan, -1.0]),
    "saturate_cast": (lambda x: tf.saturate_cast(x, tf.float16), [np.inf, -np.inf, 1.0]),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("case", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_compiled_as_eager(case, dtype):
    function, *inputs = case
    tensors = [tf.constant(x, dtype) for x in inputs]
    got = tf.function(function, jit_compile=True)(*tensors).numpy()
    np.testing.assert_allclose(got, function(*tensors).numpy(), 1e-6)


@pytest.mark.parametrize("label", [-1, 2])
def test_labels_out_of_range_give_nan_as_loss_and_gradient(label):
    """As in TensorFlow: a program on a device raises no errors."""

    @tf.function(jit_compile=True)
    def f(x, labels):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x)
        return y, tape.gradient(y, x)

    x, right = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 1])
    loss, gradient = f(x, tf.constant([label, 1]))
    assert np.isnan(loss[0])
    assert np.isnan(gradient[0]).all()
    for found, wanted in zip((loss, gradient), f(x, right), strict=True):
        np.testing.assert_array_equal(found[1], wanted[1])
