"""Every sample is lowered for NVIDIA's GPUs, which needs none: JAX must know how, for each step.

The test shows what has no form for GPUs, such as a function of LAPACK. What XLA's compiler for GPUs
makes of the programs, `make test-gpu` shows.
"""

from __future__ import annotations

import re

import pytest
from checks import all_outputs, tensors
from samples import SAMPLES

import gradtape as tf
from gradtape._src.xla.program import state_spec

pytestmark = pytest.mark.slow
jax = pytest.importorskip("jax")

LENGTHS_BY_VALUES = {"GrowRows"}
CALLED_BACK = {"MatrixSquareRoot"}  # JAX lowers callbacks only for the device that runs them
LOWERED = [s for s in SAMPLES if s.op not in LENGTHS_BY_VALUES | CALLED_BACK]
LIBRARIES = re.compile(r"cusolver_\w+|cusparse_\w+|cublas_\w+|cu_\w+|cuhybrid_\w+|Sharding")


@pytest.mark.parametrize("sample", LOWERED, ids=[s.id for s in LOWERED])
def test_samples_have_a_form_for_gpus(sample):
    def once(xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = all_outputs(sample.call, xs)
            live = [y for y in ys if y.dtype.differentiable]
        return ys, tape.gradient(live, xs)

    xs = tensors(sample.inputs)
    run = tf.function(once, jit_compile=True)
    trace, leaves = run._traces().found(once, (xs,), {}, alone=True)
    given = [*leaves, *trace.captured]
    program = trace.call.program_for(given)
    with jax.enable_x64(True):
        traced = program.run.trace(*program._state_specs(), *map(state_spec, given))
        text = traced.lower(lowering_platforms=("cuda",)).as_text()
    assert "func.func public @main" in text
    for target in re.findall(r"custom_call @([\w.$]+)", text):
        assert LIBRARIES.fullmatch(target), target
