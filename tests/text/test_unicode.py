"""Encodings of texts; values are TensorFlow's."""

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
        (lambda: s.unicode_decode(["hé", b"a\xffb"], "UTF-8"), [[104, 233], [97, 65533, 98]]),
        (lambda: s.unicode_decode([b"a\x01\xff"], "UTF-8", "ignore", 63, True), [[97, 63]]),
        (lambda: s.unicode_decode([b"\xe9"], "latin1"), [[233]]),
        (lambda: s.unicode_split(["hé", ""], "UTF-8"), [[b"h", b"\xc3\xa9"], []]),
        (lambda: s.unicode_split_with_offsets("é€x", "UTF-8")[1], [0, 2, 5]),
        (lambda: s.unicode_encode([[104, 233], [1, 2]], "UTF-16-BE"), [b"\0h\0\xe9", b"\0\1\0\2"]),
        (lambda: s.unicode_encode([0x110000, 0xD800], "UTF-8"), "\ufffd\ufffd".encode()),
        (lambda: s.unicode_transcode([b"h\xe9"], "ISO-8859-1", "UTF-8"), ["hé".encode()]),
    ],
)
def test_values(found, expected):
    assert listed(found()) == expected


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (tf.errors.InvalidArgumentError, lambda: s.unicode_decode([b"\xff"], "UTF-8", "strict")),
        (tf.errors.InvalidArgumentError, lambda: s.unicode_decode(["a"], "nonsense")),
        (tf.errors.InvalidArgumentError, lambda: s.unicode_encode([1], "LATIN1")),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()
