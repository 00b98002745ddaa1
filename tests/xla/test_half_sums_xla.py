"""Sums of 16-bit floats under XLA: accumulated in float32, forwards and in gradients."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow
EPS = {"bfloat16": 2.0**-7, "float16": 2.0**-10}
IDS = np.arange(3000) % 3
CALLS = {  # with shapes of inputs
    **{
        f"sum {axis}": (lambda x, a=axis: tf.reduce_sum(x, a), [(40, 30, 20)])
        for axis in (None, 0, 1, 2, (0, 1), (0, 2), (1, 2))
    },
    "mean": (lambda x: tf.reduce_mean(x, (0, 1)), [(40, 30, 20)]),
    "norm": (tf.norm, [(3000,)]),
    "logsumexp": (tf.reduce_logsumexp, [(3000,)]),
    "mean by a scalar": (lambda x, v: tf.reduce_mean(x * v), [(100, 100), ()]),
    "bias_add": (tf.nn.bias_add, [(3000, 3), (3,)]),
    "tile": (lambda x: tf.tile(x, (1000, 3)), [(2, 3)]),
    "einsum": (lambda x: tf.einsum("ij->j", x), [(3000, 4)]),
    "matmul": (tf.matmul, [(4, 3000), (3000, 3)]),
    "avg_pool": (lambda x: tf.nn.avg_pool2d(x, 16, 1, "SAME"), [(1, 20, 20, 2)]),
    "add_n": (lambda *xs: tf.add_n(xs), [(4,)] * 30),
    "segment_mean": (lambda x: tf.math.unsorted_segment_mean(x, IDS, 3), [(3000, 2)]),
    "many uses": (lambda x: sum((x * 1.0 for _ in range(300)), tf.stop_gradient(x) * 0), [(3,)]),
}


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", CALLS)
def test_long_sums_against_float64(name, dtype):
    call, shapes = CALLS[name]
    draw = np.random.default_rng(5).uniform
    xs = [tf.cast(tf.constant(draw(0.5, 1.5, s), tf.float32), dtype) for s in shapes]

    def run(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = call(*xs)
        return y, *tape.gradient(y, xs)

    want = run(*[tf.cast(x, tf.float64) for x in xs])
    got = tf.function(run, jit_compile=True)(*xs)
    for part, (g, w) in enumerate(zip(got, want, strict=True)):
        if name == "many uses" and not part:
            continue  # the sum that the program itself adds up, step by step
        assert g.dtype == dtype
        scale = np.maximum(np.abs(w), np.abs(w).mean())
        error = np.abs(tf.cast(g, tf.float64).numpy() - w.numpy())
        assert (error <= 2 * EPS[dtype] * scale + 2.0**-23).all()  # float16 counts in 2**-24


def test_a_product_is_rounded_once():
    x = tf.constant([1.01] * 300, tf.bfloat16)
    got = tf.function(tf.reduce_prod, jit_compile=True)(x)
    exact = float(x[0]) ** 300
    assert abs(float(got) - exact) <= exact * EPS["bfloat16"] / 2


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint16", "uint32"])
def test_the_mean_of_integers_is_that_of_a_wide_sum(dtype):
    x = tf.fill(300, tf.constant(100, dtype))
    assert tf.function(tf.reduce_mean, jit_compile=True)(x).numpy() == 100
