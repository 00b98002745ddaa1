"""Gradients of recurrent cells, compared with those of a tape over the cells."""

import numpy as np
import pytest

import gradtape as tf

R = tf.raw_ops
RNG = np.random.RandomState(1)
STEPS, BATCH, WIDTH, UNITS = 4, 2, 3, 2


def draw(*shape):
    return tf.constant((RNG.randn(*shape) * 0.5).astype(np.float32))


def memory(*steps):
    return {
        "x": draw(*steps, BATCH, WIDTH),
        "cs_prev": draw(BATCH, UNITS),
        "h_prev": draw(BATCH, UNITS),
        "w": draw(WIDTH + UNITS, 4 * UNITS),
        "wci": draw(UNITS),
        "wcf": draw(UNITS),
        "wco": draw(UNITS),
        "b": draw(4 * UNITS),
    }


def of_tape(run, given, cotangents):
    """The results of a cell, and the gradients of its arguments."""
    with tf.GradientTape() as tape:
        tape.watch(list(given.values()))
        found = run(**given)
        loss = sum(tf.reduce_sum(getattr(found, k) * g) for k, g in cotangents.items())
    gradients = tape.gradient(loss, given, unconnected_gradients="zero")
    return found, {key: d.numpy() for key, d in gradients.items()}


@pytest.mark.parametrize("peephole", [False, True])
@pytest.mark.parametrize(
    ("op", "grad"), [("BlockLSTM", "BlockLSTMGrad"), ("BlockLSTMV2", "BlockLSTMGradV2")]
)
def test_all_steps(op, grad, peephole):
    given, out = memory(STEPS), {k: draw(STEPS, BATCH, UNITS) for k in ("cs", "h")}
    how = {"seq_len_max": np.int64(3), "use_peephole": peephole}
    found, wanted = of_tape(lambda **xs: getattr(R, op)(**xs, **how), given, out)
    results = {k: getattr(found, k) for k in ("i", "cs", "f", "o", "ci", "co", "h")}
    run = tf.function(
        lambda: getattr(R, grad)(**given, **results, cs_grad=out["cs"], h_grad=out["h"], **how)
    )
    for made in (
        getattr(R, grad)(**given, **results, cs_grad=out["cs"], h_grad=out["h"], **how),
        run(),
    ):
        for key, d in wanted.items():
            np.testing.assert_allclose(getattr(made, f"{key}_grad"), d, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("peephole", [False, True])
def test_a_step(peephole):
    given, out = memory(), {"cs": draw(BATCH, UNITS), "h": draw(BATCH, UNITS)}
    how = {"use_peephole": peephole, "cell_clip": 0.0}
    names = ("i", "cs", "f", "o", "ci", "co", "h")

    def cell(**xs):
        found = R.LSTMBlockCell(**xs, **how)
        return type("Found", (), dict(zip(names, found, strict=True)))

    found, wanted = of_tape(cell, given, out)
    results = {k: getattr(found, k) for k in names[:-1]}
    made = R.LSTMBlockCellGrad(
        **given, **results, cs_grad=out["cs"], h_grad=out["h"], use_peephole=peephole
    )
    for key in ("cs_prev", "wci", "wcf", "wco"):
        np.testing.assert_allclose(getattr(made, f"{key}_grad"), wanted[key], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(tf.reduce_sum(made.dicfo, 0), wanted["b"], rtol=1e-5, atol=1e-6)


def test_a_step_of_a_gated_unit():
    given = {
        "x": draw(BATCH, WIDTH),
        "h_prev": draw(BATCH, UNITS),
        "w_ru": draw(WIDTH + UNITS, 2 * UNITS),
        "w_c": draw(WIDTH + UNITS, UNITS),
        "b_ru": draw(2 * UNITS),
        "b_c": draw(UNITS),
    }
    out = {"h": draw(BATCH, UNITS)}
    names = ("r", "u", "c", "h")

    def cell(**xs):
        return type("Found", (), dict(zip(names, R.GRUBlockCell(**xs), strict=True)))

    found, wanted = of_tape(cell, given, out)
    made = R.GRUBlockCellGrad(**given, r=found.r, u=found.u, c=found.c, d_h=out["h"])
    np.testing.assert_allclose(made.d_x, wanted["x"], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(made.d_h_prev, wanted["h_prev"], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(tf.reduce_sum(made.d_c_bar, 0), wanted["b_c"], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        tf.reduce_sum(made.d_r_bar_u_bar, 0), wanted["b_ru"], rtol=1e-5, atol=1e-6
    )
