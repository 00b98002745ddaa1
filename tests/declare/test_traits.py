"""Traits in declarations: every hazard of a non-finite number is declared."""

import numpy as np
import pytest

import gradtape as tf
from gradtape import raw_ops  # noqa: F401 (loads every operation)
from gradtape._src.autodiff.sparsity import RULES
from gradtape._src.declare.general import REGISTRY
from gradtape._src.declare.pointwise import Binary, Unary
from gradtape._src.declare.traits import Hazard, Pattern, traits_of
from gradtape._src.inspect import traps
from gradtape._src.inspect.finiteness import finite
from gradtape._src.inspect.traps import Operand, Trap

POINTS = np.array([-2.5, -1, -0.5, 0, 0.5, 1, 2.5])
ELEMENTWISE = {
    name: p
    for name, p in REGISTRY.items()
    if isinstance(p, (Unary, Binary)) and (p.dtypes is None or np.float64 in p.dtypes)
}


def run(primitive):
    """The results and gradients of an operation at points where many are not finite."""
    columns = [POINTS] if isinstance(primitive, Unary) else np.meshgrid(POINTS, POINTS)
    inputs = [tf.constant(c.ravel()) for c in columns]
    with np.errstate(all="ignore"), tf.GradientTape() as tape:
        tape.watch(inputs)
        out = primitive.bind(*inputs)
    with np.errstate(all="ignore"):
        return [out, *(g for g in tape.gradient(out, inputs) if g is not None)]


@pytest.mark.parametrize("name", sorted(set(ELEMENTWISE) - {"StringJoin"}))
def test_an_operation_that_is_not_finite_everywhere_declares_its_hazard(name):
    hazard = traits_of(ELEMENTWISE[name]).hazard
    if not all(finite(x) for x in run(ELEMENTWISE[name])):
        assert hazard is not None
    elif hazard is not None:
        assert hazard is Hazard.PRODUCT  # whose operands are infinite already


@pytest.mark.parametrize("name", sorted(n for n, p in REGISTRY.items() if traits_of(p).hazard))
def test_a_hazard_is_named_at_the_ends_of_what_is_allowed(name):
    operands = [Operand("x", (3,), "float64", -2.0, 2.0, 1, 0, 0)] * 2
    hazard = traits_of(REGISTRY[name]).hazard
    forward = traps.forward(hazard, operands, nan=True)
    backward = traps.backward(hazard, operands, of_squares=False, masked=False)
    expected = {Hazard.NORM, Hazard.PRODUCT, Hazard.MEAN}
    assert (forward is Trap.UNKNOWN) == (hazard in expected)
    assert (backward is Trap.OVERFLOW) == (hazard in {Hazard.PRODUCT, Hazard.MEAN})


def test_operations_that_pass_numbers_on_make_none():
    passing = [p for p in ELEMENTWISE.values() if traits_of(p).passes_on]
    assert {p.name for p in passing} >= {"Neg", "Maximum", "Sign"}
    for primitive in passing:
        assert traits_of(primitive).hazard is None
        assert all(finite(x) for x in run(primitive))


def test_every_pattern_has_a_rule_and_an_operation():
    assert set(RULES) == set(Pattern)
    assert {traits_of(p).pattern for p in REGISTRY.values()} == {*Pattern, None} - {Pattern.DENSE}
