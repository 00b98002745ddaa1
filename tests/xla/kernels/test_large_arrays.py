"""`tf.config.optimizer.set_jit(True)`: XLA's kernels for large arrays of eager operations."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.compute.parallel import SHARED

pytest.importorskip("jax")

from gradtape._src.ops.nn.softmax import log_softmax_p, softmax_p
from gradtape._src.xla.kernels import large_arrays

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
    "avg_pool": lambda x: tf.nn.avg_pool2d(images(x), 2, 2, "VALID") ** 2,
    "max_pool": lambda x: tf.nn.max_pool2d(images(x), 3, 2, "SAME") ** 2,
    "sigmoid": tf.sigmoid,
    "silu": tf.nn.silu,
    "softmax": lambda x: tf.nn.softmax(tf.reshape(x[9:], [2, -1])),
    "softplus": tf.nn.softplus,
    "tanh": tf.tanh,
}


@pytest.fixture
def jit(monkeypatch):
    # NumPy's vector code is as fast on some processors.
    monkeypatch.setattr(large_arrays, "_is_fast", lambda primitive: False)
    tf.config.optimizer.set_jit(True)
    yield
    tf.config.optimizer.set_jit(False)


def images(x):
    return tf.reshape(x[11:], [8, 64, 64, 4])


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
    computed = large_arrays._computed

    def spying(*given):
        found = computed(*given)
        used.append(found is not None)
        return found

    monkeypatch.setattr(large_arrays, "_computed", spying)
    compiled = orders(FUNCTIONS[name], x)
    assert any(used)
    tf.config.optimizer.set_jit(False)
    used.clear()
    expected = orders(FUNCTIONS[name], x)
    assert not used
    relative, absolute = {"float32": (2e-5, 3e-6), "float64": (1e-12, 1e-14)}[dtype]
    for a, b in zip(compiled, expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=relative, atol=absolute)
    np.testing.assert_allclose(compiled[0], expected[0], rtol=relative, atol=1e-37)


@pytest.mark.parametrize("function", [tf.nn.silu, tf.nn.gelu, tf.nn.elu, tf.math.erf])
def test_gradients_of_sums_and_of_weighted_sums(function, jit):
    x = tf.constant(X[9:].astype("float32"))
    for weight in (tf.constant(1.5), tf.constant(X[9:].astype("float32"))):
        found = []
        for jit_is_on in (True, False):
            tf.config.optimizer.set_jit(jit_is_on)
            for _ in range(4):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    total = tf.reduce_sum(function(x) * weight)
                g = tape.gradient(total, x)
            found.append(g)
        np.testing.assert_allclose(*found, rtol=2e-5, atol=3e-6)


def test_a_profile_shows_operations_that_xla_computes(jit, tmp_path):
    x = tf.constant(X.astype("float32"))
    expected = tf.nn.gelu(x)
    for _ in range(3):
        tf.nn.gelu(x)
    computed = []
    tf.profiler.experimental.start(str(tmp_path))
    original = large_arrays._computed
    try:
        large_arrays._computed = lambda *given: (
            computed.append(given[0][0].name) or original(*given)
        )
        found = tf.nn.gelu(x)
    finally:
        large_arrays._computed = original
        tf.profiler.experimental.stop()
    assert computed == ["Gelu"]
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


def test_programs_without_set_jit_do_not_load_jax():
    code = """if True:
        import sys
        import gradtape as tf
        x = tf.ones([1 << 18])
        for _ in range(4):
            tf.nn.gelu(x)
        tf.config.optimizer.set_jit(False)
        assert "jax" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)


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
    monkeypatch.delattr("gradtape._src.xla.kernels.large_arrays")
    with pytest.raises(ImportError, match=r"pip install 'gradtape\[xla\]'"):
        tf.config.optimizer.set_jit(True)
    assert tf.config.optimizer.get_jit() == ""


@pytest.mark.parametrize("fast", [True, False])
def test_numpy_computes_what_its_vector_code_computes_fast(fast, monkeypatch):
    monkeypatch.setattr(large_arrays, "vectorized", lambda name, by: fast and name == "exp2")
    assert large_arrays._is_fast(log_softmax_p.primitive) == fast
    assert not large_arrays._is_fast(softmax_p.primitive)
