"""Raw operations on strings."""

import pytest

import gradtape as tf

RAW = tf.raw_ops


def test_parts_of_strings():
    places, values, shape = RAW.StringSplitV2(input=["a b c", "d", ""], sep="")
    assert places.numpy().tolist() == [[0, 0], [0, 1], [0, 2], [1, 0]]
    assert values.numpy().tolist() == [b"a", b"b", b"c", b"d"]
    assert shape.numpy().tolist() == [3, 3]
    _, values, _ = RAW.StringSplitV2(input=["a,b,c"], sep=",", maxsplit=1)
    assert values.numpy().tolist() == [b"a", b"b,c"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a vector"):
        RAW.StringSplitV2(input="a", sep="")


def test_parts_in_a_graph():
    split = tf.function(lambda x: RAW.StringSplitV2(input=x, sep="")[1])
    assert split(tf.constant(["a b", "c"])).numpy().tolist() == [b"a", b"b", b"c"]


def test_code_points():
    splits, points = RAW.UnicodeDecode(input=["aé", "b"], input_encoding="UTF-8")
    assert (splits.numpy().tolist(), points.numpy().tolist()) == ([0, 2, 3], [97, 233, 98])
    found = RAW.UnicodeDecodeWithOffsets(input=["aé", "b"], input_encoding="UTF-8")
    assert found[2].numpy().tolist() == [0, 1, 0]


def test_other_operations_have_their_names():
    assert RAW.StringLower(input="AB").numpy() == b"ab"
    assert RAW.StaticRegexReplace(input="aab", pattern="a+", rewrite="x").numpy() == b"xb"
    assert RAW.StaticRegexFullMatch(input="aab", pattern="a+b").numpy()
    assert RAW.ReduceJoin(inputs=["a", "b"], reduction_indices=0, separator="-").numpy() == b"a-b"
    assert RAW.AsString(input=1.5, precision=2).numpy() == b"1.50"
    assert RAW.StringToNumber(string_tensor="2.5").numpy() == 2.5


def test_an_empty_string_has_no_parts_even_if_empty_parts_count():
    given = {"input": ["a,b", "", ",", "a,"], "delimiter": ","}
    found = tf.raw_ops.StringSplit(**given, skip_empty=False)
    assert found.values.numpy().tolist() == [b"a", b"b", b"", b"", b"a", b""]
    assert found.indices.numpy()[:, 0].tolist() == [0, 0, 2, 2, 3, 3]
