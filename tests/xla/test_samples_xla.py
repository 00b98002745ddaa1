"""Every sample under XLA: the same values and gradients as under NumPy.

`GRADTAPE_TEST_OPTIMIZED=1` runs them with XLA's usual optimizations and to second order, which
takes several times as long: docs/xla.md tells what came of it.
"""

from __future__ import annotations

import dataclasses
import os

import numpy as np
import pytest
from checks import all_outputs, dense, double_vjp, draw, rng, tensors, values, vjp
from samples import SAMPLES
from tolerances import close

import gradtape as tf

pytestmark = pytest.mark.slow

jax = pytest.importorskip("jax")
OPTIMIZED = bool(os.environ.get("GRADTAPE_TEST_OPTIMIZED"))


@pytest.fixture(autouse=True, scope="module")
def _quick():
    """Most of the time goes to XLA's optimizations, which change no more than the last digits."""
    if OPTIMIZED:  # `make test` has not the time for it
        yield
        return
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


CALLED_BACK = {"MatrixSquareRoot"}
"""Operations whose programs call SciPy while they run; no sample is left out or differs."""


LENGTHS_BY_VALUES = {"GrowRows"}
"""Operations whose results have as many rows as values say, which XLA can't compile."""
COMPILED = [s for s in SAMPLES if s.op not in LENGTHS_BY_VALUES]


FREE_SIGNS = {"Svd", "SelfAdjointEigV2"}
"""Operations whose vectors may have either sign; libraries for GPUs choose other ones."""


def with_signs(call):
    """Returns a function whose matrices have columns that begin with a positive element."""

    def signed(*xs):
        return [
            y * tf.sign(y[..., :1, :]) if y.shape.rank > 1 else y for y in all_outputs(call, xs)
        ]

    return signed


@pytest.mark.parametrize("sample", COMPILED, ids=[s.id for s in COMPILED])
def test_the_same_under_xla(sample):
    if sample.op in FREE_SIGNS:
        sample = dataclasses.replace(sample, call=with_signs(sample.call))
    us = [draw(rng(sample.id), y) for y in values(sample.call, sample.inputs)]
    ws = [draw(rng(sample.id, "w"), x) for x in sample.inputs]
    second = OPTIMIZED and sample.second_order
    want = [all_outputs(sample.call, tensors(sample.inputs)), vjp(sample.call, sample.inputs, us)]
    if second:
        want += double_vjp(sample.call, sample.inputs, us, ws)

    def once(xs, us):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = all_outputs(sample.call, xs)
            live = [y for y in ys if y.dtype.differentiable]
        return ys, tape.gradient(live, xs, output_gradients=us)

    def twice(xs, us):
        with tf.GradientTape() as tape:
            tape.watch([xs, us])
            ys, gs = once(xs, us)
            gs = [tf.convert_to_tensor(dense(g, x)) for g, x in zip(gs, sample.inputs, strict=True)]
        return ys, gs, *tape.gradient(gs, [xs, us], output_gradients=ws)

    run = tf.function(twice if second else once, jit_compile=True)
    found = run(tensors(sample.inputs), tensors(us))
    likes = [want[0], sample.inputs, sample.inputs, us]
    for part, wanted, like in zip(found, want, likes, strict=False):
        for g, w, x in zip(part, wanted, like, strict=True):
            close(tf.convert_to_tensor(dense(g, x)).numpy(), w)
    (trace,) = run._traces().traces.values()
    (program,) = trace.call.programs
    assert program.has_callbacks == (sample.op in CALLED_BACK)


SINGLE = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}


@pytest.mark.parametrize("sample", COMPILED, ids=[s.id for s in COMPILED])
def test_kernels_of_xla_keep_dtypes(sample):
    """A product of each result and a number of its declared dtype needs no conversion."""
    xs = [
        tf.constant(x.astype(SINGLE.get(x.dtype, x.dtype))) for x in map(np.asarray, sample.inputs)
    ]

    def once(xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = all_outputs(sample.call, xs)
            live = [y for y in ys if y.dtype.differentiable]
        found = [*ys, *tape.gradient(live, xs)]
        found = [tf.convert_to_tensor(y) for y in found if y is not None]
        return [y * tf.ones([], y.dtype) for y in found if y.dtype not in (tf.bool, tf.string)]

    assert tf.function(once, jit_compile=True).experimental_get_compiler_ir(xs)(stage="hlo")
