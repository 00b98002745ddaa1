"""Features of examples, one after the other in one array."""

import numpy as np
import pytest

import gradtape as tf

FEATURES = {
    "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2, 3])),
    "b": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5, 1.5])),
    "c": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x", b""])),
    "empty": tf.train.Feature(),
    "none": tf.train.Feature(float_list=tf.train.FloatList()),
}
EXAMPLE = tf.train.Example(features=tf.train.Features(feature=FEATURES)).SerializeToString()
ANOTHER = tf.train.Example(features=tf.train.Features(feature={"b": FEATURES["b"]}))
BATCH = [EXAMPLE, b"", ANOTHER.SerializeToString()]


@pytest.mark.parametrize(
    ("key", "dtype", "rows"),
    [
        ("a", tf.int64, [[1, -2, 3], [], []]),
        ("b", tf.float32, [[0.5, 1.5], [], [0.5, 1.5]]),
        ("c", tf.string, [[b"x", b""], [], []]),
        ("empty", tf.int64, [[], [], []]),
        ("none", tf.float32, [[], [], []]),
        ("absent", tf.string, [[], [], []]),
    ],
)
def test_rows_of_a_batch(key, dtype, rows):
    found = tf.io.parse_example(BATCH, {key: tf.io.RaggedFeature(dtype)})[key]
    assert found.dtype is dtype
    assert found.to_list() == rows
    sparse = tf.io.parse_example(BATCH, {key: tf.io.VarLenFeature(dtype)})[key]
    places = [[row, column] for row, each in enumerate(rows) for column in range(len(each))]
    assert sparse.indices.numpy().tolist() == places
    assert sparse.values.numpy().tolist() == [value for each in rows for value in each]
    assert sparse.dense_shape.numpy().tolist() == [3, max(map(len, rows))]


def test_defaults_stand_between_values():
    feature = tf.io.FixedLenFeature([2], tf.float32, default_value=[7.0, 8.0])
    found = tf.io.parse_example(BATCH, {"b": feature})["b"].numpy()
    assert found.dtype == np.float32
    assert found.tolist() == [[0.5, 1.5], [7, 8], [0.5, 1.5]]
    feature = tf.io.FixedLenFeature([2], tf.string, default_value=[b"p", b"q"])
    found = tf.io.parse_example(BATCH, {"c": feature})["c"].numpy()
    assert found.tolist() == [[b"x", b""], [b"p", b"q"], [b"p", b"q"]]


@pytest.mark.parametrize("batch", [[b"", EXAMPLE], [EXAMPLE, EXAMPLE]])
@pytest.mark.parametrize("feature", [tf.io.FixedLenFeature([3], tf.float32, [0.0] * 3)])
def test_values_of_another_type(batch, feature):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Data type: int64 but expected type"):
        tf.io.parse_example(batch, {"a": feature})


def test_an_empty_list_of_another_type():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Data type: float but expected"):
        tf.io.parse_example([EXAMPLE], {"none": tf.io.VarLenFeature(tf.int64)})


def test_an_empty_list_is_not_missing():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Values size: 0 but"):
        tf.io.parse_example([EXAMPLE], {"none": tf.io.FixedLenFeature([1], tf.float32, [1.0])})
    with pytest.raises(tf.errors.InvalidArgumentError, match="is required but could not be found"):
        tf.io.parse_example([EXAMPLE], {"empty": tf.io.FixedLenFeature([1], tf.float32)})


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
    context, sequences = tf.io.parse_single_sequence_example(
        data, sequence_features={"s": tf.io.RaggedFeature(tf.int64)}
    )
    assert context == {}
    assert sequences["s"].to_list() == [[1], [], [2, 3]]


@pytest.mark.parametrize("cut", range(1, len(EXAMPLE), 7))
def test_bytes_cut_short_are_an_error(cut):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse example input"):
        tf.io.parse_example([EXAMPLE[:cut]], {"b": tf.io.VarLenFeature(tf.float32)})
