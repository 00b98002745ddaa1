"""Values, unless a comment says otherwise, are what TensorFlow 2.21 gives."""

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
        (lambda: s.join([["a", "b"], "c"], "-"), [b"a-c", b"b-c"]),
        (lambda: s.join([RAGGED, "z"]), [[b"az", b"bz", b"cz"], [b"dz"], []]),
        (lambda: s.split(["a b  c", "", " x"]), [[b"a", b"b", b"c"], [], [b"x"]]),
        (lambda: s.split([" a b  c d "], maxsplit=1), [[b"a", b"b  c d "]]),
        (lambda: s.split(["a,b,,c", "", ","], ","), [[b"a", b"b", b"", b"c"], [b""], [b"", b""]]),
        (lambda: s.split([["a b"], ["c"]]), [[[b"a", b"b"]], [[b"c"]]]),
        (lambda: s.split("a b"), [b"a", b"b"]),
        (lambda: s.bytes_split(["hé", ""]), [[b"h", b"\xc3", b"\xa9"], []]),
        (lambda: s.length(["abc", "é"]), [3, 2]),
        (lambda: s.length(["abc", "é"], "UTF8_CHAR"), [3, 1]),
        (lambda: s.substr("hello", [1, -2], [3, 9]), [b"ell", b"lo"]),
        (lambda: s.substr([["a"], ["b"]], [0, 0], [1, 1]), [[b"a", b"a"], [b"b", b"b"]]),
        (lambda: s.substr(["héllo"], 1, 2, unit="UTF8_CHAR"), ["él".encode()]),
        (lambda: s.lower(["ABcÉ"]), ["abcÉ".encode()]),
        (lambda: s.lower(["ABcÉ"], encoding="utf-8"), ["abcé".encode()]),
        (lambda: s.strip(["  a b \n", "\x0b\x00 x"]), [b"a b", b"\x00 x"]),
        (lambda: s.reduce_join([["a", "b"], ["c", "d"]], axis=[0, 1], separator="."), b"a.c.b.d"),
        (lambda: s.reduce_join([["a", "b"], ["c", "d"]]), b"abcd"),
        (lambda: s.reduce_join([["a", "b"]], axis=-1, keepdims=True), [[b"ab"]]),
        (lambda: s.reduce_join(RAGGED, axis=-1), [b"abc", b"d", b""]),
        (lambda: s.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 3, "-"), [b"a-c", b"b", b""]),
        (lambda: s.format("x={}!", tf.range(10)), b"x=[0 1 2 ... 7 8 9]!"),
    ],
)
def test_values(found, expected):
    assert listed(found()) == expected


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (tf.errors.InvalidArgumentError, lambda: s.join([["a", "b"], ["c"]])),
        (TypeError, lambda: s.join("abc")),
        (TypeError, lambda: s.split(3)),
        (tf.errors.InvalidArgumentError, lambda: s.substr("hello", 6, 1)),
        (tf.errors.InvalidArgumentError, lambda: s.substr(["a"], 0, [1])),
        (tf.errors.InvalidArgumentError, lambda: s.length(["a"], "X")),
        (tf.errors.InvalidArgumentError, lambda: s.upper(["a"], "latin")),
        (tf.errors.OutOfRangeError, lambda: s.reduce_join([["a"]], axis=5)),
        (ValueError, lambda: s.format("{}", [1, 2])),
        (tf.errors.InvalidArgumentError, lambda: s.unsorted_segment_join(["a"], [5], 3)),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    "run",
    [tf.strings.bytes_split, tf.strings.split, lambda x: tf.strings.unicode_split(x, "UTF-8")],
)
def test_parts_of_no_strings_keep_the_axes(run):
    found = run(tf.zeros((2, 0, 3), tf.string))
    assert found.shape == [2, 0, 3, None]
    assert [s.numpy().tolist() for s in found.nested_row_splits] == [[0, 0, 0], [0], [0]]
