"""Numbers as texts and texts as numbers; values are TensorFlow's."""

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
        (lambda: s.as_string([1.0, 1e20]), [b"1.000000", b"100000002004087734272.000000"]),
        (lambda: s.as_string([3.14159], shortest=True), [b"3.14159"]),
        (lambda: s.as_string([1, -2], width=4, fill="0"), [b"0001", b"-002"]),
        (lambda: s.as_string([True, False]), [b"true", b"false"]),
        (lambda: s.as_string([1 + 2j]), [b"(1.000000,2.000000)"]),
        (lambda: s.to_number(["1.5", " 2 ", "0x10", "-Infinity"]), [1.5, 2.0, 16.0, -np.inf]),
        (lambda: s.to_number(["+12"], tf.int64), [12]),
    ],
)
def test_values(found, expected):
    assert listed(found()) == expected


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (tf.errors.InvalidArgumentError, lambda: s.as_string([1], precision=2)),
        (tf.errors.InvalidArgumentError, lambda: s.to_number(["1_0"], tf.int32)),
        (tf.errors.InvalidArgumentError, lambda: s.to_number(["99999999999"], tf.int32)),
        (tf.errors.InvalidArgumentError, lambda: s.to_number(["1"], tf.int8)),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"width": 5}, [b"   ab", b"abcdefg", b"     "]),
        ({"width": 5, "fill": "-"}, [b"ab   ", b"abcdefg", b"     "]),
        ({"width": 5, "fill": "0"}, [b"   ab", b"abcdefg", b"     "]),
        ({"width": 0}, [b"ab", b"abcdefg", b""]),
    ],
)
def test_as_string_fills_strings_up(arguments, expected):
    got = tf.strings.as_string(["ab", "abcdefg", ""], **arguments)
    assert got.numpy().tolist() == expected
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.strings.as_string(["ab"], fill="ab")
