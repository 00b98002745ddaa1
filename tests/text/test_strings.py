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
        (lambda: s.as_string([1.0, 1e20]), [b"1.000000", b"100000002004087734272.000000"]),
        (lambda: s.as_string([3.14159], shortest=True), [b"3.14159"]),
        (lambda: s.as_string([1, -2], width=4, fill="0"), [b"0001", b"-002"]),
        (lambda: s.as_string([True, False]), [b"true", b"false"]),
        (lambda: s.as_string([1 + 2j]), [b"(1.000000,2.000000)"]),
        (lambda: s.to_number(["1.5", " 2 ", "0x10", "-Infinity"]), [1.5, 2.0, 16.0, -np.inf]),
        (lambda: s.to_number(["+12"], tf.int64), [12]),
        (
            lambda: s.to_hash_bucket(["a", "x" * 100], 1 << 62),
            [2996632905371535868, 1482511825497849095],
        ),
        (
            lambda: s.to_hash_bucket_strong(["", "x" * 100], 1 << 62, [1, 2]),
            [443797209252341627, 1638981394980189463],
        ),
        (lambda: s.unicode_decode(["hé", b"a\xffb"], "UTF-8"), [[104, 233], [97, 65533, 98]]),
        (lambda: s.unicode_decode([b"a\x01\xff"], "UTF-8", "ignore", 63, True), [[97, 63]]),
        (lambda: s.unicode_decode([b"\xe9"], "latin1"), [[233]]),
        (lambda: s.unicode_split(["hé", ""], "UTF-8"), [[b"h", b"\xc3\xa9"], []]),
        (lambda: s.unicode_split_with_offsets("é€x", "UTF-8")[1], [0, 2, 5]),
        (lambda: s.unicode_encode([[104, 233], [1, 2]], "UTF-16-BE"), [b"\0h\0\xe9", b"\0\1\0\2"]),
        (lambda: s.unicode_encode([0x110000, 0xD800], "UTF-8"), "\ufffd\ufffd".encode()),
        (lambda: s.unicode_transcode([b"h\xe9"], "ISO-8859-1", "UTF-8"), ["hé".encode()]),
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
    ("pattern", "rewrite", "text", "expected"),
    [
        ("b*", "-", "abc", b"-a-c-"),  # no empty match after a match
        ("a*?", "<\\0>", "aab", b"<>a<>a<>b<>"),
        ("$", "x", "a\n", b"a\nx"),
        (".", "x", b"a\xffb", b"x\xffx"),
        ("[^a]", "x", b"a\xffb", b"a\xffx"),
        ("(?i)S", "x", "\u017fs", b"xx"),
        ("a(?i)b|c", "x", "aB C", b"x x"),
        ("[[:^alpha:]]", "", "a1 b", b"ab"),
        ("[^\\D]", "#", "a1", b"a#"),
        ("\\p{Lu}\\PL", "x", "É1e1", b"xe1"),
        ("\\Qa.b\\E", "x", "a.b aXb", b"x aXb"),
        ("\\s", "", "a\x0bb c", b"a\x0bbc"),
        ("(\\w+) (\\w+)", "\\2 \\1", "ab cd", b"cd ab"),
        ("(?U)a+", "x", "aa", b"xx"),
        ("[a&&b-]", "x", "&-c", b"xxc"),
        ("a", "x\\n", "abc", b"xbc"),  # what stands before what is no rewrite
        ("(b)", "\\2", "abc", b"abc"),
    ],
)
def test_regular_expressions_of_re2(pattern, rewrite, text, expected):
    assert s.regex_replace([text], pattern, rewrite).numpy()[0] == expected


@pytest.mark.parametrize(
    "pattern",
    ["a(?=b)", "(a)\\1", "a*+", "a**", "(b", "b)", "[z-a]", "a{1001}", "\\q", "(?>a)", "\\Z"],
)
def test_patterns_that_re2_refuses(pattern):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
        s.regex_full_match(["x"], pattern)


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
        (tf.errors.InvalidArgumentError, lambda: s.as_string([1], precision=2)),
        (tf.errors.InvalidArgumentError, lambda: s.to_number(["1_0"], tf.int32)),
        (tf.errors.InvalidArgumentError, lambda: s.to_number(["99999999999"], tf.int32)),
        (tf.errors.InvalidArgumentError, lambda: s.to_number(["1"], tf.int8)),
        (tf.errors.InvalidArgumentError, lambda: s.to_hash_bucket_fast(["a"], 0)),
        (tf.errors.InvalidArgumentError, lambda: s.to_hash_bucket_strong(["a"], 3, [1])),
        (tf.errors.InvalidArgumentError, lambda: s.unicode_decode([b"\xff"], "UTF-8", "strict")),
        (tf.errors.InvalidArgumentError, lambda: s.unicode_decode(["a"], "nonsense")),
        (tf.errors.InvalidArgumentError, lambda: s.unicode_encode([1], "LATIN1")),
        (ValueError, lambda: s.ngrams(["a"], 0)),
        (tf.errors.InvalidArgumentError, lambda: s.unsorted_segment_join(["a"], [5], 3)),
    ],
)
def test_errors(error, call):
    with pytest.raises(error):
        call()


def test_crosses_of_features():
    words, letters = tf.constant([["a", "q"], ["b", "r"]]), tf.constant([["c"], ["d"]])
    found = tf.sparse.cross([words, letters])
    assert found.values.numpy().tolist() == [b"a_X_c", b"q_X_c", b"b_X_d", b"r_X_d"]
    assert found.indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    numbers = tf.sparse.cross_hashed([words, letters], num_buckets=1000)
    assert numbers.values.numpy().tolist() == [566, 594, 454, 912]
    seven = tf.sparse.cross_hashed([tf.constant([[7]], tf.int64)], num_buckets=1 << 60)
    assert seven.values.numpy().tolist() == [211960328286072238]
    for wrong in ([words, letters[:1]], [tf.constant(["a"])], [tf.constant([[1.5]])]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.sparse.cross(wrong)
    with pytest.raises(TypeError, match="ragged"):
        tf.sparse.cross([RAGGED])
