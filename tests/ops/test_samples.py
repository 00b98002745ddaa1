"""Every sample: values, both modes of differentiation to second order, vectorization, dtypes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from checks import (
    all_outputs,
    batched,
    dense,
    difference,
    double_vjp,
    draw,
    inner,
    jvp,
    names_of,
    outputs,
    rng,
    rows_one_by_one,
    tensors,
    unit_vectors,
    values,
    vectorized_vjp,
    vjp,
)
from samples import SAMPLES
from tolerances import DIFFERENCE, close

import gradtape as tf
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.declare.general import REGISTRY
from gradtape._src.declare.registered import Opaque

SINGLE = {"float64": "float32", "complex128": "complex64"}


def over(samples):
    return pytest.mark.parametrize("sample", samples, ids=[s.id for s in samples])


every_sample = over(SAMPLES)
every_sample_to_second_order = over([s for s in SAMPLES if s.second_order])


def problem(sample, *words):
    """Random cotangents and tangents for a sample."""
    generator = rng(sample.id, *words)
    us = [draw(generator, y) for y in values(sample.call, sample.inputs)]
    vs = [draw(generator, x) for x in sample.inputs]
    return us, vs


def test_the_names_of_samples_differ():
    ids = [s.id for s in SAMPLES]
    assert sorted(i for i in set(ids) if ids.count(i) > 1) == []


@over([s for s in SAMPLES if s.reference is not None])
def test_value(sample):
    got = all_outputs(sample.call, tensors(sample.inputs))
    want = sample.reference(*sample.inputs)
    want = list(want) if isinstance(want, (tuple, list)) else [want]
    for g, w in zip(got, want, strict=True):
        close(g, w)


@every_sample
def test_reverse_mode_against_differences(sample):
    us, vs = problem(sample)
    pulled = vjp(sample.call, sample.inputs, us)
    for k, (g, x) in enumerate(zip(pulled, sample.inputs, strict=True)):
        assert g.shape == x.shape, f"the gradient by input {k} has shape {g.shape}, not {x.shape}"
        direction = [v if i == k else np.zeros_like(v) for i, v in enumerate(vs)]
        moved = difference(lambda xs: values(sample.call, xs), sample.inputs, direction)
        close(inner([g], [vs[k]]), inner(us, moved), DIFFERENCE)


@every_sample
def test_forward_mode_against_differences_and_reverse_mode(sample):
    us, vs = problem(sample)
    for k in (*range(len(vs)), None):
        direction = [v if k in (i, None) else np.zeros_like(v) for i, v in enumerate(vs)]
        pushed = jvp(sample.call, sample.inputs, direction)
        if pushed is None:
            return  # derived from reverse mode where it is needed
        moved = difference(lambda xs: values(sample.call, xs), sample.inputs, direction)
        for p, m in zip(pushed, moved, strict=True):
            close(p, m, DIFFERENCE)
    close(inner(us, pushed), inner(vjp(sample.call, sample.inputs, us), vs))


@every_sample_to_second_order
def test_second_order_against_differences(sample):
    us, vs = problem(sample)
    ws = [draw(rng(sample.id, "w"), x) for x in sample.inputs]
    by_x, by_u = double_vjp(sample.call, sample.inputs, us, ws)
    for k, g in enumerate(by_x):
        direction = [v if i == k else np.zeros_like(v) for i, v in enumerate(vs)]
        moved = difference(lambda xs: vjp(sample.call, xs, us), sample.inputs, direction)
        close(inner([g], [vs[k]]), inner(ws, moved), DIFFERENCE)
    moved = difference(lambda xs: values(sample.call, xs), sample.inputs, ws)
    for g, m in zip(by_u, moved, strict=True):
        close(g, m, DIFFERENCE)


@every_sample
def test_jacobian_against_a_loop(sample):
    xs = tensors(sample.inputs)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(xs)
        ys = outputs(sample.call, xs)
    for y in ys:
        want = rows_one_by_one(tape, y, xs)
        for w, v, j in zip(want, vectorized_vjp(tape, y, xs), tape.jacobian(y, xs), strict=True):
            close(v, w)
            close(np.zeros_like(w) if j is None else j, w)


@every_sample_to_second_order
def test_jacobian_of_the_gradient_against_a_loop(sample):
    us, _ = problem(sample)
    xs = tensors(sample.inputs)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(xs)
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = outputs(sample.call, xs)
        grads = tape.gradient(ys, xs, output_gradients=tensors(us))
        grads = [dense(g, x) for g, x in zip(grads, xs, strict=True) if g is not None]
    for g in grads:
        want = rows_one_by_one(outer, g, xs)
        for w, j in zip(want, outer.jacobian(g, xs), strict=True):
            close(np.zeros_like(w) if j is None else j, w)


@pytest.mark.slow
@every_sample_to_second_order
def test_gradient_of_the_jacobian_against_a_loop(sample):
    xs = tensors(sample.inputs)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(xs)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(xs)
            y = outputs(sample.call, xs)[0]
        found = tape.jacobian(y, xs)
        rows = [tape.gradient(y, xs, output_gradients=e) for e in tensors(unit_vectors(y))]
        rows = [[None if g is None else dense(g, g) for g in row] for row in rows]
    for k, j in enumerate(found):
        if j is None:
            continue
        weights = draw(rng(sample.id, str(k)), j)
        each = weights.reshape(len(rows), *sample.inputs[k].shape)
        column = [row[k] for row in rows]
        got = outer.gradient(j, xs, output_gradients=tensors([weights])[0])
        want = outer.gradient(column, xs, output_gradients=tensors(each))
        for g, w, x in zip(got, want, sample.inputs, strict=True):
            close(dense(g, x), dense(w, x))


@every_sample
@pytest.mark.parametrize("which", ["all", pytest.param("each", marks=pytest.mark.slow)])
def test_batched_inputs_against_separate_calls(sample, which):
    generator = rng(sample.id, "batch")
    others = [x * (1 + 1e-3 * generator.uniform(-1, 1, x.shape)) for x in sample.inputs]
    n = len(sample.inputs)
    masks = [(True,) * n] if which == "all" else [tuple(i == k for i in range(n)) for k in range(n)]
    for mask in masks:
        second = [o if m else x for x, o, m in zip(sample.inputs, others, mask, strict=True)]

        def run(vectorizer, mask=mask, second=second):
            xs = [
                vectorizer.wrap(np.stack([x, s])) if m else tensors([x])[0]
                for x, s, m in zip(sample.inputs, second, mask, strict=True)
            ]
            return all_outputs(sample.call, xs)

        got = batched(2, run)
        want = [all_outputs(sample.call, tensors(xs)) for xs in (sample.inputs, second)]
        for g, a, b in zip(got, *want, strict=True):
            close(g, np.stack([a, b]))


@over([s for s in SAMPLES if s.single])
def test_single_precision_stays_single(sample):
    xs = tensors([x.astype(SINGLE[x.dtype.name]) for x in sample.inputs])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        got = all_outputs(sample.call, xs)
    double = all_outputs(sample.call, tensors(sample.inputs))
    for g, d in zip(got, double, strict=True):
        name = convert_to_tensor(d).dtype.name
        assert convert_to_tensor(g).dtype.name == SINGLE.get(name, name)
    grads = tape.gradient([g for g in got if g.dtype.differentiable], xs)
    for g, x in zip(grads, xs, strict=True):
        assert g is None or g.dtype is x.dtype


def test_every_differentiable_operation_has_a_sample():
    exercised = set(
        itertools.chain.from_iterable(
            names_of(lambda s=s: s.call(*tensors(s.inputs))) for s in SAMPLES
        )
    )
    differentiable = {
        name
        for name, primitive in REGISTRY.items()
        if primitive.tracked and not isinstance(primitive, Opaque)
    }
    missing = sorted(differentiable - exercised)
    assert not missing, f"add samples to tests/samples for: {', '.join(missing)}"


def test_every_sample_names_an_operation():
    unknown = sorted({s.op for s in SAMPLES} - set(REGISTRY))
    assert not unknown, f"no such operations: {', '.join(unknown)}"
