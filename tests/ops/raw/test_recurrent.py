"""Recurrent networks over whole sequences; the numbers are TensorFlow's or a plain loop's."""

import numpy as np
import pytest

import gradtape as tf

R = tf.raw_ops
RNG = np.random.RandomState(0)


def draw(*shape):
    return (RNG.randn(*shape) * 0.5).astype(np.float32)


STEPS, BATCH, WIDTH, UNITS = 4, 2, 3, 2
GIVEN = {
    "x": draw(STEPS, BATCH, WIDTH),
    "cs_prev": draw(BATCH, UNITS),
    "h_prev": draw(BATCH, UNITS),
    "w": draw(WIDTH + UNITS, 4 * UNITS),
    "wci": draw(UNITS),
    "wcf": draw(UNITS),
    "wco": draw(UNITS),
    "b": draw(4 * UNITS),
}


@pytest.mark.parametrize(
    ("op", "options", "peephole", "wanted"),
    [
        ("BlockLSTM", {}, False, [6.1334, -0.0523, 11.3379, 10.6986, -0.7949, 0.0879, 0.2777]),
        (
            "BlockLSTM",
            {"forget_bias": 0.5, "cell_clip": 0.2},
            True,
            [6.2093, 0.0281, 9.7133, 10.7682, -0.6853, 0.0287, 0.1183],
        ),
        ("BlockLSTMV2", {}, False, [6.2387, -1.4325, 7.8143, 10.2202, -0.1436, -1.242, -0.9835]),
        (
            "BlockLSTMV2",
            {"cell_clip": 0.3},
            True,
            [6.8528, -0.2097, 7.9801, 10.2277, -0.3439, -0.1915, -0.3432],
        ),
    ],
)
def test_a_long_short_term_memory(op, options, peephole, wanted):
    found = getattr(R, op)(seq_len_max=STEPS, use_peephole=peephole, **GIVEN, **options)
    assert found._fields == ("i", "cs", "f", "o", "ci", "co", "h")
    np.testing.assert_allclose([x.numpy().sum() for x in found], wanted, atol=1e-4)


def test_steps_after_the_last_are_zeros_and_the_others_as_before():
    whole = R.BlockLSTMV2(seq_len_max=STEPS, **GIVEN)
    short = R.BlockLSTMV2(seq_len_max=np.int64(2), **GIVEN)
    for a, b in zip(whole, short, strict=True):
        np.testing.assert_array_equal(a[:2], b[:2])
        assert not b[2:].numpy().any()


def test_the_derivative_is_that_of_finite_differences():
    def loss(x):
        return tf.reduce_sum(R.BlockLSTMV2(seq_len_max=STEPS, **{**GIVEN, "x": x}).h)

    found, wanted = tf.test.compute_gradient(loss, [tf.constant(GIVEN["x"])], delta=1e-2)
    np.testing.assert_allclose(found, wanted, atol=2e-3)


def squash(x):
    return 1 / (1 + np.exp(-x))


def looped(mode, x, h, c, parts):
    """Runs one layer step by step, with `parts` of each gate as cuDNN orders them."""
    weights, recurrent, bias, recurrent_bias = parts
    outputs = []
    for row in x:
        own = [row @ w.T + b for w, b in zip(weights, bias, strict=True)]
        more = [h @ r.T + b for r, b in zip(recurrent, recurrent_bias, strict=True)]
        if mode == "lstm":
            i, f, new, o = (a + b for a, b in zip(own, more, strict=True))
            c = squash(f) * c + squash(i) * np.tanh(new)
            h = squash(o) * np.tanh(c)
        elif mode == "gru":
            r, u = squash(own[0] + more[0]), squash(own[1] + more[1])
            h = (1 - u) * np.tanh(own[2] + r * more[2]) + u * h
        else:
            h = np.tanh(own[0] + more[0]) if mode == "rnn_tanh" else np.maximum(own[0] + more[0], 0)
        outputs.append(h)
    return np.stack(outputs), h, c


