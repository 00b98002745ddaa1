"""`config.optimizer.set_jit(True)`: plain functions are compiled where nothing is lost by it."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _switched_on():
    tf.config.optimizer.set_jit(True)
    yield
    tf.config.optimizer.set_jit(False)


def test_the_third_call_compiles_and_gradients_pass():
    w, runs = tf.Variable(1.0), []

    @tf.function
    def step(x, scale=1.0):
        runs.append(1)
        w.assign_add(x)
        return x * w * scale

    x = tf.constant(2.0)
    assert [step(x).numpy() for _ in range(6)] == [6, 10, 14, 18, 22, 26]
    assert len(runs) == 1, "XLA compiles the graph of the first calls"
    assert "compiled by XLA once" in step.explain()
    for _ in range(4):
        with tf.GradientTape() as tape:
            y = step(x, 3.0)
        assert tape.gradient(y, w).numpy() == 6
    assert w.numpy() == 21
    tf.config.optimizer.set_jit(False)
    before = len(runs)
    assert step(x).numpy() == 46
    assert len(runs) == before, "the graph of the first calls is still there"


def test_methods_and_nested_structures():
    class Model(tf.Module):
        def __init__(self, scale):
            super().__init__()
            self.scale = tf.Variable(scale)

        @tf.function
        def __call__(self, x):
            return {"y": x * self.scale, "rest": (x, None)}

    for scale in (2.0, 3.0):
        model = Model(scale)
        for i in range(5):
            found = model(tf.constant(float(i)))
            assert (found["y"].numpy(), found["rest"][0].numpy()) == (i * scale, i)
            assert found["rest"][1] is None


def _asserts(x):
    tf.debugging.assert_positive(x)
    return x


def _checks(x):
    return tf.debugging.check_numerics(x, "x")


def _masks(x):
    return tf.reduce_sum(tf.boolean_mask([x, -x], [True, x < 0]))


def _draws_from_python(x):
    return x + 0 * tf.cast(next(_numbers), tf.float32)


_numbers = iter(tf.data.Dataset.range(100))


@pytest.mark.parametrize("function", [_asserts, _checks, _masks, _draws_from_python])
def test_what_would_lose_something_stays_python(function):
    f = tf.function(function)
    x = tf.constant(2.0)
    assert [f(x).numpy() for _ in range(5)] == [2.0] * 5
    assert "not compiled; " in f.explain()
    if function in (_asserts, _checks):
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(tf.constant(-np.inf))


def test_branches_and_loops_are_compiled():
    @tf.function
    def f(x, n):
        if x > 0:
            x = -x
        for _ in tf.range(n):
            x = x * 2
        return x

    n = tf.constant(3)
    assert [f(tf.constant(x), n).numpy() for x in (2.0, -2.0, 1.0, -1.0)] == [-16, -16, -8, -8]
    assert "compiled by XLA once" in f.explain()


def test_one_graph_has_a_program_for_each_shape():
    runs = []

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def total(x):
        runs.append(1)
        return tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32)

    for n in (1, 2, 3, 4, 5, 4):
        assert total(tf.ones([n])).numpy() == 1
    assert len(runs) == 1
    assert total.explain().count("operations traced") == 3


def test_random_numbers_differ_and_errors_come_as_they_are():
    draw = tf.function(lambda: tf.random.uniform([3]))
    assert len({tuple(draw().numpy()) for _ in range(6)}) == 6

    product = tf.function(tf.matmul)
    for _ in range(5):
        with pytest.raises(ValueError, match="MatMul"):
            product(tf.ones([2, 3]), tf.ones([2, 3]))
        assert product(tf.ones([2, 2]), tf.ones([2, 2])).numpy().sum() == 8


def test_calls_that_differ_every_time_are_left_alone():
    runs = []

    @tf.function
    def scaled(x, by):
        runs.append(by)
        return x * by

    for i in range(200):
        assert scaled(tf.constant(2.0), i).numpy() == 2 * i
    assert len(runs) == 200
    assert scaled.explain().startswith("scaled: not compiled")
