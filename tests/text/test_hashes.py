"""Hashes of texts; values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

s = tf.strings
RAGGED = tf.ragged.constant([["a", "b", "c"], ["d"], []])


def listed(value):
    return value.to_list() if isinstance(value, tf.RaggedTensor) else np.asarray(value).tolist()


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            lambda: s.to_hash_bucket(["a", "x" * 100], 1 << 62),
            [2996632905371535868, 1482511825497849095],
        ),
        (
            lambda: s.to_hash_bucket_strong(["", "x" * 100], 1 << 62, [1, 2]),
            [443797209252341627, 1638981394980189463],
        ),
    ],
)
def test_values(found, expected):
    assert listed(found()) == expected


def test_fingerprint_of_every_length():
    texts = ["", "a", "hello world", "x" * 20, "y" * 40, "z" * 64, "w" * 65, "x" * 100, "y" * 1000]
    assert s.to_hash_bucket_fast(texts, 1 << 62).numpy().tolist() == [
        1936946117179621455,
        3694432073954588131,
        1769834696496558107,
        3621402210320469444,
        276292113409495006,
        294799756062990872,
        3272011567211491968,
        1978794067220662815,
        3760325276695583553,
    ]


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (tf.errors.InvalidArgumentError, lambda: s.to_hash_bucket_fast(["a"], 0)),
        (tf.errors.InvalidArgumentError, lambda: s.to_hash_bucket_strong(["a"], 3, [1])),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()
