"""Losses over drawn classes; values are TensorFlow's."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1, 5, 5, 2)).astype("f")
FILTER = RNG.normal(size=(2, 3, 2)).astype("f")
ONES = [1, 1, 1, 1]
W = RNG.normal(size=(6, 3)).astype("f")
SAMPLED = (
    np.array([0, 3, 2]),
    np.array([[0.5], [0.2]], "f"),
    np.array([0.3, 0.4, 0.6], "f"),
)


def test_losses_over_drawn_classes():
    b, h, labels = W[:, 0], W[:2], np.array([[1], [2]])
    logits = h @ W[[0, 3, 2]].T + b[[0, 3, 2]] - np.log(SAMPLED[2])
    own = (h * W[[1, 2]]).sum(-1) + b[[1, 2]] - np.log(SAMPLED[1][:, 0])
    hit = logits.copy()
    hit[1, 2] = -np.inf
    whole = np.concatenate([own[:, None], hit], 1)
    got = tf.nn.sampled_softmax_loss(W, b, labels, h, 3, 6, sampled_values=SAMPLED)
    close(got, np.log(np.exp(whole).sum(-1)) - own)
    got = tf.nn.nce_loss(W, b, labels, h, 3, 6, sampled_values=SAMPLED)
    close(got, np.log1p(np.exp(-own)) + np.log1p(np.exp(logits)).sum(-1))


def test_drawing_classes():
    true = np.array([[1], [2]])
    drawn = tf.random.uniform_candidate_sampler(true, 1, 4, True, 10, seed=1)
    assert len(set(drawn.sampled_candidates.numpy().tolist())) == 4
    drawn = tf.random.log_uniform_candidate_sampler(true, 1, 4000, False, 10, seed=1)
    close(drawn.true_expected_count / 1000, np.array([[0.676368], [0.479891]], "f"))
    counts = np.bincount(drawn.sampled_candidates, minlength=10)
    assert len(counts) == 10
    np.testing.assert_allclose(counts[1] / 4000, 0.676368 / 4, atol=0.03)
    drawn = tf.random.fixed_unigram_candidate_sampler(
        true, 1, 4, False, 5, unigrams=[1, 2, 3, 4, 5], seed=1
    )
    close(drawn.true_expected_count, np.array([[8 / 15], [0.8]], "f"))
    hits = tf.nn.compute_accidental_hits([[1, 2], [3, 2]], [2, 5, 1], 2)
    assert [h.numpy().tolist() for h in hits[:2]] == [[0, 0, 1], [2, 0, 0]]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (
            lambda: tf.random.uniform_candidate_sampler([[1]], 1, 4, True, 3),
            tf.errors.InvalidArgumentError,
            "too small",
        ),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


@pytest.mark.parametrize("name", ["nce_loss", "sampled_softmax_loss"])
def test_losses_of_fed_labels(name):
    v1 = tf.compat.v1
    loss = getattr(tf.nn, name)
    w, b = np.arange(20, dtype=np.float32).reshape(10, 2) / 10, np.zeros(10, np.float32)
    x, y = np.array([[1.0, 2.0], [0.5, -1.0]], np.float32), [[1], [2]]
    drawn = np.array([0, 4, 7]), np.full((2, 1), 0.4, np.float32), np.full(3, 0.3, np.float32)
    with tf.GradientTape() as tape:
        variable = tf.Variable(w)
        expected = loss(variable, b, y, x, 3, 10, sampled_values=drawn)
    slope = tf.convert_to_tensor(tape.gradient(expected, variable))
    with tf.Graph().as_default(), v1.Session() as session:
        labels, inputs = v1.placeholder(tf.int32, [None, 1]), v1.placeholder(tf.float32, [None, 2])
        table = v1.get_variable("w", initializer=w)
        fed = {labels: y, inputs: x}
        known = loss(table, b, labels, inputs, 3, 10, sampled_values=drawn)
        g = tf.convert_to_tensor(tf.gradients(known, [table])[0])
        random = loss(table, b, labels, inputs, 3, 10)
        session.run(v1.global_variables_initializer())
        np.testing.assert_allclose(session.run(known, fed), expected, rtol=1e-6)
        np.testing.assert_allclose(session.run(g, fed), slope, rtol=1e-5, atol=1e-6)
        assert len({session.run(random, fed).tobytes() for _ in range(8)}) > 1
