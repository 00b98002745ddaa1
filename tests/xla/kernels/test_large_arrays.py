"""`tf.config.optimizer.set_jit(True)`: XLA's kernels for large arrays of eager operations."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compute.parallel import SHARED, Engine
from gradtape._src.declare.general import REGISTRY

pytest.importorskip("jax")

pytestmark = pytest.mark.slow
COUNT = SHARED + 11
X = np.random.default_rng(0).normal(size=COUNT) * 3
X[:9] = [0, -0.0, np.nan, np.inf, -np.inf, 60, -60, 1e-30, -1e-30]
FUNCTIONS = {
    "elu": tf.nn.elu,
    "erf": tf.math.erf,
    "erfc": tf.math.erfc,
    "exp": tf.exp,
    "expm1": tf.math.expm1,
    "gelu": tf.nn.gelu,
    "log": tf.math.log,
    "log1p": tf.math.log1p,
    "log_softmax": lambda x: tf.nn.log_softmax(tf.reshape(x[9:], [-1, 2])) - 1,
    "selu": tf.nn.selu,
    "sigmoid": tf.sigmoid,
    "silu": tf.nn.silu,
    "softmax": lambda x: tf.nn.softmax(tf.reshape(x[9:], [2, -1])),
    "softplus": tf.nn.softplus,
    "tanh": tf.tanh,
}


@pytest.fixture
def jit():
    tf.config.optimizer.set_jit(True)
    yield Engine.compute
    tf.config.optimizer.set_jit(False)


def orders(function, x):
    """The value, the gradient and the second derivative, on the third of three calls."""
    for _ in range(3):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            g = tape.gradient(y, x, tf.ones_like(y) * 1.5)
        second = outer.gradient(g, x)
    return y, g, second


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gives_what_numpy_gives(name, dtype, jit, monkeypatch):
    x = tf.constant(X.astype(dtype))
    used = []

    def spying(*given):
        found = jit(*given)
        used.append(found is not None)
        return found

    monkeypatch.setattr(Engine, "compute", spying)
    compiled = orders(FUNCTIONS[name], x)
    assert any(used)
    monkeypatch.setattr(Engine, "compute", None)
    relative, absolute = {"float32": (2e-5, 3e-6), "float64": (1e-12, 1e-14)}[dtype]
    expected = orders(FUNCTIONS[name], x)
    for a, b in zip(compiled, expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=relative, atol=absolute)
    np.testing.assert_allclose(compiled[0], expected[0], rtol=relative, atol=1e-37)


def test_is_off_until_asked_for():
    assert tf.config.optimizer.get_jit() == ""
    tf.config.optimizer.set_jit("autoclustering")
    assert tf.config.optimizer.get_jit() == "autoclustering"
    tf.config.optimizer.set_jit("anything else")
    assert tf.config.optimizer.get_jit() == ""


def test_results_may_be_written_to_and_halves_stay_halves(jit):
    for dtype in ("float32", "float16", "bfloat16"):
        x = tf.cast(tf.fill([SHARED + 7], 0.5), dtype)
        for _ in range(3):
            y = tf.exp(x)
        assert y.dtype == dtype
        before = y.numpy().copy()
        tf.exp(x).numpy()[...] = 0
        np.testing.assert_array_equal(y, before)
        assert y.numpy().flags.writeable


def test_rows_of_one_element(jit):
    x = tf.ones([SHARED, 1])
    for _ in range(4):
        assert np.all(tf.nn.softmax(x) == 1)


def test_threads_and_traces(jit):
    x = tf.constant(np.linspace(-2, 2, SHARED + 11).astype(np.float32))
    expected = np.tanh(x.numpy())
    with ThreadPoolExecutor(4) as pool:
        for y in pool.map(lambda _: tf.tanh(x), range(12)):
            np.testing.assert_allclose(y, expected, rtol=1e-6)

    @tf.function(jit_compile=True)
    def traced(y):
        return tf.reduce_sum(y * tf.tanh(x))

    np.testing.assert_allclose(traced(x), (x.numpy() * expected).sum(), rtol=1e-5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore")
def test_a_forked_child_computes_with_numpy(jit):
    child = os.fork()
    if child == 0:
        os._exit(tf.config.optimizer.get_jit() != "")
    assert os.waitpid(child, 0)[1] == 0


def test_without_jax_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gradtape._src.xla.kernels.large_arrays", None)
    with pytest.raises(ImportError, match=r"pip install 'gradtape\[xla\]'"):
        tf.config.optimizer.set_jit(True)
    assert tf.config.optimizer.get_jit() == ""


SAID_ONCE = {
    "Elu": tf.nn.elu,
    "Erf": tf.math.erf,
    "Erfc": tf.math.erfc,
    "Expm1": tf.math.expm1,
    "Log1p": tf.math.log1p,
    "LogSoftmax": tf.nn.log_softmax,
    "Sigmoid": tf.sigmoid,
    "Silu": tf.nn.silu,
    "Softmax": tf.nn.softmax,
    "Softplus": tf.nn.softplus,
}


@pytest.mark.parametrize("name", SAID_ONCE)
def test_the_formula_for_large_arrays_is_that_of_compiled_programs(name, jit, monkeypatch):
    used = []
    monkeypatch.setattr(Engine, "compute", lambda kernel, x, n: used.append(kernel))
    SAID_ONCE[name](tf.constant(X.astype("float32")))
    assert used == [REGISTRY[name].xla.__wrapped__]
