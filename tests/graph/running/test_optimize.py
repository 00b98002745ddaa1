"""Passes over graphs: fewer nodes, the same results."""

import pytest

import gradtape as tf


def operations(function, *specs):
    """The kinds of operations that run for a traced function."""
    concrete = tf.function(function).get_concrete_function(*specs)
    return [op.type for op in concrete.graph.get_operations()]


VECTOR = tf.TensorSpec([3], tf.float32)


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (lambda x: (tf.sin(x), tf.sin(x)), [[0.841471], [0.841471]]),
        (lambda x: (x * 1.0 + 0.0,), [[1.0]]),
        (lambda x: (tf.identity(tf.reshape(x, [1])),), [[1.0]]),
        (lambda x: (tf.transpose(tf.transpose(x)) / 1.0,), [[1.0]]),
        (lambda x: (x - 0.0, x * 0.0), [[1.0], [0.0]]),
    ],
)
def test_results_stay_the_same(function, result):
    found = tf.function(function)(tf.constant([1.0]))
    for got, want in zip(found, result, strict=True):
        assert got.numpy().tolist() == pytest.approx(want, rel=1e-5)


def test_negative_zero_is_not_lost():
    got = tf.function(lambda x: x + 0.0)(tf.constant([-0.0]))
    assert str(got.numpy()[0]) == "0.0"
    kept = tf.function(lambda x: x - 0.0)(tf.constant([-0.0]))
    assert str(kept.numpy()[0]) == "-0.0"


def test_what_has_effects_stays():
    v = tf.Variable(0.0)

    @tf.function
    def f(x):
        v.assign_add(1.0)
        v.assign_add(1.0)
        return x

    f(tf.constant(1.0))
    assert float(v) == 2


def test_programs_see_the_operations_that_they_wrote():
    assert "Sin" in operations(tf.sin, VECTOR)
