"""Elementwise operations: their partial derivatives by what they name."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.declare.general import REGISTRY
from gradtape._src.declare.pointwise import binary, itself_out, unary


@pytest.fixture
def declared():
    names = []

    def declare(family, name, *args, **options):
        names.append(name)
        return family(name, *args, **options)

    yield declare
    for name in names:
        REGISTRY.pop(name, None)


def gradients(run, *values):
    xs = [tf.constant(v, tf.float64) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = run(*xs)
    return [np.asarray(g).tolist() for g in tape.gradient(y, xs)]


@pytest.mark.parametrize(
    ("partial", "slope"),
    [(lambda x: 3 * x * x, 12.0), (itself_out, 8.0), (lambda x, out: out / x, 4.0), (2.5, 2.5)],
)
def test_a_partial_names_the_input_the_output_or_is_a_number(declared, partial, slope):
    run = declared(unary, "TestCube", lambda x: x**3, partial)
    assert gradients(run, 2.0) == [slope]


def test_partials_of_two_inputs_that_broadcast(declared):
    run = declared(binary, "TestProduct", np.multiply, lambda y: y, lambda x: x)
    assert gradients(run, [[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0]) == [
        [[10, 20], [10, 20]],
        [4, 6],
    ]


def test_second_derivatives_come_from_the_partial(declared):
    run = declared(unary, "TestCube", lambda x: x**3, lambda x: 3 * x * x)
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = run(x)
        g = tape.gradient(y, x)
    assert outer.gradient(g, x) == 12.0


def test_a_guarded_partial_leaves_zeros_alone(declared):
    run = declared(unary, "TestRoot", np.sqrt, lambda out: 0.5 / out, guarded=True)
    x = tf.constant([0.0, 4.0])
    with tf.GradientTape() as tape, np.errstate(divide="ignore"):
        tape.watch(x)
        y = run(x) * tf.constant([0.0, 1.0])
        g = tape.gradient(y, x)
    assert g.numpy().tolist() == [0, 0.25]


def test_the_gradient_of_a_complex_number_is_conjugated(declared):
    run = declared(unary, "TestSquare", np.square, lambda x: 2 * x)
    z = tf.constant(1 + 2j)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = run(z)
    assert tape.gradient(y, z).numpy() == 2 - 4j
