"""Conditionals and loops of eager programs: what runs, and what may be returned."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.ops.control import control_flow


def test_cond_runs_one_side():
    ran = []
    assert tf.cond(tf.constant(True), lambda: ran.append(1) or 5, lambda: ran.append(2)) == 5
    assert ran == [1]
    with pytest.raises(TypeError, match="callable"):
        tf.cond(True, 1, lambda: 2)


def test_case_takes_the_first_that_holds():
    pairs = [(tf.constant(False), lambda: 1), (tf.constant(True), lambda: 2)]
    assert tf.case(pairs) == 2
    assert tf.case(pairs[:1], default=lambda: 3) == 3
    twice = [(tf.constant(True), lambda: 1), (tf.constant(True), lambda: 2)]
    assert tf.case(twice, exclusive=True) == 1  # nothing is checked in eager execution
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.case(pairs[:1])


@pytest.mark.parametrize(("index", "got"), [(0, 10), (1, 11), (2, 11), (-1, 11)])
def test_switch_case_takes_the_last_for_other_numbers(index, got):
    assert tf.switch_case(tf.constant(index), [lambda: 10, lambda: 11]) == got


def test_while_loop():
    i, total = tf.while_loop(lambda i, _: i < 5, lambda i, t: (i + 1, t + i), (0, 0))
    assert (int(i), int(total)) == (5, 10)
    (few,) = tf.while_loop(lambda i: i < 5, lambda i: (i + 1,), (0,), maximum_iterations=2)
    assert few == 2


def test_a_loop_has_gradients():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        _, y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * x), (0, 1.0))
    assert tape.gradient(y, x) == 12.0


def looped(x, turns):
    def body(i, y):
        return i + 1, tf.sin(y) * 1.5

    return tf.while_loop(lambda i, y: i < turns, body, (tf.constant(0), x))[1]


def written(x, turns):
    i = tf.constant(0)
    while i < turns:
        x = tf.sin(x) * 1.5
        i += 1
    return x


@pytest.mark.parametrize("loop", [looped, written])
@pytest.mark.parametrize("limit", [0, 20, 10_000])
def test_a_loop_of_known_conditions_is_unrolled_up_to_a_limit(monkeypatch, loop, limit):
    monkeypatch.setattr(control_flow, "MOST_UNROLLED", limit)

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loop(x, 30)
        return y, tape.gradient(y, x)

    x, compiled = tf.constant(1.0), tf.function(step)
    wanted = [v.numpy() for v in step(x)]
    for _ in range(3):
        np.testing.assert_allclose([v.numpy() for v in compiled(x)], wanted, rtol=1e-6)
    operations = compiled.get_concrete_function(x).graph.get_operations()
    assert any("While" in op.type for op in operations) == (limit < 10_000)
    np.testing.assert_allclose(tf.function(step, jit_compile=True)(x)[1], wanted[1], rtol=1e-5)


def test_the_structure_of_a_loop_stays():
    with pytest.raises((ValueError, TypeError)):
        tf.while_loop(lambda i, j: i < 1, lambda i, j: i + 1, (0, 0))
    with pytest.raises(TypeError):
        tf.while_loop(3, lambda i: i, (0,))


def test_folds_and_scans():
    x = np.array([1.0, 2.0, 3.0])
    assert tf.foldl(lambda a, b: a - b, x) == -4.0
    assert tf.foldr(lambda a, b: a - b, x) == 0.0
    assert tf.scan(lambda a, b: a + b, x, np.float64(10)).numpy().tolist() == [11, 13, 16]
    assert tf.scan(lambda a, b: a + b, x, reverse=True).numpy().tolist() == [6, 5, 3]
    pairs = tf.map_fn(lambda p: (p[0] + p[1], p[0]), (x, x), fn_output_signature=(tf.float64,) * 2)
    assert [p.numpy().tolist() for p in pairs] == [[2, 4, 6], [1, 2, 3]]


def test_groups_wait_for_what_they_are_given():
    assert tf.group(tf.constant(1)) is None
    assert tf.no_op() is None
    assert [float(t) for t in tf.tuple([1.0, 2.0])] == [1.0, 2.0]


def test_a_case_without_default_in_a_function_checks_that_one_holds():
    @tf.function
    def choose(x):
        return tf.case([(x > 10, lambda: tf.constant(2)), (x > 0, lambda: tf.constant(1))])

    assert [choose(tf.constant(n)).numpy() for n in (20, 5)] == [2, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions"):
        choose(tf.constant(-1))


def test_outside_of_graphs_a_tuple_is_its_argument():
    values = (1, tf.constant(2))
    assert tf.tuple(values) is values
