"""The values that loops and conditionals of compiled functions carry, and retraces."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("jax")

import gradtape as tf

pytestmark = pytest.mark.slow


def jit(function):
    return tf.function(function, jit_compile=True)


def agree(function, *args):
    args = [tf.constant(a) for a in args]
    plain, compiled = (tf.nest.flatten(f(*args)) for f in (function, jit(function)))
    for x, y in zip(plain, compiled, strict=True):
        np.testing.assert_allclose(y.numpy(), x.numpy(), rtol=2e-5, atol=1e-6)


X = np.float32([1, 2, 3, 4, 5])


@pytest.mark.parametrize("shape", [None, []])
@pytest.mark.parametrize("n", [3, 5])
def test_a_tensor_array_as_a_loop_variable(shape, n):
    def f(x, n):
        given = tf.TensorArray(tf.float32, 5, clear_after_read=False).unstack(x)
        array = tf.TensorArray(tf.float32, 5, element_shape=shape)

        def body(i, array, s):
            return i + 1, array.write(i, s), s * given.read(i)

        _, array, s = tf.while_loop(lambda i, *_: i < n, body, (0, array, 1.0))
        return [array.read(k) for k in range(n_static)], array.size(), s

    n_static = n
    agree(f, X, n)


def test_the_gradient_of_what_a_loop_writes():
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, 5, element_shape=[])

            def body(i, array, s):
                return i + 1, array.write(i, s), s * x[i]

            _, array, _ = tf.while_loop(
                lambda i, *_: i < n, body, (0, array, 1.0), maximum_iterations=5
            )
            y = tf.reduce_sum(array.stack() * x)
        return tape.gradient(y, x)

    agree(f, X, 3)


@pytest.mark.parametrize("i", [0, 1, 2])
def test_tensor_arrays_in_branches(i):
    def f(i, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, 3, element_shape=[]).write(0, x)
            array = tf.switch_case(
                i, [lambda: array.write(1, x * 2), lambda: array.write(2, x * x), lambda: array]
            )
            y = array.stack()
        return y, tape.gradient(y, x)

    with tf.GradientTape():
        want = {0: ([3, 6, 0], 3), 1: ([3, 0, 9], 7), 2: ([3, 0, 0], 1)}[i]
    y, g = jit(f)(tf.constant(i), tf.constant(3.0))
    assert (y.numpy().tolist(), float(g)) == want


def test_a_tensor_array_that_grows_says_what_to_do():
    @jit
    def f(n):
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        return tf.while_loop(lambda i, _: i < n, lambda i, a: (i + 1, a.write(i, 1.0)), (0, array))[
            1
        ].stack()

    with pytest.raises(tf.errors.UnimplementedError, match=r"Give it the size.*test_loops_xla"):
        f(tf.constant(3))


def test_composite_loop_variables_and_results():
    sparse = tf.SparseTensor([[0, 1]], [1.0], [1, 2])
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])

    @jit
    def f(n, s, r):
        s = tf.cond(n > 0, lambda: s, lambda: s.with_values(-s.values))
        return tf.while_loop(
            lambda i, *_: i < n,
            lambda i, s, r: (i + 1, s.with_values(s.values * 2), r.with_values(r.values * 3)),
            (0, s, r),
        )

    _, s, r = f(tf.constant(2), sparse, ragged)
    assert (s.values.numpy().tolist(), s.dense_shape.numpy().tolist()) == ([4], [1, 2])
    assert r.to_list() == [[9], [18, 27]]


def test_a_bound_that_is_a_tensor():
    def f(x, n):
        return tf.while_loop(lambda y: y < 100.0, lambda y: [y * x], [x], maximum_iterations=n)

    agree(f, 1.5, 3)
    agree(f, 1.5, 30)


def test_bodies_must_keep_dtypes_and_shapes():
    def loop(change):
        return jit(
            lambda n: tf.while_loop(lambda i, _: i < n, lambda i, x: (i + 1, change(x)), (0, 1.0))
        )

    with pytest.raises(TypeError, match="float32 became float64"):
        loop(lambda x: tf.cast(x, tf.float64))(tf.constant(2))
    with pytest.raises(ValueError, match="shape_invariants"):
        loop(lambda x: x[None])(tf.constant(2))


def test_functions_keep_the_variables_of_the_time_of_the_call():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * 1.0
            y = tf.cond(y > 0, lambda: y * 2, lambda: y * 3)
            for w in (x, x * x, 0.5):
                step = lambda s, e: s * w + e  # noqa: B023, E731
                y = tf.scan(step, tf.ones([16]) * y * 0.1, y)[-1] * 0.1
        return y, tape.gradient(y, x)

    agree(f, 0.5)


def test_what_changes_behind_a_functions_back_is_as_it_was_when_it_ran():
    class Cell:
        @jit
        def step(self, x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                self.h = x * 1.0
                self.h = tf.cond(x > 0, lambda: self.h * 2, lambda: self.h)
            return tape.gradient(self.h, x)

    assert [float(Cell().step(tf.constant(x))) for x in (1.0, -1.0)] == [2.0, 1.0]


def test_random_numbers_differ_by_turn_and_are_those_of_the_forward_pass():
    @jit
    def f(x, n):
        array = tf.TensorArray(tf.float32, 6, element_shape=[])
        _, array = tf.while_loop(
            lambda i, _: i < n,
            lambda i, a: (i + 1, a.write(i, tf.random.uniform([]))),
            (0, array),
        )
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.scan(lambda s, e: e * tf.random.uniform([]), x, 0.0)
            z = tf.cond(n > 0, lambda: x * tf.random.uniform([20]), lambda: x)
        return array.stack(), y, tape.gradient(y, x), z, tape.gradient(z, x)

    x = tf.fill([20], 2.0)
    numbers, y, dy, z, dz = (v.numpy() for v in f(x, tf.constant(6)))
    assert (len(set(numbers)), len(set(y)), len(set(z))) == (6, 20, 20)
    np.testing.assert_allclose(dy * 2, y, rtol=1e-6)
    np.testing.assert_allclose(dz * 2, z, rtol=1e-6)


def test_loops_and_choices_in_vectorized_functions():
    def f(x, n):
        return (
            tf.vectorized_map(lambda r: tf.cond(r > 2, lambda: r * 2, lambda: -r), x),
            tf.vectorized_map(
                lambda r: tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * r), (0, 1.0)),
                x,
            ),
            tf.vectorized_map(lambda r: tf.while_loop(lambda y: y < 10, lambda y: [y * 2], [r]), x),
        )

    choice, (turns, power), (doubled,) = jit(f)(tf.constant(X), tf.constant(3))
    assert choice.numpy().tolist() == [-1, -2, 6, 8, 10]
    assert turns.numpy().tolist() == [3] * 5
    assert power.numpy().tolist() == [1, 8, 27, 64, 125]
    assert doubled.numpy().tolist() == [16, 16, 12, 16, 10]


def test_positions_that_are_tensors():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

    def f(x, i):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = [
                x[i],
                x[:, i],
                x[..., i, None],
                x[0, i, 1:3],
                x[:, -i, ::2],
                x[i, :, i],
                x[i, i, i],
            ]
            total = sum(tf.reduce_sum(tf.square(part)) for part in y)
        return y, tape.gradient(total, x)

    agree(f, x, 1)


def test_map_fn_checks_its_dtypes():
    with pytest.raises(TypeError, match="fn_output_signature"):
        jit(lambda x: tf.map_fn(lambda e: tf.cast(e, tf.int32), x))(tf.zeros([20]))
