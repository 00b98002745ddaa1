"""Features of serialized examples, read without making messages of them."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.files import examples
from gradtape._src.messages.reading import DecodeError

EXAMPLE = tf.train.Example(
    features=tf.train.Features(
        feature={
            "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2, 3])),
            "b": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5, 1.5])),
            "c": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x", b""])),
            "empty": tf.train.Feature(),
        }
    )
).SerializeToString()


def test_features_that_are_wanted():
    found = examples.example_features(EXAMPLE, {"a", "b", "c", "empty", "absent"})
    values = {name: examples.values_of(held) for name, held in found.items()}
    assert sorted(values) == ["a", "b", "c"]
    assert values["a"].tolist() == [1, -2, 3]
    assert (values["b"].dtype, values["b"].tolist()) == (np.float32, [0.5, 1.5])
    assert values["c"].tolist() == [b"x", b""]


def test_others_are_passed_over():
    assert list(examples.example_features(EXAMPLE, {"b"})) == ["b"]
    assert examples.example_features(b"", {"b"}) == {}


def test_sequences():
    lists = tf.train.FeatureLists(
        feature_list={
            "s": tf.train.FeatureList(
                feature=[
                    tf.train.Feature(int64_list=tf.train.Int64List(value=[1])),
                    tf.train.Feature(),
                    tf.train.Feature(int64_list=tf.train.Int64List(value=[2, 3])),
                ]
            )
        }
    )
    data = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
    context, sequences = examples.sequence_features(data, {"a"}, {"s"})
    assert context == {}
    held = sequences["s"]
    assert held[1] is None
    assert [examples.values_of(h).tolist() for h in held if h is not None] == [[1], [2, 3]]


@pytest.mark.parametrize("cut", range(1, len(EXAMPLE), 7))
def test_bytes_cut_short_are_an_error_or_no_more_than_a_part(cut):
    try:
        found = examples.example_features(EXAMPLE[:cut], {"a", "b", "c"})
    except DecodeError:
        return
    assert set(found) < {"a", "b", "c"}
