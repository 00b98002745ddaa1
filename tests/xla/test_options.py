"""The options with which XLA compiles programs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gradtape as tf
from gradtape._src.xla.options import _known, compiler_options


def traced(size, operations):
    def f(x):
        for _ in range(operations):
            x = jnp.sin(x)
        return x

    return jax.make_jaxpr(f)(jnp.ones(size)).jaxpr


on_processors = pytest.mark.skipif(
    jax.default_backend() != "cpu", reason="the options are those for processors"
)


@on_processors
@pytest.mark.parametrize(("size", "operations"), [(10, 50), (1 << 13, 300)], ids=["short", "large"])
def test_programs_use_whole_vector_registers(size, operations):
    assert set(compiler_options(traced(size, operations))) == {"xla_cpu_prefer_vector_width"}


@on_processors
def test_long_programs_of_small_arrays():
    options = compiler_options(traced(10, 300))
    older = _known({"xla_cpu_use_fusion_emitters": False}) or {}  # JAX 0.11 has no older generator
    assert options == {"xla_cpu_prefer_vector_width": 512, **older}


def test_the_gradient_of_an_unrolled_recurrence():
    def slope(w, x):
        with tf.GradientTape() as tape:
            tape.watch(w)
            h = c = tf.zeros_like(x)
            for k in range(24):  # different enough that the compiler does not roll it to a loop
                c = c * tf.sigmoid(h * w[0] + k / 24) + tf.tanh(x * w[1])
                h = tf.sigmoid(h * w[2]) * tf.tanh(c)
            loss = tf.reduce_sum(h)
        return tape.gradient(loss, w)

    w, x = tf.constant(np.linspace(0.1, 1.0, 12).reshape(3, 4)), tf.ones(4, tf.float64)
    compiled = tf.function(slope, jit_compile=True)
    np.testing.assert_allclose(compiled(w, x).numpy(), slope(w, x).numpy(), rtol=1e-10)


def test_other_devices_have_no_options(monkeypatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert compiler_options(traced(10, 300)) is None


def test_options_that_xla_lacks_are_left_out():
    missing = {"xla_cpu_no_such_option": True}
    assert _known(missing) is None
    there = {"xla_cpu_prefer_vector_width": 512}
    assert _known(there | missing) == there
