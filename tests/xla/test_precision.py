"""The precision of float32 products on GPUs, in the text of the programs for them."""

import gc
import re

import numpy as np
import pytest

pytest.importorskip("jax")

import jax

import gradtape as tf
from gradtape._src.compute.devices import TensorFloat32
from gradtape._src.xla import precision, program

setting = tf.config.experimental.enable_tensor_float_32_execution


@pytest.fixture(autouse=True)
def _for_gpu(monkeypatch):
    """Programs are made as for a GPU, and run on the device that there is."""
    monkeypatch.setattr(program, "on_gpu", lambda: True)
    before = TensorFloat32.allowed
    setting(True)
    yield
    setting(before)


def precisions(f, *args):
    """Returns the precisions of a function's products in StableHLO."""
    text = f.experimental_get_compiler_ir(*args)("stablehlo")
    products = re.findall("stablehlo.(?:dot_general|convolution)[( ].*", text)
    assert products
    return [
        {"HIGHEST": "highest", "DEFAULT": "default"}[how]
        for product in products
        for how in (re.findall(r"HIGHEST|DEFAULT", product) or ["DEFAULT"])[:1]
    ]


def in_loop(x):
    return tf.scan(lambda total, row: tf.linalg.matmul(total, x) + row, x, x)


def in_branch(x):
    return tf.cond(x[0, 0] > 0, lambda: x @ x, lambda: x)


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.einsum("ij,kj->ik", x, x))
    return tape.gradient(y, x)


def image(x):
    return tf.nn.conv2d(x[None, :, :, None], x[:2, :2, None, None], 1, "SAME")


FUNCTIONS = [lambda x: x @ x, in_loop, in_branch, gradient, image, tf.linalg.expm]


@pytest.mark.parametrize(
    "f", FUNCTIONS, ids=["matmul", "loop", "branch", "gradient", "conv", "expm"]
)
def test_products_are_rounded_unless_this_is_switched_off(f):
    x = tf.constant(np.eye(3, dtype=np.float32))
    compiled = tf.function(f, jit_compile=True)
    before = compiled(x).numpy()
    assert set(precisions(compiled, x)) == {"default"}
    setting(False)
    assert set(precisions(compiled, x)) == {"highest"}
    np.testing.assert_allclose(compiled(x).numpy(), before, rtol=5e-3)


def test_other_dtypes_keep_their_precision():
    x = tf.constant(np.eye(3))
    assert set(precisions(tf.function(lambda x: x @ x, jit_compile=True), x)) == {"highest"}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_setting_acts_on_calls_that_were_made_before(dtype):
    f = tf.function(lambda x, y: (tf.cast(x @ x, y.dtype) + y, y), jit_compile=True)
    x, y = tf.ones([2, 2]), tf.constant(np.ones([2, 2], dtype))
    for _ in range(3):
        f(x, y)
    (trace,) = f._traces().traces.values()
    (made,) = trace.call.programs
    assert made in TensorFloat32.programs
    before = made.run
    setting(False)
    assert made.run is not before
    assert f(x, y)[0].numpy().tolist() == [[3, 3], [3, 3]]
    made.run = jax.jit(lambda x, y: [7 * y, y])  # every call uses the program that there is
    assert f(x, y)[0].numpy().tolist() == [[7, 7], [7, 7]]


def test_programs_are_not_kept_alive():
    f = tf.function(lambda x: x @ x, jit_compile=True)
    f(tf.ones([2, 2]))
    count = len(TensorFloat32.programs)
    del f
    gc.collect()
    assert len(TensorFloat32.programs) < count


def test_products_on_processors_stay_exact(monkeypatch):
    monkeypatch.setattr(program, "on_gpu", lambda: False)
    compiled = tf.function(lambda x: x @ x, jit_compile=True)
    assert set(precisions(compiled, tf.ones([2, 2]))) == {"highest"}
    assert precision.on_gpu() == (jax.default_backend() == "gpu")
