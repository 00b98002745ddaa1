"""Conditionals and loops inside compiled functions: the same as without compiling."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("jax")

import gradtape as tf

pytestmark = pytest.mark.slow


def both(function, *args):
    """The results without and with compiling, as lists of arrays."""
    results = []
    for run in (function, tf.function(function, jit_compile=True)):
        out = run(*[tf.constant(a) for a in args])
        out = list(out) if isinstance(out, (list, tuple)) else [out]
        results.append([np.asarray(y) for y in out])
    return results


def agree(function, *args):
    for plain, compiled in zip(*both(function, *args), strict=True):
        np.testing.assert_allclose(compiled, plain, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("x", [2.0, -2.0])
def test_cond_with_gradient_to_second_order(x):
    def f(x):
        w = x * 3.0
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.cond(x > 0, lambda: tf.sin(x) * w, lambda: x * x * x)
            g = tape.gradient(y, x)
        return y, g, outer.gradient(g, x)

    agree(f, x)


@pytest.mark.parametrize("x", [2.0, -2.0])
def test_cond_that_writes_variables(x):
    v = tf.Variable(1.0)

    def f(x):
        return tf.cond(x > 0, lambda: v.assign_add(x) + 0.0, lambda: x)

    plain = f(tf.constant(x))
    after = v.numpy()
    v.assign(1.0)
    compiled = tf.function(f, jit_compile=True)(tf.constant(x))
    assert (compiled.numpy(), v.numpy()) == (plain.numpy(), after)


@pytest.mark.parametrize("changed", [lambda v: v.assign_add(1), lambda v: v.assign_add(1) * 2])
def test_what_an_assignment_returns_is_the_variable(changed):
    def counted(n):
        v.assign(0)
        _, last = tf.while_loop(
            lambda n, _: n > 0, lambda n, _: (n - 1, changed(v)), (n, tf.constant(0))
        )
        return last, v.read_value()

    v = tf.Variable(0)
    agree(counted, 3)


def test_cond_on_variables_has_their_gradient():
    v = tf.Variable(3.0)

    def f(x):
        with tf.GradientTape() as tape:
            y = tf.cond(x > 0, lambda: v * v * x, lambda: v)
        return tape.gradient(y, v)

    agree(f, 2.0)
    agree(f, -2.0)


def test_jacobian_through_cond():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.exp(x) * x[0], lambda: x)
        return tape.jacobian(y, x)

    agree(f, np.array([0.5, 1.5], np.float32))


def test_while_loop():
    def f(x):
        return tf.while_loop(lambda i, y: y < 100.0, lambda i, y: (i + 1, y * x), (0, x))

    agree(f, 1.5)


def test_gradient_of_a_while_loop_of_bounded_length():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            _, y = tf.while_loop(
                lambda i, y: y < 100.0, lambda i, y: (i + 1, y * x), (0, x), maximum_iterations=20
            )
        return y, tape.gradient(y, x)

    agree(f, 1.5)


def test_gradient_of_a_while_loop_without_bound_says_what_to_do():
    @tf.function(jit_compile=True)
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            (y,) = tf.while_loop(lambda y: y < 100.0, lambda y: (y * x,), (x,))
        return tape.gradient(y, x)

    with pytest.raises(ValueError, match="maximum_iterations"):
        f(tf.constant(1.5))


def power(x, n, most=None):
    body = lambda i, y: (i + 1, y * x)  # noqa: E731
    return tf.while_loop(lambda i, _: i < n, body, (0, 1.0), maximum_iterations=most)[1]


def test_while_loops_of_many_examples():
    @tf.function(jit_compile=True)
    def powers(x, n):
        of_each = tf.vectorized_map(lambda one: power(*one), (x, n))
        to_two = tf.vectorized_map(lambda base: power(base, n[1]), x)
        of_all = lambda base: tf.vectorized_map(lambda k: power(base, k), n)  # noqa: E731
        return of_each, to_two, tf.vectorized_map(of_all, x)

    x, n = np.array([1, 2, 3], "f"), np.array([1, 2, 3])
    found = powers(tf.constant(x), tf.constant(n, tf.int32))
    for got, wanted in zip(found, (x**n, x**2, x[:, None] ** n), strict=True):
        np.testing.assert_allclose(got, wanted)


def test_loops_of_many_examples_whose_operations_numpy_computes():
    @tf.function(jit_compile=True)
    def roots(x):
        body = lambda i, y: (i + 1, tf.linalg.sqrtm(y))  # noqa: E731
        start = lambda one: (tf.cast(one[0, 0] * 0, tf.int32), one)  # noqa: E731
        run = lambda one: tf.while_loop(lambda i, _: i < 2, body, start(one))[1]  # noqa: E731
        return tf.vectorized_map(run, x)

    x = np.stack([np.eye(2, dtype="f") * k for k in (2, 3)])
    np.testing.assert_allclose(roots(tf.constant(x**4)), x)


def test_second_derivatives_of_many_loops_of_bounded_length():
    def f(x, n):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.vectorized_map(lambda one: power(one, n, 4), x)
            slopes = tape.jacobian(y, x)
        return slopes, outer.jacobian(slopes, x)

    agree(f, [1.0, 2.0], 3)


def test_gradient_of_many_loops_without_bound_says_what_to_do():
    @tf.function(jit_compile=True)
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.vectorized_map(lambda one: power(one, n), x)
        return tape.gradient(y, x)

    with pytest.raises(ValueError, match="maximum_iterations"):
        f(tf.constant([1.0, 2.0]), tf.constant(3))


@pytest.mark.parametrize("reverse", [False, True])
def test_scan_with_gradient_to_second_order(reverse):
    def f(xs, w):
        with tf.GradientTape() as outer:
            outer.watch(w)
            with tf.GradientTape() as tape:
                tape.watch([xs, w])
                ys = tf.scan(lambda s, x: tf.tanh(s * w + x), xs, tf.constant(0.1), reverse=reverse)
                z = tf.reduce_sum(ys * ys)
            gs = tape.gradient(z, [xs, w])
        return ys, *gs, outer.gradient(gs[1], w)

    agree(f, np.linspace(-1, 1, 20).astype(np.float32), 0.7)


def test_jacobian_through_foldl():
    def f(xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = tf.foldl(lambda s, x: s * 0.9 + x * [1.0, 2.0], xs, tf.zeros([2]))
        return tape.jacobian(y, xs)

    agree(f, np.linspace(-1, 1, 20).astype(np.float32))


def test_map_fn():
    w = tf.Variable(2.0)

    def f(xs):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.map_fn(lambda x: tf.sin(x * w), xs))
        return y, tape.gradient(y, w)

    agree(f, np.linspace(-1, 1, 20).astype(np.float32))


def test_branches_must_agree():
    @tf.function(jit_compile=True)
    def f(x):
        return tf.cond(x > 0, lambda: x, lambda: tf.zeros([2]))

    with pytest.raises(tf.errors.UnimplementedError, match=r"different ranks.*test_lax_control"):
        f(tf.constant(1.0))


@pytest.mark.parametrize("i", [0, 1, 2, 7])
def test_switch_case_and_case(i):
    def f(i, x):
        branches = [lambda: x, lambda: x * 2, lambda: x * 3]
        pairs = [(i > 1, lambda: x), (i > 0, lambda: x * 2)]
        return tf.switch_case(i, branches), tf.case(pairs, default=lambda: -x), tf.case(pairs[:1])

    compiled = tf.function(f, jit_compile=True)
    got = compiled(tf.constant(i), tf.constant(5.0))
    assert float(got[0]) == {0: 5, 1: 10}.get(i, 15)
    assert float(got[1]) == {0: -5, 1: 10}.get(i, 5)


def test_a_condition_is_compiled_for_its_value_if_lengths_depend_on_it():
    @tf.function(jit_compile=True)
    def f(p, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(p, lambda: x, lambda: tf.concat([x, x], 0))
            total = tf.reduce_sum(y**2)
        return y, tape.gradient(total, x)

    for p, y, g in ((True, [1, 1], [2, 2]), (False, [1, 1, 1, 1], [4, 4]), (True, [1, 1], [2, 2])):
        found = f(tf.constant(p), tf.ones([2]))
        np.testing.assert_array_equal(found[0], y)
        np.testing.assert_array_equal(found[1], g)
    assert f.experimental_get_tracing_count() >= 2


def test_branches_of_several_lengths_by_number():
    @tf.function(jit_compile=True)
    def f(n, x):
        return tf.switch_case(n, [lambda: x, lambda: x[:1], lambda: x[:0]])

    assert [f(tf.constant(n), tf.ones([2])).shape[0] for n in range(3)] == [2, 1, 0]


def test_lengths_that_depend_on_computed_conditions_are_refused():
    @tf.function(jit_compile=True)
    def f(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: tf.concat([x, x], 0))

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf.cond can't be compiled.*, in f"):
        f(tf.ones([2]))


def test_loops_whose_variables_grow_are_refused():
    @tf.function(jit_compile=True)
    def f(n, x):
        grown = [tf.TensorShape([]), tf.TensorShape([None])]
        step = lambda i, x: (i + 1, tf.concat([x, x], 0))  # noqa: E731
        return tf.while_loop(lambda i, _: i < n, step, [0, x], grown)[1]

    message = r"tf.while_loop can't be compiled: .*shape \(2,\) gets shape \(4,\).*, in f"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        f(tf.constant(3), tf.ones([2]))
