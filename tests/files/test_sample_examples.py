"""Sample examples have the requested features."""

from __future__ import annotations

import pytest

import gradtape as tf
from gradtape._src.files.sample_examples import texts_of_examples, texts_of_sequences

KINDS = {
    "fixed": tf.io.FixedLenFeature([2], tf.float32),
    "sequence": tf.io.FixedLenSequenceFeature([2], tf.string, allow_missing=True),
    "varying": tf.io.VarLenFeature(tf.int64),
    "sparse": tf.io.SparseFeature(["i", "j"], "v", tf.float32, [4, 4]),
    "ragged": tf.io.RaggedFeature(
        tf.int64, "r", [tf.io.RaggedFeature.RowSplits("s"), tf.io.RaggedFeature.RowLengths("l")]
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_examples_can_be_parsed(kind):
    for text in texts_of_examples(None, {kind: KINDS[kind]}):
        assert set(tf.io.parse_single_example(text, {kind: KINDS[kind]})) == {kind}


def test_sequences_can_be_parsed():
    context = {"a": tf.io.FixedLenFeature([2], tf.float32)}
    steps = {"t": tf.io.FixedLenSequenceFeature([3], tf.int64), "v": tf.io.VarLenFeature(tf.string)}
    texts = texts_of_sequences(None, context, steps)
    found = [tf.io.parse_single_sequence_example(text, context, steps)[1] for text in texts]
    assert [len(sequences["t"]) for sequences in found] == [1, 2]
