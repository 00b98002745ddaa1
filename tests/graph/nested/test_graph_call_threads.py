"""Graphs that assign variables, in several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gates import PATIENCE, Gate

import gradtape as tf
from gradtape._src.base.device_values import state_lock


def _python(x: Any) -> Any:
    return tf.ensure_shape(tf.py_function(lambda y: y, [x], tf.float32), [])


BESIDES: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda x: x,
    "python": _python,
    "python in a branch": lambda x: tf.cond(x > 0.0, lambda: _python(x), lambda: x),
    "random": lambda x: x * tf.random.uniform([]),
}


def _run_under(kind: str, step: Callable[[Any], Any]) -> Callable[[], None]:
    def run() -> None:
        x = tf.constant(1.0)
        if kind == "tape":
            with tf.GradientTape() as tape:
                tape.watch(x)
                step(x)
        else:
            step(x)

    return run


@pytest.mark.parametrize("besides", BESIDES)
@pytest.mark.parametrize("kind", ["alone", "tape"])
def test_updates_are_atomic(besides: str, kind: str, monkeypatch: Any) -> None:
    v, rows = tf.Variable(0.0), tf.Variable([0.0, 0.0])
    other, one = BESIDES[besides], tf.IndexedSlices(tf.constant([1.0]), tf.constant([1]))

    @tf.function
    def step(x: Any) -> Any:
        y = other(x)
        v.assign_sub(1.0)
        tf.print("gate")
        v.assign_add(3.0)
        rows.scatter_add(one)
        return y * other(x)

    run = _run_under(kind, step)
    for _ in range(3):  # before the derivative is a graph
        run()
    Gate(monkeypatch).check_alone(run)
    assert float(v) == 10
    assert rows.numpy().tolist() == [0, 5]


def test_a_queue_may_wait_for_another_graph() -> None:
    v, queue = tf.Variable(0.0), tf.queue.FIFOQueue(1, [tf.float32], [[]])

    @tf.function
    def take() -> Any:
        v.assign_add(1.0)
        x = queue.dequeue()
        v.assign_add(x)
        return x

    @tf.function
    def give() -> None:
        v.assign_add(10.0)
        queue.enqueue(100.0)

    taker = threading.Thread(target=take, daemon=True)
    taker.start()
    give()
    taker.join(PATIENCE)
    assert float(v) == 111


def test_a_dataset_may_wait_for_another_thread() -> None:
    v = tf.Variable(0.0)
    asked, made = threading.Event(), threading.Event()

    def assign() -> None:
        assert asked.wait(PATIENCE)
        v.assign_add(10.0)
        made.set()

    def elements() -> Iterator[float]:
        asked.set()
        assert made.wait(PATIENCE)
        yield 100.0

    rows = iter(tf.data.Dataset.from_generator(elements, output_signature=tf.TensorSpec([])))

    @tf.function
    def step() -> None:
        v.assign_add(1.0)
        v.assign_add(next(rows))

    other = threading.Thread(target=assign)
    other.start()
    step()
    other.join()
    assert float(v) == 111


def test_a_thread_that_makes_a_derivative_waits_for_no_other_lock() -> None:
    v = tf.Variable(0.0)
    square = tf.function(lambda x: x * x)
    assign = tf.function(lambda: v.assign_add(1.0))
    assign()
    x = tf.constant(3.0)

    def slope() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = square(x)
        return tape.gradient(y, x)

    slope()
    done = threading.Event()

    def hold() -> None:
        with state_lock:
            other = threading.Thread(target=slope, daemon=True)
            other.start()
            other.join(0.3)  # The other thread makes the derivative, and waits.
            assign()
            done.set()

    threading.Thread(target=hold, daemon=True).start()
    assert done.wait(PATIENCE / 6)
    assert float(slope()) == 6
