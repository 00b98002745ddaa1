"""Special functions under XLA far from the samples: tails, poles, infinities, negative numbers."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow

special = tf.math.special
WAVES = ["bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "fresnel_cos", "fresnel_sin"]
TAILS = ["bessel_k0", "bessel_k1", "bessel_k0e", "bessel_k1e", "dawsn", "expint"]
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan]
SIZES = np.concatenate([np.geomspace(1e-30, 0.1, 12), np.linspace(0.13, 30, 90), [55, 80, 300]])


@pytest.mark.parametrize("dtype", [tf.float64, tf.float32], ids=lambda d: d.name)
def test_special_functions_everywhere(dtype):
    x = tf.constant(np.concatenate([SIZES, -SIZES, [1e4, -1e4, 1e30, -1e30], EDGES]), dtype)
    near = tf.constant(
        np.concatenate([SIZES, -SIZES, EDGES]), dtype
    )  # SciPy's waves are off beyond

    def run(x, near):
        found = {name: getattr(special, name)(x) for name in TAILS}
        found |= {name: getattr(special, name)(near) for name in WAVES}
        for order in (1.0, 3.0):
            found[f"polygamma {order}"] = tf.math.polygamma(tf.zeros_like(near) + order, near)
        for power in (1.0, 1.5, 2.0, 2000.0):
            found[f"zeta {power}"] = tf.math.zeta(tf.zeros_like(near) + power, near)
        return found

    single = dtype == tf.float32
    got = tf.function(run, jit_compile=True)(x, near)
    for name, want in run(x, near).items():
        rtol = 1e-5 if single else 1e-10
        atol = 1e-37  # XLA has no subnormal numbers
        if name.startswith("bessel_"):
            atol = 1e-6 if single else 1e-12  # next to the zeros of a wave
        np.testing.assert_allclose(got[name].numpy(), want.numpy(), rtol, atol, err_msg=name)
