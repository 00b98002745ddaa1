"""Morphology, rare pooling, monotone fits, losses over drawn classes; values are TensorFlow's."""

from itertools import pairwise

import numpy as np
import pytest
from tolerances import close

import gradtape as tf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1, 5, 5, 2)).astype("f")
FILTER = RNG.normal(size=(2, 3, 2)).astype("f")
ONES = [1, 1, 1, 1]


def test_dilation_and_erosion():
    got = tf.nn.dilation2d(X, FILTER, [1, 2, 2, 1], "VALID", "NHWC", ONES)
    want = [0.635969, 0.761375, 1.299546, 1.603556, 0.228846, 1.007985, 1.260851, 1.051415]
    np.testing.assert_allclose(np.ravel(got), want, 1e-5)
    got = tf.nn.dilation2d(X, FILTER, ONES, "SAME", "NHWC", [1, 2, 2, 1])
    np.testing.assert_allclose(
        np.ravel(got)[:4], [-1.682346, -0.620377, -0.980694, -0.880494], 1e-5
    )
    got = tf.nn.erosion2d(X, FILTER, ONES, "SAME", "NHWC", ONES)
    np.testing.assert_allclose(
        np.ravel(got)[:4], [-2.682411, -0.615149, -2.320577, -0.875267], 1e-5
    )


def test_gradient_of_ties_goes_to_the_first():
    x, f = tf.zeros((1, 3, 3, 1)), tf.zeros((2, 2, 1))
    with tf.GradientTape() as tape:
        tape.watch([x, f])
        y = tf.nn.dilation2d(x, f, ONES, "SAME", "NHWC", ONES)
    by_x, by_f = tape.gradient(y, [x, f])
    assert np.ravel(by_x).tolist() == [1] * 9
    assert np.ravel(by_f).tolist() == [9, 0, 0, 0]


@pytest.mark.parametrize(("whole", "last"), [(False, [48, 49]), (True, [98, 99])])
def test_max_pool_with_argmax(whole, last):
    both = np.concatenate([X, -X])
    values, places = tf.nn.max_pool_with_argmax(both, 2, 2, "SAME", include_batch_in_index=whole)
    assert np.ravel(places)[:6].tolist() == [2, 3, 6, 7, 18, 19]
    assert np.ravel(places)[-2:].tolist() == last
    close(values, tf.nn.max_pool2d(both, 2, 2, "SAME"))


@pytest.mark.parametrize("pseudo", [True, False])
@pytest.mark.parametrize("overlapping", [True, False])
def test_fractional_pooling(pseudo, overlapping):
    x = RNG.normal(size=(1, 7, 9, 1))
    for pool, reduce in ((tf.nn.fractional_max_pool, np.max), (tf.nn.fractional_avg_pool, np.mean)):
        out, rows, columns = pool(x, [1, 1.5, 2, 1], pseudo, overlapping, seed=3)
        rows, columns = rows.numpy(), columns.numpy()
        assert (len(rows), len(columns)) == (5, 5)
        assert (rows[0], rows[-1], columns[0], columns[-1]) == (0, 7, 0, 9)
        assert (np.diff(rows) > 0).all()
        more = int(overlapping)
        want = [
            [reduce(x[0, a : b + more, c : d + more]) for c, d in pairwise(columns)]
            for a, b in pairwise(rows)
        ]
        close(out[0, ..., 0], want)


def test_monotone_fit():
    v = np.array([[1.0, 3.0, 2.0, 2.5, 0.0], [5.0, 4.0, 4.5, 1.0, 2.0]])
    fit, segments = tf.nn.isotonic_regression(v)
    close(fit, [[2.125] * 4 + [0], [5, 4.25, 4.25, 1.5, 1.5]])
    assert segments.numpy().tolist() == [[0, 0, 0, 0, 1], [0, 1, 1, 2, 2]]
    rising = tf.nn.isotonic_regression(v, decreasing=False, axis=0).output
    close(rising, np.where(v[0] > v[1], v.mean(0), v))
    x = tf.constant(v)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.isotonic_regression(x).output ** 2
    close(tape.gradient(y, x), 2 * fit.numpy())


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
            lambda: tf.nn.dilation2d(X, FILTER, ONES, "SAME", "NCHW", ONES),
            ValueError,
            "data_format=NCHW",
        ),
        (
            lambda: tf.nn.dilation2d(X, FILTER[..., :1], ONES, "SAME", "NHWC", ONES),
            tf.errors.InvalidArgumentError,
            "same depth: 2 vs 1",
        ),
        (lambda: tf.nn.fractional_max_pool(X, 0.5), ValueError, ">= 1.0"),
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
