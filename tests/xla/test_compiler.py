"""The recorder of compiled programs: what it leaves out, and what it refuses."""

from __future__ import annotations

import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow


def jit(function):
    return tf.function(function, jit_compile=True)


@pytest.mark.parametrize(
    ("operation", "named"),
    [(tf.unique, "unique"), (lambda x: tf.boolean_mask(x, x > 1), "Where")],
)
def test_shapes_that_depend_on_values_are_an_error(operation, named):
    with pytest.raises(
        (NotImplementedError, tf.errors.UnimplementedError),
        match=rf"{named}.*XLA's shapes are fixed.*test_compiler.py:\d+",
    ):
        jit(lambda x: operation(x))(tf.constant([1.0, 2.0]))


def test_what_xla_cannot_compile_is_named_with_its_line():
    with pytest.raises(tf.errors.UnimplementedError, match=r"Where.*shape.*test_compiler.py:\d+"):
        jit(lambda x: tf.where(x > 0))(tf.constant([1.0]))
    with pytest.raises(tf.errors.UnimplementedError, match="strings"):
        jit(lambda x: x)(tf.constant("a"))


def test_stateless_numbers_of_a_traced_seed():
    f = jit(lambda seed: tf.random.stateless_uniform([4], seed))
    a, b, c = (f(tf.constant([1, n])).numpy() for n in (2, 2, 3))
    assert (a == b).all()
    assert (a != c).any()


def test_assertions_on_values_are_left_out():
    @jit
    def f(x):
        tf.debugging.assert_positive(x)
        tf.debugging.assert_less(x, 0.0)
        tf.debugging.Assert(x > 5, [x])
        return x

    assert float(f(tf.constant(-1.0))) == -1
