"""An operation has as many outputs as its declaration says."""

import pytest
from checks import tensors
from samples import SAMPLES

import gradtape as tf

pytestmark = pytest.mark.slow


def recorded(sample):
    """The declared and the actual number of outputs of each operation that a sample records."""
    xs = tensors(sample.inputs)
    with tf.GradientTape() as tape:
        tape.watch(xs)
        sample.call(*xs)
    for plan, out, *_ in tape.records:
        yield plan.primitive, len(out) if isinstance(out, tuple) else 1


@pytest.mark.parametrize("sample", SAMPLES, ids=[s.id for s in SAMPLES])
def test_an_operation_has_the_outputs_that_are_declared(sample):
    for primitive, count in recorded(sample):
        assert primitive.outputs in (count, None), primitive.name


def test_operations_of_several_outputs_are_recorded():
    counts = {p.name: count for s in SAMPLES for p, count in recorded(s) if count > 1}
    assert counts.keys() >= {"Svd", "Qr", "Eig", "SelfAdjointEigV2", "Unpack", "SplitV"}
