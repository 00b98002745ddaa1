"""Functions that are called while another one is traced."""

from __future__ import annotations

from typing import Any

import gradtape as tf


def test_an_inner_function_is_traced_once_for_each_kind_of_call() -> None:
    ran: list[Any] = []

    @tf.function
    def inner(x: Any) -> Any:
        ran.append(tuple(x.shape))
        return tf.reduce_sum(x)

    @tf.function
    def outer(x: Any) -> Any:
        return inner(x) + inner(x + 1.0) + inner(tf.concat([x, x], 0))

    assert outer(tf.ones([2])).numpy() == 10
    inner(tf.ones([4]))
    assert ran == [(2,), (4,)]
    assert inner.experimental_get_tracing_count() == 2


def test_an_inner_function_captures_what_the_outer_one_computed() -> None:
    @tf.function
    def outer(x: Any) -> Any:
        @tf.function
        def inner(y: Any) -> Any:
            return x * y

        with tf.GradientTape() as tape:
            tape.watch(x)
            z = inner(x * x) * inner(x)
        return z, tape.gradient(z, x)

    for value in (3.0, 2.0):
        z, slope = outer(tf.constant(value))
        assert (z.numpy(), slope.numpy()) == (value**5, 5 * value**4)


def test_an_inner_function_reads_variables_as_the_outer_one_left_them() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def inner(x: Any) -> Any:
        v.assign_add(1.0)
        return x * v

    @tf.function
    def outer(x: Any) -> Any:
        v.assign(5.0)
        first = inner(x)
        v.assign(10.0)
        return first, inner(x), v.read_value()

    assert [y.numpy() for y in outer(tf.constant(2.0))] == [12, 22, 11]
    v.assign(0.0)
    with tf.GradientTape() as tape:
        total = tf.add_n(outer(tf.constant(2.0)))
    assert tape.gradient(total, v).numpy() == 5
    assert inner(tf.constant(1.0)).numpy() == v.numpy() == 12


def test_a_python_function_that_changes_a_variable_keeps_its_place() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def inner() -> Any:
        tf.py_function(lambda: v.assign_add(1.0) and None, [], [])
        return v.read_value()

    @tf.function
    def outer() -> Any:
        v.assign(5.0)
        return inner(), v.read_value()

    for _ in range(2):
        assert [y.numpy() for y in outer()] == [6, 6]


def test_a_function_that_calls_itself() -> None:
    @tf.function
    def power(x: Any, n: int) -> Any:
        return tf.ones_like(x) if n == 0 else x * power(x, n - 1)

    assert power(tf.constant(2.0), 5).numpy() == 32
    assert power.experimental_get_tracing_count() == 6


def test_variables_made_by_an_inner_function() -> None:
    class Layer:
        weight: Any = None

        @tf.function
        def __call__(self, x: Any) -> Any:
            if self.weight is None:
                self.weight = tf.Variable(2.0)
            return self.weight * x

    layer = Layer()

    @tf.function
    def outer(x: Any) -> Any:
        return layer(x) + layer(x)

    assert [outer(tf.constant(x)).numpy() for x in (1.0, 2.0)] == [4, 8]


def test_a_constant_that_a_tape_of_the_outer_function_watches() -> None:
    k = tf.constant(3.0)

    @tf.function
    def inner(x: Any) -> Any:
        return x * k

    assert inner(tf.constant(1.0)).numpy() == 3

    @tf.function
    def outer(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(k)
            y = inner(x)
        return tape.gradient(y, k)

    assert outer(tf.constant(7.0)).numpy() == 7


def test_an_assignment_happens_once_if_only_the_gradient_compares_lengths() -> None:
    w = tf.Variable([1.0, 1.0, 1.0])

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def changed(x: tf.Tensor) -> tf.Tensor:
        w.assign(w * 2.0)
        return tf.reduce_sum(tf.boolean_mask(w, w > 0.0) * x)

    for turn in range(1, 5):
        with tf.GradientTape() as tape:
            total = changed(tf.constant([1.0, 2.0, 3.0]))
        assert w.numpy().tolist() == [2.0**turn] * 3
        assert float(total) == 6.0 * 2.0**turn
        assert tape.gradient(total, w) is not None
