"""Losses and decoders of label sequences, and sparse look-ups; values are TensorFlow's."""

import itertools

import numpy as np
import pytest
from tolerances import close

import gradtape as tf

LOGITS = np.random.default_rng(0).normal(size=(5, 2, 4)).astype("f")
LABELS = np.array([[1, 2, 2], [3, 1, 0]])
SHORT = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [1, 0]], [1, 1, 1, 0], [2, 3])


def test_loss():
    close(tf.nn.ctc_loss(LABELS, LOGITS, [3, 2], [5, 4]), np.array([5.282315, 2.118215], "f"))
    swapped = tf.nn.ctc_loss(
        LABELS, LOGITS.swapaxes(0, 1), [3, 2], [5, 4], logits_time_major=False, blank_index=0
    )
    close(swapped, np.array([5.282315, 2.118215], "f"))
    last = tf.nn.ctc_loss([[1, 2, 2], [0, 1, 0]], LOGITS, [3, 2], [5, 4], blank_index=-1)
    close(last, np.array([6.015386, 3.178982], "f"))


def test_loss_against_all_alignments():
    logs = LOGITS[:, 0].astype(float) - np.log(np.exp(LOGITS[:, 0].astype(float)).sum(-1))[:, None]
    total = 0.0
    for path in itertools.product(range(4), repeat=5):
        merged = [label for label, _ in itertools.groupby(path) if label]
        if merged == [1, 2, 2]:
            total += np.exp(logs[np.arange(5), path].sum())
    close(tf.nn.ctc_loss(LABELS[:1], LOGITS[:, :1].astype(float), [3], [5]), [-np.log(total)])


def test_loss_of_labels_that_do_not_fit():
    x = tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.nn.ctc_loss(SHORT, x, None, [3, 4], blank_index=-1)
    assert loss[0] == np.inf
    softmax = np.where(np.arange(5)[:, None] < 3, tf.nn.softmax(x)[:, 0], 0)
    np.testing.assert_allclose(tape.gradient(loss, x)[:, 0], softmax, 1e-6)
    dense = tf.nn.ctc_loss([[1, 1, 1], [3, 1, 0]], x, [3, 2], [3, 4])
    assert 706 < dense[0] < 712
    empty = tf.nn.ctc_loss(LABELS, x, [3, 2], [0, 4])
    assert float(empty[0]) == pytest.approx(706.8936)


def test_loss_has_no_second_derivative():
    x = tf.constant(LOGITS)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.ctc_loss(LABELS, x, [3, 2], [5, 4])
        g = tape.gradient(y, x)
    with pytest.raises(LookupError, match="CTCLossGradient"):
        outer.gradient(g, x)


def rows(x):
    return x.indices.numpy().tolist(), x.values.numpy().tolist(), x.dense_shape.numpy().tolist()


def test_greedy_decoder():
    (labels,), score = tf.nn.ctc_greedy_decoder(LOGITS * 3, [5, 4])
    places = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]]
    assert rows(labels) == (places, [2, 0, 1, 2, 1], [2, 3])
    np.testing.assert_allclose(score, [[-9.505733], [-8.0156]], 1e-6)
    (labels,), _ = tf.nn.ctc_greedy_decoder(LOGITS * 3, [5, 4], False, blank_index=1)
    assert rows(labels)[1:] == ([2, 3, 3, 0, 2], [2, 4])


def test_beam_search_decoder():
    paths, scores = tf.nn.ctc_beam_search_decoder(LOGITS * 2, [5, 4], top_paths=3)
    want = [[-2.008909, -2.127157, -2.702596], [-0.817778, -1.46482, -2.428355]]
    np.testing.assert_allclose(scores, want, 1e-5)
    assert rows(paths[1]) == ([[0, 0], [0, 1], [1, 0]], [2, 0, 1], [2, 2])
    paths, scores = tf.nn.ctc_beam_search_decoder(LOGITS * 2, [5, 4], 2, 2)
    np.testing.assert_allclose(scores, [[-2.264415, -2.329868], [-0.819067, -2.504502]], 1e-5)
    assert rows(paths[1])[1:] == ([2, 0, 2, 1, 0], [2, 3])


def test_labels():
    merged, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [5, 3])
    assert merged.numpy().tolist() == [[1, 2, 1], [3, 0, 0]]
    assert lengths.numpy().tolist() == [3, 1]
    found, places = tf.nn.ctc_unique_labels(LABELS)
    assert found.numpy().tolist() == [[1, 2, 0], [3, 1, 0]]
    assert places.numpy().tolist() == [[0, 1, 1], [0, 1, 2]]


TABLE = np.arange(12, dtype="f").reshape(6, 2)
IDS = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], [1, 3, 1, 5], [5, 2])


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.nn.ctc_loss(SHORT, LOGITS, None, [5, 4]), ValueError, "blank_index"),
        (lambda: tf.nn.ctc_loss(LABELS, LOGITS[0], [3, 2], [5, 4]), ValueError, "rank 3"),
        (
            lambda: tf.nn.ctc_loss(LABELS + 5, LOGITS, [3, 2], [5, 4]),
            tf.errors.InvalidArgumentError,
            "labels must lie",
        ),
        (
            lambda: tf.nn.ctc_loss(LABELS, LOGITS, [3, 2], [8, 4]),
            tf.errors.InvalidArgumentError,
            "logit_length",
        ),
        (
            lambda: tf.nn.ctc_greedy_decoder(LOGITS, [8, 4]),
            tf.errors.FailedPreconditionError,
            "sequence_length",
        ),
        (
            lambda: tf.nn.ctc_beam_search_decoder(LOGITS, [5, 4], 1, 2),
            tf.errors.InvalidArgumentError,
            "beam width",
        ),
        (lambda: tf.nn.embedding_lookup_sparse(TABLE, IDS, None, "x"), ValueError, "combiner"),
        (lambda: tf.nn.embedding_lookup_sparse(TABLE, [1], None), TypeError, "SparseTensor"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_labels_that_are_kept_have_a_gradient():
    labels = tf.constant([[1.0, 1.0, 2.0], [0.0, 3.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(labels)
        kept, counts = tf.nn.collapse_repeated(labels, tf.constant([3, 2], tf.int64))
    assert kept.numpy().tolist() == [[1, 2], [0, 3]]
    assert counts.dtype == tf.int64
    assert tape.gradient(kept, labels).numpy().tolist() == [[1, 0, 1], [1, 1, 0]]


def test_no_rows_of_labels():
    found, places = tf.nn.ctc_unique_labels(tf.zeros((0, 3), tf.int32))
    assert found.shape == places.shape == (0,)
