"""The first call of a traced function, which runs its graph before that is made a program of."""

from __future__ import annotations

import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.graph.nested import graph_call


def _call_of(function: Any) -> Any:
    (trace,) = function._traces().traces.values()
    return trace.call


def test_the_program_is_made_at_the_second_call() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.reduce_sum(tf.tanh(x) * 2.0 + x)

    x = tf.constant([0.5, 1.5])
    first = f(x)
    assert _call_of(f)._program is None
    second = f(x)
    assert _call_of(f)._program is not None
    assert first.numpy() == second.numpy() == f(x).numpy()


def test_all_calls_give_the_same_results_and_leave_the_same_state() -> None:
    v = tf.Variable([1.0, 2.0])
    steps = tf.Variable(0)

    @tf.function
    def f(x: Any, n: Any) -> Any:
        steps.assign_add(1)
        for _ in tf.range(n):
            v.assign(v * x)
        values, places = tf.math.top_k(v, 2)
        return {"v": v, "places": places, "rest": tf.unstack(values)}

    expected = np.array([1.0, 2.0], np.float32)
    for i in range(1, 5):
        out = f(tf.constant(0.5), tf.constant(2))
        expected = expected * np.float32(0.25)
        np.testing.assert_array_equal(out["v"], expected)
        assert out["places"].numpy().tolist() == [1, 0]
        assert steps.numpy() == i


def test_gradients_of_all_orders_are_those_of_later_calls() -> None:
    @tf.function
    def f(x: Any, y: Any) -> Any:
        return x**3 * y, tf.stop_gradient(y) * 2.0

    x, y = tf.constant(2.0), tf.constant(3.0)
    for _ in range(3):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch([x, y])
            with tf.GradientTape(persistent=True) as inner:
                inner.watch([x, y])
                a, b = f(x, y)
            slope = inner.gradient(a, x)
        assert slope.numpy() == 36
        assert outer.gradient(slope, x).numpy() == 36
        assert outer.gradient(slope, y).numpy() == 12
        # To a caller the function is one operation: what one result depends on, all of them do.
        assert inner.gradient(b, x).numpy() == 0


def test_a_first_gradient_through_sampled_noise_is_of_that_noise() -> None:
    @tf.function
    def f(x: Any) -> Any:
        noise = tf.random.normal([3])
        return x * noise, noise

    x = tf.ones([3])
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, noise = f(x)
        np.testing.assert_array_equal(tape.gradient(y, x), noise)


def test_an_error_of_a_kernel_is_the_same_in_every_call() -> None:
    @tf.function
    def f(x: Any, places: Any) -> Any:
        return tf.gather(x, places) + tf.gather(x, places - places)

    x = tf.constant([1.0, 2.0])
    assert f(x, tf.constant([1])).numpy().tolist() == [3.0]
    said = set()
    for _ in range(3):

        @tf.function
        def g(x: Any, places: Any) -> Any:
            return tf.gather(x, places)

        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError) as error:
                g(x, tf.constant([7]))
            said.add(str(error.value))
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(x, tf.constant([7]))
    assert len(said) == 1


def test_what_nobody_needs_does_not_run_in_the_first_call() -> None:
    @tf.function
    def f(x: Any, places: Any) -> Any:
        tf.gather(x, places)  # would fail
        return x * 2.0

    for _ in range(3):
        assert f(tf.constant([1.0]), tf.constant([7])).numpy().tolist() == [2.0]


def test_unknown_lengths_are_known_to_the_first_call() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x: Any) -> Any:
        count = tf.shape(x)[0]
        return tf.reshape(x, [count * 2]), tf.zeros([count + 1]), tf.concat([x, x], 0)

    for n in (3, 5, 1):
        flat, zeros, twice = f(tf.ones([n, 2]))
        assert (flat.shape, zeros.shape, twice.shape) == ((2 * n,), (n + 1,), (2 * n, 2))
    assert f.experimental_get_tracing_count() == 1


def test_values_are_let_go_of_at_their_last_use() -> None:
    @tf.function
    def f(x: Any) -> Any:
        for _ in range(20):
            x = tf.sin(x) + 1.0
        return x

    x = tf.ones([1 << 16])
    tf.sin(x)
    tracemalloc.start()
    f(x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * x.numpy().nbytes


def test_threads_may_make_the_first_calls_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    program = graph_call.Program

    def counted(*args: Any) -> Any:
        made.append(args)
        return program(*args)

    monkeypatch.setattr(graph_call, "Program", counted)

    @tf.function
    def f(x: Any) -> Any:
        return tf.exp(x) - 1.0

    count = 4
    barrier = threading.Barrier(count)
    found: list[Any] = []

    def run() -> None:
        barrier.wait()
        found.extend(f(tf.constant(0.0)).numpy() for _ in range(3))

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [0.0] * (3 * count)
    assert len(made) == 1
    assert f.experimental_get_tracing_count() == 1


def test_lengths_of_variables_of_unknown_shape() -> None:
    variable = tf.Variable([[1.0], [2.0]], shape=[None, 1])

    @tf.function
    def f(x: Any) -> Any:
        return tf.tile(x, [tf.shape(variable)[0]]) + tf.reduce_sum(variable)

    assert f([1.0]).numpy().tolist() == [4.0, 4.0]
    variable.assign([[1.0], [2.0], [3.0]])
    assert f([1.0]).numpy().tolist() == [7.0, 7.0, 7.0]
