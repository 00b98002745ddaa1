"""Gradients of the user's inside of traced functions."""

import pytest

import gradtape as tf

X = tf.constant([0.5, 2.0])


@tf.custom_gradient
def tenfold(x):
    """Twice the argument, with a wrong gradient."""
    return x * 2.0, lambda dy: dy * 10.0


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


def orders(f, x, count):
    """The derivatives of the sum of `f`, by tapes around it."""
    if not count:
        return [f(x)]
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = orders(f, x, count - 1)
    return [*found, tape.gradient(found[-1], x)]


def agree(f, x=X, count=2):
    traced = tf.function(f)
    for _ in range(2):
        for got, want in zip(orders(traced, x, count), orders(f, x, count), strict=True):
            assert got.numpy().tolist() == pytest.approx(want.numpy().tolist(), rel=1e-5)
    assert "ran as Python" not in traced.explain()


def test_a_tape_around_the_function_takes_the_users_gradient():
    agree(lambda x: tenfold(x) * x)


def test_a_gradient_that_uses_what_the_function_computed_has_derivatives():
    agree(lambda x: tf.sin(log1pexp(x * x)), count=3)


def test_in_branches_and_loops():
    agree(lambda x: tf.cond(x[0] > 0, lambda: tenfold(x), lambda: x) * x)
    agree(
        lambda x: tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, tenfold(y) * y), (0, x))[1]
    )


def test_in_functions_that_the_function_calls():
    inner = tf.function(lambda x: tenfold(x) + log1pexp(x))
    agree(lambda x: inner(x * x) * x)


def test_a_tape_in_the_function_and_one_around_it():
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = log1pexp(x) * tenfold(x)
        return tape.gradient(y, x)

    agree(slope, count=2)


def test_variables():
    w = tf.Variable(3.0)

    @tf.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            assert variables == [w]
            return dy * w * 5.0, [tf.reduce_sum(dy * x) * 7.0]

        return x * w, grad

    @tf.function
    def f(x):
        w.assign_add(1.0)
        return scaled(x) * 1.0

    for value in (4.0, 5.0):
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = f(X)
        by_x, by_w = tape.gradient(y, [X, w])
        assert by_x.numpy().tolist() == [value * 5] * 2
        assert by_w.numpy() == 17.5


def test_an_error_of_the_gradient_comes_where_the_gradient_is_asked_for():
    @tf.custom_gradient
    def f(x):
        def grad(dy):
            raise ZeroDivisionError

        return x + 1.0, grad

    traced = tf.function(lambda x: f(x) * 2.0)
    assert traced(X).numpy().tolist() == [3, 6]
    with tf.GradientTape() as tape:
        tape.watch(X)
        with pytest.raises(ZeroDivisionError):
            tape.gradient(traced(X), X)


def test_several_arguments_and_results_of_which_some_have_no_gradient():
    def pair(x, n, y):
        total, count = tf.custom_gradient(
            lambda x, y: ((x * n + y, tf.shape(x)[0]), lambda d, _: (d * 2.0, None))
        )(x, y)
        return total * tf.cast(count, tf.float32)

    traced = tf.function(pair)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = traced(X, 3, X * 1.0)
    assert y.numpy().tolist() == [4, 16]
    assert tape.gradient(y, X).numpy().tolist() == [4, 4]


def test_slices_as_a_gradient():
    table = tf.Variable(tf.ones([4, 2]))

    @tf.custom_gradient
    def rows(i):
        def grad(dy, variables=None):
            return None, [tf.IndexedSlices(dy * 3.0, i, tf.constant([4, 2]))]

        return tf.gather(table, i), grad

    @tf.function
    def f(i):
        return tf.reduce_sum(rows(i) * 2.0)

    with tf.GradientTape() as tape:
        y = f(tf.constant([1, 1, 2]))
    found = tape.gradient(y, table)
    assert tf.convert_to_tensor(found).numpy()[:, 0].tolist() == [0, 12, 6, 0]


def test_recomputed_gradients_and_gradients_that_pass_through():
    agree(tf.recompute_grad(lambda x: tf.sin(x) * x), count=2)
    agree(lambda x: tf.grad_pass_through(tf.round)(x) * x, count=2)


def test_programs_do_without_the_operation():
    traced = tf.function(lambda x: log1pexp(x))
    traced(X)
    (trace,) = traced._traced.traces.values()
    assert "CustomGradient" not in {n.primitive.name for n in trace.call.program.graph.nodes}
