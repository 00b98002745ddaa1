"""Arguments and results of functions as JSON."""

import pytest

import gradtape as tf
from gradtape._src.messages.reading import DecodeError
from gradtape._src.saving.structures import decoded

WRITTEN = [
    ({"value": 1}, 1),
    ({"value": None}, None),
    ({"list": [{"value": 1.5}, {"tuple": [{"value": 2}, {"value": "b"}]}]}, [1.5, (2, "b")]),
    (
        {"dict": [["k", {"list": [{"value": True}]}], ["a", {"value": None}]]},
        {"k": [True], "a": None},
    ),
    ({"spec": [[None, 3], "float32", "x"]}, tf.TensorSpec([None, 3], tf.float32, "x")),
    ({"spec": [None, "string", None]}, tf.TensorSpec(None, tf.string)),
]


@pytest.mark.parametrize(("data", "wanted"), WRITTEN, ids=str)
def test_structures_are_read(data, wanted):
    found = decoded(data)
    assert found == wanted
    assert type(found) is type(wanted)


def test_dictionaries_keep_their_order():
    data = {"dict": [["b", {"value": 1}], ["a", {"value": 2}]]}
    assert list(decoded(data).items()) == [("b", 1), ("a", 2)]


def test_constants_are_read():
    found = decoded({"constant": [[2], "int32", "AQAAAAIAAAA="]})
    assert found.numpy().tolist() == [1, 2]


@pytest.mark.parametrize("data", [None, 3, {}, {"kind": "nonsense"}, [], {"list": 3}, "text"])
def test_damaged_data(data):
    with pytest.raises(DecodeError):
        decoded(data)
