"""Operations without a derivative, and so without a sample, under XLA: bits, tests, rounding."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow

X = np.array([[0.5, -0.0, 2.5, np.nan], [-1.5, np.inf, 3.0, -2.5], [1e9, -np.inf, 0.0, -0.5]])
WHOLE = np.array([[0, 1, -7, 12], [5, -5, 1 << 30, -(1 << 31)], [3, 3, 2, 8]], np.int32)
BY = np.array([0, 1, 31, 40], np.int32)
RATIO = np.array([3, -2, 5, 7], np.int32)


def operations(x, n, by, ratio):
    finite = tf.where(tf.math.is_finite(x), x, tf.zeros_like(x))
    square = finite[:, :3] % 5 + tf.eye(3, dtype=x.dtype)
    lu, order = tf.linalg.lu(square)
    ranked = tf.sort(finite, axis=-1)
    return {
        "all": tf.reduce_all(n > 0, axis=0),
        "any": tf.reduce_any(n > 10, axis=1, keepdims=True),
        "logic": tf.logical_or(n > 3, tf.logical_not(tf.math.logical_xor(n > 0, n < 4))),
        "argmax": tf.argmax(finite, axis=1),
        "argmin": tf.argmin(n, axis=0, output_type=tf.int32),
        "bitcast": tf.bitcast(tf.cast(x, tf.float32), tf.int32),
        "and": tf.bitwise.bitwise_and(n, by),
        "or": tf.bitwise.bitwise_or(n, by),
        "xor": tf.bitwise.bitwise_xor(n, by),
        "invert": tf.bitwise.invert(n),
        "left": tf.bitwise.left_shift(n, tf.minimum(by, 31)),
        "right": tf.bitwise.right_shift(n, tf.minimum(by, 31)),
        "floordiv": n // ratio,
        "floormod": n % ratio,
        "truncatediv": tf.truncatediv(n, ratio),
        "truncatemod": tf.truncatemod(n, ratio),
        "float floormod": x % tf.cast(ratio, x.dtype),
        "ceil": tf.math.ceil(x),
        "floor": tf.math.floor(x),
        "rint": tf.math.rint(x),
        "round": tf.round(x),
        "sign": tf.sign(x),
        "count": tf.math.count_nonzero(n, axis=0),
        "zeros": tf.math.zero_fraction(finite),
        "is": [tf.math.is_nan(x), tf.math.is_inf(x), tf.math.is_finite(x), tf.not_equal(x, x)],
        "casts": [
            tf.cast(finite % 100, k)
            for k in (tf.int8, tf.int32, tf.bool, tf.complex64, tf.bfloat16)
        ],
        "one hot": tf.one_hot(n, 4, axis=1),
        "search": tf.searchsorted(ranked, finite, side="right"),
        "angle": tf.math.angle(x),
        "top": tf.math.top_k(finite, 2).indices,
        "lu": [lu, order],
        "quantized": tf.quantization.fake_quant_with_min_max_args(
            tf.cast(finite, tf.float32), -1, 2
        ),
        "mean": tf.reduce_mean(n, axis=0),
        "sum of bytes": tf.reduce_sum(tf.cast(n, tf.uint8), axis=0),
        "cumsum": tf.cumsum(n, axis=1, exclusive=True, reverse=True),
        "next": tf.math.nextafter(finite, finite + 1),
        "set": tf.tensor_scatter_nd_max(n, [[0], [2]], n[:2]),
        "sorted": tf.argsort(n, axis=0, direction="DESCENDING", stable=True),
    }


def test_operations_without_a_derivative():
    given = [tf.constant(v) for v in (X, WHOLE, BY, RATIO)]
    with np.errstate(all="ignore"):
        want = operations(*given)
    got = tf.function(operations, jit_compile=True)(*given)
    for name, value in want.items():
        for g, w in zip(tf.nest.flatten(got[name]), tf.nest.flatten(value), strict=True):
            assert (g.dtype, g.shape) == (w.dtype, w.shape), name
            if w.dtype in (tf.float64, tf.float32):
                np.testing.assert_allclose(g.numpy(), w.numpy(), 1e-6, 1e-7, err_msg=name)
            else:
                np.testing.assert_array_equal(g.numpy(), w.numpy(), err_msg=name)
