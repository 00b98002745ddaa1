"""Raw operations of CTC; tests/saving has TensorFlow's answers for the models that it saved."""

import numpy as np
import pytest

import gradtape as tf

R = tf.raw_ops
LOGITS = tf.constant(np.random.default_rng(3).normal(size=(5, 2, 4)).astype(np.float32))
PLACES = tf.constant([[0, 0], [0, 1], [0, 2], [1, 0]], tf.int64)
LABELS = {"labels_indices": PLACES, "labels_values": [1, 1, 2, 0]}


def certain(*classes):
    """Logits that leave no doubt of the class at each step."""
    return tf.one_hot(classes, 4)[:, None] * 20.0


def test_greedy_decoding_gives_the_parts_of_the_labels():
    x = certain(1, 1, 3, 1, 0)
    places, values, shape, scores = R.CTCGreedyDecoder(inputs=x, sequence_length=[5])
    assert places.numpy().tolist() == [[0, 0], [0, 1], [0, 2], [0, 3]]
    assert (values.numpy().tolist(), shape.numpy().tolist()) == ([1, 1, 1, 0], [1, 4])
    assert scores.numpy().tolist() == [[-100]]
    merged = R.CTCGreedyDecoder(inputs=x, sequence_length=[5], merge_repeated=True)
    assert merged[1].numpy().tolist() == [1, 1, 0]


@pytest.mark.parametrize(("merges", "values"), [(False, [1, 1, 0]), (True, [1, 0])])
def test_a_beam_search_merges_labels(merges, values):
    given = {"sequence_length": [5], "beam_width": 10, "top_paths": 1, "merge_repeated": merges}
    found = R.CTCBeamSearchDecoder(inputs=certain(1, 1, 3, 1, 0), **given)
    (places,), (labels,), (shape,), scores = found
    assert labels.numpy().tolist() == values
    assert places.numpy().tolist() == [[0, i] for i in range(len(values))]
    assert shape.numpy().tolist() == [1, len(values)]
    np.testing.assert_allclose(scores, [[0]], atol=1e-5)


@pytest.mark.parametrize("compiled", [False, True])
def test_the_loss_comes_with_its_gradient(compiled):
    def both(x):
        return R.CTCLoss(inputs=x, **LABELS, sequence_length=[5, 4])

    with tf.GradientTape() as tape:
        tape.watch(LOGITS)
        loss, gradient = (tf.function(both) if compiled else both)(LOGITS)
    sparse = tf.SparseTensor(PLACES, [1, 1, 2, 0], [2, 3])
    wanted = tf.nn.ctc_loss(sparse, LOGITS, None, [5, 4], blank_index=-1)
    np.testing.assert_allclose(loss, wanted, 1e-6)
    np.testing.assert_allclose(tape.gradient(loss, LOGITS), gradient, 1e-6)


def test_labels_that_repeat_collapse():
    loss, _ = R.CTCLoss(
        inputs=LOGITS, **LABELS, sequence_length=[5, 4], preprocess_collapse_repeated=True
    )
    short = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 0], [2, 2])
    wanted = tf.nn.ctc_loss(short, LOGITS, None, [5, 4], blank_index=-1)
    np.testing.assert_allclose(loss, wanted, 1e-6)


def test_examples_with_too_many_labels_have_no_loss():
    loss, gradient = R.CTCLoss(
        inputs=LOGITS, **LABELS, sequence_length=[2, 4], ignore_longer_outputs_than_inputs=True
    )
    assert loss[0] == 0
    assert loss[1] > 0
    assert not np.any(gradient[:, 0])
    assert np.any(gradient[:, 1])


def test_labels_that_are_not_merged_are_not_supported():
    with pytest.raises(tf.errors.UnimplementedError, match="ctc_merge_repeated"):
        R.CTCLoss(inputs=LOGITS, **LABELS, sequence_length=[5, 4], ctc_merge_repeated=False)