@pytest.mark.parametrize(
    ("mode", "gates"), [("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)]
)
def test_two_layers_in_both_directions(mode, gates):
    x, h, c = GIVEN["x"], draw(4, BATCH, UNITS), draw(4, BATCH, UNITS)
    widths = [WIDTH, WIDTH, 2 * UNITS, 2 * UNITS]
    weights = [(draw(gates, UNITS, w), draw(gates, UNITS, UNITS)) for w in widths]
    biases = [(draw(gates, UNITS), draw(gates, UNITS)) for _ in widths]
    params = np.concatenate([a.ravel() for pair in [*weights, *biases] for a in pair])
    found = R.CudnnRNN(
        input=x, input_h=h, input_c=c, params=params, rnn_mode=mode, direction="bidirectional"
    )
    rows, lasts = x, []
    for first in (0, 2):
        there = looped(mode, rows, h[first], c[first], (*weights[first], *biases[first]))
        k = first + 1
        back = looped(mode, rows[::-1], h[k], c[k], (*weights[k], *biases[k]))
        rows = np.concatenate([there[0], back[0][::-1]], -1)
        lasts += [there[1:], back[1:]]
    np.testing.assert_allclose(found.output, rows, atol=1e-5)
    np.testing.assert_allclose(found.output_h, [a for a, _ in lasts], atol=1e-5)
    if mode == "lstm":
        np.testing.assert_allclose(found.output_c, [a for _, a in lasts], atol=1e-5)
    second = R.CudnnRNNV2(
        input=x, input_h=h, input_c=c, params=params, rnn_mode=mode, direction="bidirectional"
    )
    np.testing.assert_array_equal(second.output, found.output)
    assert second.host_reserved.dtype is tf.int8


def test_inputs_without_weights():
    x, h = draw(STEPS, BATCH, UNITS), draw(1, BATCH, UNITS)
    recurrent, biases = draw(1, UNITS, UNITS), (draw(1, UNITS), draw(1, UNITS))
    params = np.concatenate([recurrent.ravel(), *map(np.ravel, biases)])
    given = {"input": x, "input_h": h, "input_c": h, "rnn_mode": "rnn_tanh"}
    found = R.CudnnRNN(params=params, input_mode="skip_input", **given)
    wanted = looped("rnn_tanh", x, h[0], h[0], ([np.eye(UNITS)], recurrent, *biases))
    np.testing.assert_allclose(found.output, wanted[0], atol=1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected 12 values"):
        R.CudnnRNN(params=params, **given)


def test_a_function_of_any_length():
    size = WIDTH * UNITS * 4 + UNITS * UNITS * 4 + 8 * UNITS
    params, h = draw(size), draw(1, BATCH, UNITS)

    @tf.function(input_signature=[tf.TensorSpec([None, BATCH, WIDTH])])
    def run(x):
        return R.CudnnRNN(input=x, input_h=h, input_c=h, params=params).output

    eager = R.CudnnRNN(input=GIVEN["x"], input_h=h, input_c=h, params=params).output
    np.testing.assert_allclose(run(GIVEN["x"]), eager, rtol=1e-6)
    np.testing.assert_allclose(run(GIVEN["x"][:2]), eager[:2], rtol=1e-6)


@pytest.mark.parametrize(("mode", "gates"), [("lstm", 4), ("gru", 3), ("rnn_tanh", 1)])
@pytest.mark.parametrize("time_major", [True, False])
def test_sequences_of_different_lengths(mode, gates, time_major):
    """Each sequence gives what it gives alone, in both directions; later outputs are zeros."""
    x, h, c = GIVEN["x"], draw(2, BATCH, UNITS), draw(2, BATCH, UNITS)
    size = 2 * gates * (WIDTH * UNITS + UNITS * UNITS + 2 * UNITS)
    given = {"params": draw(size), "rnn_mode": mode, "direction": "bidirectional"}
    turned = [a if time_major else np.swapaxes(a, 0, 1) for a in (x, h, c)]
    named = dict(zip(("input", "input_h", "input_c"), turned, strict=True))
    found = R.CudnnRNNV3(**named, **given, sequence_lengths=[4, 2], time_major=time_major)
    count = 3 if mode == "lstm" else 2
    parts = [a if time_major else np.swapaxes(a, 0, 1) for a in found[:count]]
    for i, n in enumerate((4, 2)):
        own = {"input": x[:n, i : i + 1], "input_h": h[:, i : i + 1], "input_c": c[:, i : i + 1]}
        alone = R.CudnnRNN(**own, **given)
        np.testing.assert_allclose(parts[0][:n, i], alone.output[:, 0], atol=1e-6)
        assert not np.any(parts[0][n:, i])
        for k in range(1, count):
            np.testing.assert_allclose(parts[k][:, i], alone[k][:, 0], atol=1e-6)


def test_later_steps_have_no_gradient():
    size = WIDTH * UNITS * 4 + UNITS * UNITS * 4 + 8 * UNITS
    params, h = tf.constant(draw(size)), draw(1, BATCH, UNITS)

    def loss(x):
        given = {"input": x, "input_h": h, "input_c": h, "params": params}
        found = R.CudnnRNNV3(**given, sequence_lengths=[4, 2])
        return tf.reduce_sum(found.output * found.output_h) + tf.reduce_sum(found.output_c)

    found, wanted = tf.test.compute_gradient(loss, [tf.constant(GIVEN["x"])], delta=1e-2)
    np.testing.assert_allclose(found, wanted, atol=2e-3)
    assert not found[0].reshape(STEPS, BATCH, WIDTH)[2:, 1].any()


def test_projected_outputs_are_refused():
    h = draw(1, BATCH, UNITS)
    given = {"input": GIVEN["x"], "input_h": h, "input_c": h, "params": draw(9)}
    with pytest.raises(tf.errors.UnimplementedError, match="CudnnRNNV3"):
        R.CudnnRNNV3(**given, sequence_lengths=[4, 4], num_proj=1)
