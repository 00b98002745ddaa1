"""Arguments and results of functions as JSON."""

import collections
import json

import pytest

import gradtape as tf
from gradtape._src.messages.reading import DecodeError
from gradtape._src.saving.structures import decoded, encoded

VALUES = [
    1,
    1.5,
    "a",
    None,
    True,
    [1, (2, "b")],
    {"k": [1], "a": None},
    tf.TensorSpec([None, 3], tf.float32, "x"),
    (tf.TensorSpec([], tf.string), {"n": tf.TensorSpec(None, tf.int64)}),
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_there_and_back(value):
    again = decoded(json.loads(json.dumps(encoded(value))))
    assert again == value
    assert type(again) is type(value)


def test_ordered_dictionaries_keep_their_order():
    value = collections.OrderedDict([("b", 1), ("a", 2)])
    assert list(decoded(encoded(value)).items()) == [("b", 1), ("a", 2)]


def test_what_cannot_be_saved():
    with pytest.raises(TypeError):
        encoded([object()])


@pytest.mark.parametrize("data", [None, 3, {}, {"kind": "nonsense"}, [], {"list": 3}, "text"])
def test_damaged_data(data):
    with pytest.raises(DecodeError):
        decoded(data)
