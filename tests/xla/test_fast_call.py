"""The short way to call a compiled function again is taken only where it may be."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow


def test_calls_that_change_in_between():
    v = tf.Variable(2.0)
    runs = []

    @tf.function(jit_compile=True)
    def f(x, k=1.0):
        runs.append(1)
        return x * v * k

    x, longer = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])
    for _ in range(3):
        assert f(x).numpy().tolist() == [2, 4]
    assert f(f(x)).numpy().tolist() == [4, 8]  # of a result that nobody has fetched
    assert f(longer).numpy().tolist() == [2, 4, 6]
    assert f(x, k=3.0).numpy().tolist() == [6, 12]
    assert f(np.float32([5, 6])).numpy().tolist() == [10, 12]
    v.assign(10.0)
    assert f(x).numpy().tolist() == [10, 20]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy().tolist() == [10, 10]
    with tf.autodiff.ForwardAccumulator(x, tf.ones(2)) as forward:
        y = f(x)
    assert forward.jvp(y).numpy().tolist() == [10, 10]
    with pytest.raises(TypeError):
        f(x, x, x)
    before = len(runs)
    tf.config.run_functions_eagerly(True)
    try:
        f(x)
    finally:
        tf.config.run_functions_eagerly(False)
    assert len(runs) == before + 1
    assert "called 9 times" in f.explain(), f.explain()


def test_variables_and_random_numbers_move_on():
    count = tf.Variable(0.0)

    @tf.function(jit_compile=True)
    def step(x):
        count.assign_add(1.0)
        return tf.random.normal([3]) + 0 * x, {"count": count + x}

    x = tf.constant(1.0)
    draws = []
    for i in range(4):
        drawn, found = step(x)
        draws.append(tuple(drawn.numpy()))
        assert found["count"].numpy() == i + 2
        assert count.numpy() == i + 1
    assert len(set(draws)) == 4


def test_each_instance_has_its_own():
    class Layer:
        def __init__(self, scale):
            self.scale = scale

        @tf.function(jit_compile=True)
        def __call__(self, x):
            return x * self.scale

    a, b, x = Layer(2.0), Layer(3.0), tf.constant(1.0)
    for _ in range(3):
        assert (float(a(x)), float(b(x))) == (2, 3)


def test_results_of_every_form_and_of_64_bits():
    total = tf.Variable(np.float64(0.0))

    @tf.function(jit_compile=True)
    def several(x, n):
        total.assign_add(x)
        return x / 3, n + 2**40

    @tf.function(jit_compile=True)
    def listed(x, n):
        return [x, n]

    @tf.function(jit_compile=True)
    def named(x, n):
        return {"x": x, "rest": (n, None)}

    @tf.function(jit_compile=True)
    def nothing(x, n):
        total.assign(x)

    for i in range(1, 4):
        x, n = tf.constant(i / 7, tf.float64), tf.constant(i)
        y, m = several(x, tf.cast(n, tf.int64))
        assert (y.numpy(), m.numpy(), y.dtype, m.dtype) == (i / 21, i + 2**40, tf.float64, tf.int64)
        assert total.numpy() == pytest.approx(sum(k / 7 for k in range(1, i + 1)), rel=1e-15)
        both = listed(x, n)
        assert type(both) is list
        assert [v.numpy() for v in both] == [i / 7, i]
        found = named(x, n)
        assert (found["x"].numpy(), found["rest"][0].numpy(), found["rest"][1]) == (i / 7, i, None)
    before = total.numpy()
    for i in range(3):
        assert nothing(tf.constant(i / 7, tf.float64), n) is None
        assert total.numpy() == i / 7
    assert before != total.numpy()


def test_one_program_for_all_ways_to_write_a_call():
    traced = []

    @tf.function(jit_compile=True)
    def f(x, k=2, flag=True, *, z=1):
        traced.append(k)
        return x * k * z if flag else -x

    x = tf.constant(3.0)
    for call in (f(x), f(x, 2), f(x=x), f(k=2, x=x), f(x, z=1), f(x, flag=True, k=2)):
        assert call.numpy() == 6
    assert len(traced) == 1
    assert [f(x, 3).numpy(), f(x, k=3).numpy(), f(x, z=4).numpy()] == [9, 9, 24]
    assert [f(x, 1).numpy(), f(x, flag=False).numpy(), f(x, True).numpy()] == [3, -3, 3]
    assert len(traced) == 5  # True equals 1
    for wrong in (lambda: f(), lambda: f(x, x=x), lambda: f(x, q=1)):
        with pytest.raises(TypeError):
            wrong()
    assert f(x=x).numpy() == 6


def test_methods_keep_their_names_and_counts():
    class Model:
        __slots__ = ("scale",)

        @tf.function(jit_compile=True)
        def compiled(self, x):
            "Scales."
            return x * self.scale

        @tf.function
        def plain(self, x):
            return x * self.scale

    model = Model()
    model.scale = 2.0
    for _ in range(3):
        assert (model.compiled(tf.constant(2.0)).numpy(), model.plain(3.0).numpy()) == (4, 6)
    assert (model.compiled.__doc__, model.compiled.__name__) == ("Scales.", "compiled")
    assert model.compiled.experimental_get_tracing_count() == 1
    assert "called 3 times" in model.compiled.explain()
    assert isinstance(model.compiled, type(Model.plain))
    assert model.compiled.python_function.__self__ is model


def test_a_signature_still_casts_and_refuses():
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        return 2 * x

    x = tf.constant([1.0, 2.0])
    for given in (x, x, [1.0, 2.0], np.float32([1, 2]), x):
        assert f(given).numpy().tolist() == [2, 4]
    assert f(x=x).numpy().tolist() == [2, 4]
    assert f(tf.constant([3.0])).numpy().tolist() == [6]
    for wrong in (tf.constant([1]), tf.constant(1.0), tf.constant([1.0], tf.float64)):
        with pytest.raises(TypeError):
            f(wrong)
    with pytest.raises(TypeError):
        f(x, x)
