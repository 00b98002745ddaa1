"""Softmaxes in gradients: what they are invariant under, for logits of any size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf

EPS = {"float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}
# The greatest shifts; whole numbers up to them are exact in the dtype, so that only rules can err.
SHIFTS = {"float16": 1 << 10, "float32": 1 << 22, "float64": 1 << 50}
XLA = [False, pytest.param(True, marks=pytest.mark.slow)]


def gradients(call, x, under_xla=False):
    """The first derivative, and the second along a fixed direction."""
    direction = tf.cast(tf.range(1, len(x) + 1), x.dtype) / len(x)

    def run(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = call(x)
            g = tape.gradient(y, x)
        return g, outer.gradient(g, x, output_gradients=direction)

    found = tf.function(run, jit_compile=True)(x) if under_xla else run(x)
    return [np.asarray(v, np.float64) for v in found]


LABELS = np.array([0.25, 0.75, 0, 0])
WEIGHTS = np.array([1.0, 2.0, -1.0, 0.5])


def weighted(values):
    """A sum in which no two elements count alike."""
    return tf.reduce_sum(values * tf.cast(WEIGHTS, values.dtype))


FUNCTIONS = {  # each with the sum of its gradient, whatever the logits are
    "reduce_logsumexp": (tf.reduce_logsumexp, 1),
    "reduce_logsumexp along axes": (
        lambda x: tf.reduce_sum(tf.reduce_logsumexp(tf.reshape(x, (2, 1, 2)), (0, 2))),
        1,
    ),
    "cumulative_logsumexp": (lambda x: weighted(tf.math.cumulative_logsumexp(x)), WEIGHTS.sum()),
    "cumulative_logsumexp, reversed": (
        lambda x: weighted(tf.math.cumulative_logsumexp(x, reverse=True)),
        WEIGHTS.sum(),
    ),
    "log_softmax": (lambda x: weighted(tf.nn.log_softmax(x)), 0),
    "softmax": (lambda x: weighted(tf.nn.softmax(x)), 0),
    "sparse cross entropy": (
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(1, x),
        0,
    ),
    "cross entropy": (
        lambda x: tf.nn.softmax_cross_entropy_with_logits(tf.cast(LABELS, x.dtype), x),
        0,
    ),
    "softplus of differences": (lambda x: tf.nn.softplus(x[0] - x[1]), 0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(sorted(EPS)),
    st.lists(st.integers(-8, 8), min_size=4, max_size=4),
    st.floats(-1, 1),
)
def test_gradients_do_not_see_a_shift(name, dtype, logits, part):
    call, total = FUNCTIONS[name]
    shift = int(part * SHIFTS[dtype])
    near = gradients(call, tf.constant(logits, dtype))
    far = gradients(call, tf.constant([n + shift for n in logits], dtype))
    limit = 16 * EPS[dtype] * max(1, abs(total))
    np.testing.assert_allclose(far[0], near[0], 0, limit)
    np.testing.assert_allclose(far[1], near[1], 0, limit)
    np.testing.assert_allclose(far[0].sum(), total, 0, limit)
    np.testing.assert_allclose(far[1].sum(), 0, 0, limit)


@pytest.mark.parametrize("under_xla", XLA)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_large_logits(name, under_xla):
    if under_xla:
        pytest.importorskip("jax")
    call, total = FUNCTIONS[name]
    logits = np.array([3.0, 1.0, 2.0, 2.0])
    near = gradients(call, tf.constant(logits, tf.float32))
    far = gradients(call, tf.constant(logits + (1 << 22), tf.float32), under_xla)
    for a, b in zip(near, far, strict=True):
        np.testing.assert_allclose(b, a, 0, 4e-6)
    np.testing.assert_allclose(far[0].sum(), total, 0, 4e-6)


@pytest.mark.parametrize(
    ("dtype", "value"), [("float32", 1e8), ("float32", -1e30), ("float64", 1e300), ("float16", 6e4)]
)
def test_equal_logits_share_evenly(dtype, value):
    for call in (
        tf.reduce_logsumexp,
        lambda x: tf.math.cumulative_logsumexp(x)[-1],
        lambda x: tf.math.cumulative_logsumexp(x, reverse=True)[0],
    ):
        g, _ = gradients(call, tf.constant([value] * 4, dtype))
        np.testing.assert_allclose(g, [0.25] * 4, 4 * EPS[dtype])
    loss = lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([0], x[None])  # noqa: E731
    g, _ = gradients(loss, tf.constant([value] * 4, dtype))
    np.testing.assert_allclose(g, [-0.75, 0.25, 0.25, 0.25], 4 * EPS[dtype])


def test_the_gradient_by_labels_is_minus_the_log_softmax():
    """As in TensorFlow; found from rounded logarithms it was 0."""
    logits, labels = tf.constant([[1e8, 1e8]]), tf.constant([[0.5, 0.5]])
    with tf.GradientTape() as tape:
        tape.watch(labels)
        loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
    np.testing.assert_allclose(tape.gradient(loss, labels), [[np.log(2)] * 2], 1e-6)


def test_a_running_logarithm_does_not_lose_small_terms():
    x = tf.fill(600, tf.constant(1e6))
    want = 1e6 + np.log(np.arange(1, 601))
    np.testing.assert_allclose(tf.math.cumulative_logsumexp(x), want, 0, 0.0626)
    np.testing.assert_allclose(tf.math.cumulative_logsumexp(x, reverse=True), want[::-1], 0, 0.0626)


@pytest.mark.parametrize("call", [tf.reduce_logsumexp, tf.math.cumulative_logsumexp])
def test_infinite_logits(call):
    inf = np.inf
    for row in ([-inf, -inf], [-inf, 0.0], [-inf, -1000.0], [0.0, inf], [inf, inf]):
        x = tf.constant(row)
        want = np.logaddexp.accumulate(np.array(row))
        want = want[-1] if call is tf.reduce_logsumexp else want
        np.testing.assert_allclose(call(x), want)


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
@pytest.mark.parametrize("under_xla", XLA)
def test_sums_of_two_powers_do_not_see_a_shift(name, under_xla):
    if under_xla:
        pytest.importorskip("jax")
    function = getattr(tf.experimental.numpy, name)
    near = gradients(lambda x: function(x[0], x[1]), tf.constant([3.0, 5.0]))
    far = tf.constant([3.0, 5.0]) + float(1 << 22)
    found = gradients(lambda x: function(x[0], x[1]), far, under_xla)
    for a, b in zip(near, found, strict=True):
        np.testing.assert_allclose(b, a, 0, 1e-6)
    np.testing.assert_allclose(found[0].sum(), 1, 1e-6)
