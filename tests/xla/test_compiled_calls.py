"""`function(jit_compile=True)`: what is compiled, when, and what is said about it."""

from __future__ import annotations

import copy
import gc
import logging
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

jax = pytest.importorskip("jax")


def jit(function=None, **options):
    return tf.function(function, jit_compile=True, **options)


def test_importing_gradtape_leaves_jax_alone():
    code = "import sys, gradtape; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_training_step_reads_and_writes_variables():
    w, b = tf.Variable([[1.0], [2.0]]), tf.Variable([0.5])
    x, y = np.float32([[1, 2], [3, 4], [5, 6]]), np.float32([[1], [2], [3]])

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        for v, g in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            v.assign_sub(0.01 * g)
        return loss

    losses = []
    for run in (step, jit(step)):
        w.assign([[1.0], [2.0]])
        b.assign([0.5])
        losses.append([float(run(tf.constant(x), tf.constant(y))) for _ in range(5)])
        losses[-1] += w.numpy().ravel().tolist() + b.numpy().tolist()
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)


def test_float64_stays_and_jax_settings_too():
    before = jax.config.jax_enable_x64
    f = jit(lambda x, n: (tf.exp(x), n + 1))
    y, n = f(tf.constant(1.0, tf.float64), tf.constant(2**40, tf.int64))
    assert (y.dtype, n.dtype, int(n)) == (tf.float64, tf.int64, 2**40 + 1)
    assert float(y) == pytest.approx(np.e, rel=1e-15)
    assert jax.config.jax_enable_x64 == before


def test_nested_structures_and_none():
    f = jit(lambda d: {"a": [d["x"] + 1, None], "b": (d["y"][0] * 2, 3)})
    out = f({"x": tf.constant(1.0), "y": (tf.constant(2.0),)})
    assert float(out["a"][0]) == 2
    assert out["a"][1] is None
    assert float(out["b"][0]) == 4
    assert int(out["b"][1]) == 3


def test_one_trace_per_shape_dtype_and_python_value():
    f = jit(lambda x, n=1: x * n)
    for x, n in [(1.0, 1), (2.0, 1)]:
        f(tf.constant(x), n)
    assert f.experimental_get_tracing_count() == 1
    f(tf.constant([1.0]), 1)
    f(tf.constant([1.0]), 2)
    f(tf.constant([1.0], tf.float64), 2)
    assert f.experimental_get_tracing_count() == 4


def test_warnings_that_say_what_changed(caplog):
    f = jit(lambda x: x * 2)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        for n in range(1, 10):
            f(tf.zeros([n]))
    assert len(caplog.records) == 2, "as many as TensorFlow's"
    assert "x: shape (1,) became (6,)" in caplog.text


def test_explain():
    v = tf.Variable(1.0, name="speed")
    f = jit(lambda x, n: v.assign_add(x * n))
    f(tf.constant(1.0), 2)
    f(tf.constant(1.0), 3)
    text = f.explain()
    assert "compiled by XLA 2 times" in text
    assert "n: the Python value 2 became 3" in text
    assert "speed:0" in text


def test_input_signature():
    f = jit(lambda x: x + 1, input_signature=[tf.TensorSpec([None], tf.float32)])
    assert f([1, 2]).numpy().tolist() == [2, 3]
    with pytest.raises(TypeError, match="Binding inputs"):
        f(tf.constant(1.0))


def test_concrete_function():
    f = jit(lambda x, n: x * n)
    g = f.get_concrete_function(tf.TensorSpec([2], tf.float32), 3)
    assert g(tf.constant([1.0, 2.0])).numpy().tolist() == [3, 6]


def test_methods_have_programs_of_their_own_and_do_not_keep_instances():
    class Counter:
        def __init__(self):
            self.n = tf.Variable(0)

        @jit
        def add(self, k):
            return self.n.assign_add(k)

    a, b = Counter(), Counter()
    assert [int(a.add(1)), int(a.add(1)), int(b.add(1))] == [1, 2, 1]
    gone = weakref.ref(a)
    del a
    gc.collect()
    assert gone() is None


def test_functions_within_functions():
    inner = jit(lambda x: tf.sin(x) * x)
    outer = jit(lambda x: inner(x) + inner(2 * x))
    assert float(outer(tf.constant(1.0))) == pytest.approx(np.sin(1) + 2 * np.sin(2), rel=1e-6)


def test_a_tape_outside_gets_gradients_of_every_order():
    w = tf.Variable(2.0)
    kept = tf.constant(3.0)
    f = jit(lambda x: tf.sin(x * w) * kept)
    x = tf.constant(0.5)
    found = []
    for run in (f, f.python_function):
        with tf.GradientTape() as outer:
            outer.watch([x, kept])
            with tf.GradientTape() as tape:
                tape.watch([x, kept])
                y = run(x)
            gs = tape.gradient(y, [x, w, kept])
            total = gs[0] * gs[1] * gs[2]
        found.append([*map(float, gs), *map(float, outer.gradient(total, [x, w, kept]))])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)


def test_a_tape_outside_of_a_function_that_writes():
    v = tf.Variable(2.0)

    @jit
    def f(x):
        y = v * x
        v.assign_add(1.0)
        return y

    with tf.GradientTape() as tape:
        y = f(tf.constant(3.0))
    assert float(tape.gradient(y, v)) == 3
    assert v.numpy() == 3
    assert float(f(tf.constant(1.0))) == 3


