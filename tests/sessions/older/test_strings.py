"""Operations on strings with TensorFlow 1's arguments."""

import pytest

import gradtape as tf

v1 = tf.compat.v1


def test_strings_are_split_at_any_of_several_characters():
    found = v1.string_split(["a,b;c", ";d"], ",;", result_type="RaggedTensor")
    assert found.to_list() == [[b"a", b"b", b"c"], [b"d"]]
    kept = v1.string_split([";d"], ";", skip_empty=False)
    assert kept.values.numpy().tolist() == [b"", b"d"]
    assert v1.string_split(["ab"], "").values.numpy().tolist() == [b"a", b"b"]


def test_old_names_of_arguments():
    assert v1.string_to_number(string_tensor=["2"], out_type=tf.int32).numpy().tolist() == [2]
    assert v1.string_to_hash_bucket(["a"], 10).shape == [1]
    assert v1.decode_raw(bytes=b"\x01", out_type=tf.uint8).numpy().tolist() == [1]
    with pytest.raises(TypeError, match="num_buckets"):
        v1.string_to_hash_bucket(["a"])


def test_parts_of_strings():
    found = v1.strings.split(["a b", "c"])
    assert found.indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0]]
    assert found.values.numpy().tolist() == [b"a", b"b", b"c"]
    ragged = v1.strings.split(source="a,b", sep=",", result_type="RaggedTensor")
    assert ragged.to_list() == [[b"a", b"b"]]
    with pytest.raises(ValueError, match="result_type must be"):
        v1.strings.split(["a"], result_type="list")
    assert v1.strings.substr("abc", 1, 2, "name").numpy() == b"bc"
