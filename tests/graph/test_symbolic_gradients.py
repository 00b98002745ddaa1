"""`tf.gradients` inside of functions."""

import pytest

import gradtape as tf
from gradtape._src.graph.symbolic_gradients import Derivatives
from gradtape._src.graph.tracing.tracer import tracing

x = tf.constant(3.0)


def slopes(body, *args):
    return [None if g is None else float(g) for g in tf.function(body)(*args)]


def test_of_arguments_variables_constants_and_what_was_computed():
    v = tf.Variable(2.0)

    def body(a):
        c = tf.constant(5.0)
        y = a * a
        z = y * v * c
        return tf.gradients([z, y], [a, y, v, c, tf.constant(1.0)])

    assert slopes(body, x) == [66.0, 11.0, 45.0, 18.0, None]


def test_output_gradients_constants_and_unconnected_sources():
    def body(a):
        y = a * a
        return (
            tf.gradients([y, a], a, grad_ys=[tf.constant(2.0), None])
            + tf.gradients(y * a, [a, y], stop_gradients=[y])
            + tf.gradients(y, tf.constant(1.0), unconnected_gradients="zero")
        )

    assert slopes(body, x) == [13.0, 9.0, 3.0, 0.0]


def test_gradients_of_gradients_and_a_tape_outside():
    third = tf.function(lambda a: tf.gradients(tf.gradients(a**3, a)[0], a)[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = third(x)
    assert float(y) == 18.0
    assert float(tape.gradient(y, x)) == 6.0


def test_numbers_of_python_stay_constants_in_other_functions():
    double = tf.function(lambda a: tf.gradients(a * 0.8125, a)[0] + a * 0.8125)
    assert float(double(x)) == 0.8125 * 4
    traced = tf.function(lambda a: tf.tanh(a) * 0.8125).get_concrete_function(x)
    assert traced.captured_inputs == []
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = double(x)
    assert float(tape.gradient(y, x)) == 0.8125


def test_in_a_helper_and_step_by_step():
    v = tf.Variable(2.0)

    def slope():
        return tf.gradients(v * v, v)[0]

    @tf.function
    def step():
        g = slope()
        v.assign_sub(0.1 * g)
        return g

    assert [float(step()), float(step())] == pytest.approx([4.0, 3.2])


def test_where_there_is_no_function():
    with pytest.raises(RuntimeError, match=r"inside of a tf\.function"):
        tf.gradients(x, x)
    with pytest.raises(AttributeError, match="not None"):
        tf.function(lambda a: tf.gradients(a, None))(x)


def test_the_name_gradients_alone_means_nothing():
    class Optimizer:
        gradients = 2.0

    opt, v = Optimizer(), tf.Variable(1.0)

    @tf.function
    def step(a):
        gradients = opt.gradients * a
        v.assign_add(gradients)
        return gradients

    assert [float(step(x)), float(step(x)), float(v)] == [6.0, 6.0, 13.0]


def test_under_any_name():
    ask = tf.gradients
    table = {"slope": lambda y, x: ask(y, x)[0]}
    slope = tf.function(lambda a: table["slope"](a * a, a))
    assert [float(slope(x)) for _ in range(3)] == [6.0] * 3


def test_what_the_first_call_did_before_it_is_done_once():
    count, weights = tf.Variable(0), tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    made = []

    def work(a, gradient):
        if not made:
            made.append(tf.Variable(5.0))
        count.assign_add(1)
        weights.scatter_add(tf.IndexedSlices([[1.0, 1.0]], [0]))
        made[0].assign_add(1.0)
        noise = tf.random.normal([2]), tf.random.normal([2], seed=3)
        return gradient(a * a, a), noise

    plain = tf.function(lambda a: work(a, lambda y, _: y))
    step = tf.function(lambda a: work(a, lambda y, a: tf.gradients(y, a)[0]))
    tf.random.set_seed(4)
    _, expected = plain(x)
    made.clear()
    count.assign(0)
    weights.assign([[1.0, 2.0], [3.0, 4.0]])
    tf.random.set_seed(4)
    g, noise = step(x)
    assert float(g) == 6.0
    assert int(count) == 1
    assert weights.numpy().tolist() == [[2.0, 3.0], [3.0, 4.0]]
    assert float(made[0]) == 6.0
    for found, wanted in zip(noise, expected, strict=True):
        assert found.numpy().tolist() == wanted.numpy().tolist()
    step(x)
    assert int(count) == 2


def test_a_branch_that_is_first_taken_later():
    v = tf.Variable(0.0)

    @tf.function
    def pure(a, ask):
        return tf.gradients(a * a, a)[0] if ask else a

    @tf.function
    def changing(a, ask):
        v.assign_add(1.0)
        return tf.gradients(a * a, a)[0] if ask else a

    assert [float(pure(x, False)), float(pure(x, True)), float(pure(x, False))] == [3.0, 6.0, 3.0]
    changing(x, False)
    assert [float(changing(x, True)), float(v)] == [6.0, 2.0]


def test_a_function_in_a_function():
    v = tf.Variable(0.0)

    @tf.function
    def inner(a):
        v.assign_add(1.0)
        return tf.gradients(a**3, a)[0]

    @tf.function
    def outer(a):
        v.assign_add(10.0)
        return inner(a) + 1

    assert [float(outer(x)), float(v), float(outer(x)), float(v)] == [28.0, 11.0, 28.0, 22.0]


def test_a_first_call_that_fails_changes_nothing_and_is_first_again():
    v = tf.Variable(0.0)
    fail = [True]

    @tf.function
    def step(a):
        v.assign_add(1.0)
        if fail:
            raise ZeroDivisionError
        return tf.gradients(a * a, a)[0]

    with pytest.raises(ZeroDivisionError):
        step(x)
    assert float(v) == 0.0
    fail.clear()
    assert float(step(x)) == 6.0
    assert float(v) == 1.0


def test_a_tape_in_a_first_call_vjps_as_always():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        g = tape.gradient(loss, v)
        v.assign_sub(g)
        return g

    assert step().numpy().tolist() == [2.0, 4.0]
    assert v.numpy().tolist() == [-1.0, -2.0]


def test_the_error_outside_is_a_runtime_error_in_functions_that_run_eagerly_too():
    slope = tf.function(lambda a: tf.gradients(a * a, a)[0])
    tf.config.run_functions_eagerly(True)
    try:
        with pytest.raises(RuntimeError, match="when eager execution is enabled"):
            slope(x)
    finally:
        tf.config.run_functions_eagerly(False)


def test_gradients_of_eager_tensors():
    x = tf.constant(1.0)
    with pytest.raises(RuntimeError, match="GradientTape"):
        tf.gradients(x, x)


def test_of_constants_of_which_other_constants_were_computed():
    def body(a):
        c = tf.constant(5.0)
        d = c * c
        return tf.gradients(d * a, [c, d, a])

    assert slopes(body, x) == [30.0, 3.0, 25.0]


def test_in_a_branch_of_what_it_captures():
    v = tf.Variable(2.0)

    def body(a):
        b = a * 2.0
        return tf.cond(
            a > 0.0, lambda: tf.gradients(b * b * v, [b, v]), lambda: [tf.constant(0.0)] * 2
        )

    assert slopes(body, x) == [24.0, 36.0]


def test_in_a_function_that_is_not_traced():
    def body(a):
        if tf.inside_function():
            raise NotImplementedError("Symbol")
        return tf.gradients(a * a, a)[0]

    with pytest.raises(RuntimeError, match="explain"):
        tf.function(body)(x)


def test_a_gradient_of_a_late_step_looks_at_the_nodes_of_this_step_only():
    counts, found = [], []

    def counted(node):
        counts[-1] += 1

    @tf.function
    def chain(x):
        for _ in range(20):
            x = tf.identity(x * 1.0)
            y = tf.sin(x) * 2.0
            counts.append(0)
            found.append(Derivatives(tracing(), counted).of([y], [x], None, [], False)[0])
            x += found[-1]
        return found

    chain(x)
    assert counts[1:] == [counts[1]] * 19


def test_sources_that_depend_on_one_another():
    def body(a):
        b = a * a
        c = b * a
        return tf.gradients(c * b, [c, a, b])

    assert slopes(body, x) == [9.0, 405.0, 54.0]