def test_jacobian_outside_and_inside():
    f = jit(lambda x: tf.tanh(x) * x[0])
    x = tf.constant([0.5, 1.5])

    def jacobian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.jacobian(y, x)

    plain = f.python_function
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = plain(x)
    want = tape.jacobian(y, x).numpy()
    np.testing.assert_allclose(jacobian(x).numpy(), want, rtol=1e-5)
    np.testing.assert_allclose(jit(jacobian)(x).numpy(), want, rtol=1e-5)


def test_forward_mode_and_vectorized_map_inside():
    @jit
    def f(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = tf.sin(x)
        return acc.jvp(y), tf.vectorized_map(lambda r: r * tf.reduce_sum(x), x)

    x = np.float32([0.5, 1.5])
    jvp, mapped = f(tf.constant(x))
    np.testing.assert_allclose(jvp.numpy(), np.cos(x), rtol=1e-6)
    np.testing.assert_allclose(mapped.numpy(), x * 2, rtol=1e-6)


def test_random_numbers_differ_by_call_and_repeat_by_seed():
    f = jit(lambda: (tf.random.normal([3]), tf.random.uniform([3]), tf.random.gamma([3], 2.0)))
    tf.random.set_seed(1)
    a, b = f(), f()
    tf.random.set_seed(1)
    c = f()
    assert all((x != y).numpy().any() for x, y in zip(a, b, strict=True))
    assert all((x == y).numpy().all() for x, y in zip(a, c, strict=True))


def test_a_generator_moves_on():
    g = tf.random.Generator.from_seed(1)
    f = jit(lambda: g.normal([3]))
    a, b = f().numpy(), f().numpy()
    assert (a != b).any()


def test_values_on_the_device_are_seen_copied_and_saved():
    v = tf.Variable([1.0, 2.0])
    f = jit(lambda: v.assign(v * 2))
    f()
    assert v.dtype == tf.float32
    twin = copy.deepcopy(v)
    assert pickle.loads(pickle.dumps(v)).numpy().tolist() == [2, 4]
    f()
    assert v.numpy().tolist() == [4, 8]
    assert twin.numpy().tolist() == [2, 4]
    v.scatter_nd_update([[0]], [9.0])
    f()
    assert v.numpy().tolist() == [18, 16]


def test_results_outlive_the_next_call():
    v = tf.Variable([1.0])
    f = jit(lambda: v.assign_add([1.0]))
    results = [f() for _ in range(3)]
    assert [float(r[0]) for r in results] == [2, 3, 4]


def test_updates_of_rows():
    v = tf.Variable(tf.zeros([3, 2]))

    @jit
    def f(i):
        v.scatter_add(tf.IndexedSlices(tf.ones([2, 2]), i))
        return tf.gather(v, i)

    f(tf.constant([0, 2]))
    assert v.numpy().tolist() == [[1, 1], [0, 0], [1, 1]]


def test_python_branching_on_values_names_the_line():
    def f(x):
        if x > 0:
            return x
        return -x

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Python `bool`"):
        jit(f, autograph=False)(tf.constant(1.0))


@pytest.mark.parametrize(
    ("ask", "kind"),
    [
        (complex, TypeError),
        (lambda x: x.numpy(), AttributeError),
        (lambda x: np.sin(x), NotImplementedError),
    ],
)
def test_asking_for_a_value_is_an_error(ask, kind):
    with pytest.raises(kind, match=r"(?i)symbolic"):
        jit(lambda x: ask(x))(tf.constant(1.0))


def test_variables_are_as_before_after_a_failed_trace():
    v = tf.Variable(1.0)

    @jit
    def f(x):
        v.assign_add(x)
        return x.numpy()

    with pytest.raises(AttributeError):
        f(tf.constant(1.0))
    assert v.numpy() == 1


@pytest.mark.parametrize("ask", [complex, lambda v: v.numpy(), bool])
def test_asking_a_variable_for_its_value_is_an_error(ask):
    v = tf.Variable(1.0)
    with pytest.raises((NotImplementedError, TypeError), match=r"test_compiled_calls.py:\d+"):
        jit(lambda: tf.constant(ask(v)))()
    assert v.numpy() == 1


def test_variables_are_written_in_another_order_than_read():
    a, b = tf.Variable([1.0]), tf.Variable([[2.0, 3.0]])

    @jit
    def f():
        total = tf.reduce_sum(a) + tf.reduce_sum(b)
        b.assign(b * total)
        a.assign(a + total)

    f()
    assert a.numpy().tolist() == [7]
    assert b.numpy().tolist() == [[12, 18]]


def test_what_xla_is_given_can_be_read():
    v = tf.Variable([1.0, 2.0])
    f = jit(lambda x: tf.sin(x) * v)
    text = f.experimental_get_compiler_ir(tf.TensorSpec([2], tf.float32))
    assert "HloModule" in text()
    assert "stablehlo.sine" in text(stage="stablehlo")
    assert "fusion" in text(stage="optimized_hlo")
    with pytest.raises(ValueError, match="stage"):
        text(stage="asm")
    with pytest.raises(ValueError, match="jit_compile=True"):
        tf.function(lambda x: x).experimental_get_compiler_ir(v)
