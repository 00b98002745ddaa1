"""Every sample under XLA: the same values and gradients as under NumPy."""

from __future__ import annotations

import os

import numpy as np
import pytest
from checks import all_outputs, draw, rng, tensors, values, vjp
from samples import SAMPLES
from tolerances import close

import gradtape as tf

jax = pytest.importorskip("jax")


@pytest.fixture(autouse=True, scope="module")
def _quick():
    """Most of the time goes to XLA's optimizations, which change no more than the last digits."""
    if os.environ.get("GRADTAPE_TEST_OPTIMIZED"):  # `make test` has not the time for it
        yield
        return
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


REASONS: dict[str, str] = {
    "RandomGamma": "its sample draws with an engine of NumPy's; test_function.py tests it",
}
"""Samples that XLA can't run, with the reason; docs/xla.md repeats them."""


@pytest.mark.parametrize("sample", SAMPLES, ids=[s.id for s in SAMPLES])
def test_the_same_under_xla(sample):
    if sample.id in REASONS or sample.op in REASONS:
        pytest.skip(REASONS.get(sample.id) or REASONS[sample.op])
    us = [draw(rng(sample.id), y) for y in values(sample.call, sample.inputs)]
    want_values = all_outputs(sample.call, tensors(sample.inputs))
    want = vjp(sample.call, sample.inputs, us)

    @tf.function(jit_compile=True)
    def run(xs, us):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = sample.call(*xs)
            ys = list(ys) if isinstance(ys, (list, tuple)) else [ys]
            live = [y for y in ys if y.dtype.differentiable]
        return ys, tape.gradient(live, xs, output_gradients=us)

    ys, gs = run(tensors(sample.inputs), [tf.constant(u) for u in us])
    for y, w in zip(ys, want_values, strict=True):
        close(y.numpy(), w)
    for g, w, x in zip(gs, want, sample.inputs, strict=True):
        close(np.zeros_like(x) if g is None else tf.convert_to_tensor(g).numpy(), w)
