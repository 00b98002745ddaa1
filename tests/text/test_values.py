"""Common properties of all operations on strings."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.text import values


def test_strings_are_checked():
    assert values.texts(["a", "b"], "Op").dtype is tf.string
    with pytest.raises((TypeError, ValueError)):
        values.texts([1, 2], "Op")


def test_a_function_of_each_string():
    upper = values.each(bytes.upper, [["a"], ["b"]], "Op")
    assert upper.numpy().tolist() == [[b"A"], [b"B"]]
    lengths = values.each(len, ["a", "bcd"], "Op", np.int32)
    assert (lengths.dtype, lengths.numpy().tolist()) == (tf.int32, [1, 3])
    assert values.each(len, "abc", "Op", np.int64) == 3


def test_ragged_tensors_keep_their_rows():
    ragged = tf.ragged.constant([["a"], ["b", "c"]])
    got = values.on_values(lambda x: values.each(bytes.upper, x, "Op"), ragged)
    assert got.to_list() == [[b"A"], [b"B", b"C"]]


def test_rows_of_lengths():
    assert values.rows([b"a", b"b", b"c"], [1, 0, 2]).to_list() == [[b"a"], [], [b"b", b"c"]]
    assert values.strings([b"a", b"b"], [2, 1]).shape == (2, 1)


@pytest.mark.parametrize("text", ["a", b"a", tf.constant("a")])
def test_an_argument_that_says_something(text):
    assert values.text_argument(text) == "a"


def test_whole_numbers():
    assert values.whole([1, 2]).tolist() == [1, 2]
    assert values.whole(3).dtype == np.int64
