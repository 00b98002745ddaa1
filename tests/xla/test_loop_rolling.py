"""Steps that a Python loop wrote out become a loop of XLA's again."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("jax")

import gradtape as tf

pytestmark = pytest.mark.slow

STEPS, WIDTH = 24, 3
DATA = np.random.default_rng(0).standard_normal((STEPS, 2, WIDTH)).astype("f4")
W = (np.eye(WIDTH) * 0.9 + 0.1).astype("f4")


def recurrent(rows, w, b):
    with tf.GradientTape() as tape:
        tape.watch([rows, w, b])
        state = total = tf.zeros([2, WIDTH])
        for row in tf.unstack(rows):
            gate, new = tf.split(tf.matmul(tf.concat([row, state], 1), w) + b, 2, axis=1)
            state = tf.sigmoid(gate) * state + tf.tanh(new)
            total = total + state * state
        loss = tf.reduce_sum(total)
    return loss, tape.gradient(loss, [rows, w, b])


def test_the_steps_of_a_recurrent_network_and_of_its_tape():
    w = np.concatenate([np.concatenate([W, W.T])] * 2, 1) * 0.5
    args = [tf.constant(v) for v in (DATA, w, np.zeros(2 * WIDTH, "f4"))]
    f = tf.function(recurrent, jit_compile=True, autograph=False)
    for got, want in zip(tf.nest.flatten(f(*args)), tf.nest.flatten(recurrent(*args)), strict=True):
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=2e-5, atol=1e-5)
    assert f.explain().count("equal steps") == 2


def test_the_steps_of_a_recurrent_convolution():
    def program(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            state = x
            for _ in range(2 * STEPS):
                state = tf.tanh(tf.nn.conv2d(state, w, 1, "SAME") + x) * 0.5
            loss = tf.reduce_sum(state * state)
        return loss, tape.gradient(loss, [x, w])

    draw = np.random.default_rng(1).standard_normal
    args = [tf.constant(draw(shape).astype("f4") * 0.3) for shape in ((2, 4, 4, 2), (3, 3, 2, 2))]
    f = tf.function(program, jit_compile=True, autograph=False)
    for got, want in zip(tf.nest.flatten(f(*args)), tf.nest.flatten(program(*args)), strict=True):
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=2e-4, atol=1e-5)
    assert f.explain().count("equal steps") == 2


def test_rows_that_one_loop_gives_and_another_takes_are_not_taken_apart():
    def program(w):
        with tf.GradientTape() as tape:
            tape.watch(w)
            state, loss = tf.ones([2, WIDTH]), 0.0
            for _ in range(STEPS):
                state = tf.tanh(tf.matmul(state, w) + 0.1) * 0.9 + tf.sin(state)
                loss += tf.reduce_sum(state)
        return loss, tape.gradient(loss, w)

    f, w = tf.function(program, jit_compile=True), tf.constant(W)
    for got, want in zip(f(w), program(w), strict=True):
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=2e-4)
    text = f.experimental_get_compiler_ir(w)("stablehlo")
    assert text.count("stablehlo.while") == 2
    assert text.count("stablehlo.slice") < STEPS / 2


def test_constant_rows_numbers_by_step_and_what_is_used_afterwards():
    def program(w):
        state, seen = tf.ones([2, WIDTH]), []
        for k in range(STEPS):
            state = tf.tanh(tf.matmul(state, w) * (k / STEPS) + DATA[k] + state[0, 0])
            seen.append(tf.reduce_sum(tf.exp(state - 1.0)))
        return state, tf.stack(seen[::2]), seen[5]

    f = tf.function(program, jit_compile=True)
    w = tf.constant(W)
    for got, want in zip(f(w), program(w), strict=True):
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=2e-5)
    assert "24 equal steps" in f.explain() or "23 equal steps" in f.explain()


def test_equal_layers_with_weights_of_their_own_stay_as_they_are():
    ws = [tf.Variable(W * (1 + k / 50)) for k in range(40)]

    def program(x):
        for w in ws:
            x = tf.tanh(tf.matmul(x, w) + 0.1) * 0.9 + tf.sin(x)
        return x

    f = tf.function(program, jit_compile=True)
    x = tf.constant(DATA[0])
    np.testing.assert_allclose(f(x).numpy(), program(x).numpy(), rtol=2e-4, atol=1e-5)
    assert "equal steps" not in f.explain()
