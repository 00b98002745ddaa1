"""Sequences of neighbours; values are TensorFlow's."""

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
            lambda: s.ngrams(RAGGED, 2, preserve_short_sequences=True),
            [[b"a b", b"b c"], [b"d"], []],
        ),
        (lambda: s.ngrams(["a", "b"], [1, 2], "-"), [b"a", b"b", b"a-b"]),
        (
            lambda: s.ngrams(["d"], 3, pad_values=("<", ">")),
            [b"< < d", b"< d >", b"d > >"],
        ),
        (lambda: s.ngrams(["d"], 3, pad_values="#", padding_width=1), [b"# d #"]),
    ],
)
def test_values(found, expected):
    assert listed(found()) == expected


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: s.ngrams(["a"], 0)),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("shape", [(0, 3), (0, 0), (2, 0)])
def test_no_rows(shape):
    wanted = [2, 0] if shape[0] else [0, 1]
    assert tf.strings.ngrams(tf.zeros(shape, tf.string), 1).shape == wanted
