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
