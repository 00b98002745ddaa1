"""The operation that is to blame for numbers that are not finite."""

import numpy as np
import pytest

import gradtape as tf


def guilty(compute, start=(0.0, 4.0)):
    """The operations that the picture blames, with the reasons."""
    x = tf.Variable(start, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = compute(x)
    graph = tape.graph(y)
    return {op.name: op.fault for op in graph.recording.operations if op.fault}


@pytest.mark.parametrize(
    ("compute", "name", "words"),
    [
        (lambda x: tf.reduce_sum(tf.sqrt(tf.sin(x) * 0.0)), "Sqrt", "sqrt at 0"),
        (lambda x: tf.where(x > 0, tf.pow(x, 0.5), 0.0), "Pow", "`where` over"),
        (lambda x: tf.sqrt(tf.reduce_sum(tf.square(x * 0.0))), "Sqrt", "norm of a zero"),
        (lambda x: tf.reduce_sum(tf.math.log(x * 2.0)), "Log", "log of 0"),
        (lambda x: tf.reduce_mean(tf.exp(x * 100.0) * 3.0), "Exp", "overflow"),
        (lambda x: tf.reduce_sum(tf.sin(1.0 / x)), "RealDiv", "division by zero"),
    ],
)
def test_one_operation_is_guilty(compute, name, words):
    found = guilty(compute)
    assert list(found) == [name]
    assert words in found[name]
    assert "To mend it:" in found[name]


def test_nothing_is_guilty_of_finite_numbers():
    assert guilty(lambda x: tf.reduce_sum(tf.sin(x) * x)) == {}


def test_numbers_that_were_not_finite_at_first_blame_nobody():
    assert guilty(lambda x: tf.reduce_sum(x * x), (np.nan, 1.0)) == {}


def test_the_guilty_operation_alone_is_red():
    x = tf.Variable([0.0, 4.0], name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.math.log(tf.sin(x)) * 2.0)
    graph = tape.graph(y)
    kinds = {s.title: s.kind for s in graph._shapes.values()}
    assert kinds["Log"] == "guilty"
    assert kinds["Sin"] == kinds["x"] == "nonfinite"
    assert "guilty" not in (kinds["Sum = y"], kinds["Mul"])
