"""Values are those of TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf

io, train = tf.io, tf.train


def feature(values):
    values = list(values)
    if values and isinstance(values[0], bytes):
        return train.Feature(bytes_list=train.BytesList(value=values))
    if values and isinstance(values[0], float):
        return train.Feature(float_list=train.FloatList(value=values))
    return train.Feature(int64_list=train.Int64List(value=values))


def example(**values):
    held = {key: feature(value) for key, value in values.items()}
    return train.Example(features=train.Features(feature=held)).SerializeToString(
        deterministic=True
    )


def sequence(context, lists):
    held = {
        key: train.FeatureList(feature=[feature(step) for step in steps])
        for key, steps in lists.items()
    }
    return train.SequenceExample(
        context=train.Features(feature={key: feature(value) for key, value in context.items()}),
        feature_lists=train.FeatureLists(feature_list=held),
    ).SerializeToString(deterministic=True)


A, B = example(x=[1, 2], s=[b"hi"], f=[1.5, 2.5, 3.5]), example(x=[3, 4], s=[b"yo"], f=[9.5])
C = example(x=[5, 6])


def sparse(value):
    return [x.numpy().tolist() for x in (value.indices, value.values, value.dense_shape)]


def test_fixed_features():
    found = io.parse_single_example(
        A, {"x": io.FixedLenFeature([2, 1], tf.int64), "s": io.FixedLenFeature([], tf.string)}
    )
    assert list(found) == ["s", "x"]
    assert (found["s"].numpy(), found["x"].numpy().tolist()) == (b"hi", [[1], [2]])
    batch = io.parse_example(
        [A, B, C],
        {
            "x": io.FixedLenFeature([2], tf.int64),
            "s": io.FixedLenFeature([], tf.string, default_value="-"),
        },
    )
    assert batch["x"].numpy().tolist() == [[1, 2], [3, 4], [5, 6]]
    assert batch["s"].numpy().tolist() == [b"hi", b"yo", b"-"]


def test_features_of_any_length():
    batch = io.parse_example([A, B, C], {"f": io.VarLenFeature(tf.float32)})["f"]
    places = [[0, 0], [0, 1], [0, 2], [1, 0]]
    assert sparse(batch) == [places, [1.5, 2.5, 3.5, 9.5], [3, 3]]
    one = io.parse_single_example(A, {"f": io.VarLenFeature(tf.float32)})["f"]
    assert sparse(one) == [[[0], [1], [2]], [1.5, 2.5, 3.5], [3]]
    ragged = io.parse_example([A, B, C], {"f": io.RaggedFeature(tf.float32)})["f"]
    assert ragged.to_list() == [[1.5, 2.5, 3.5], [9.5], []]
    assert ragged.row_splits.dtype == tf.int32
    padded = io.FixedLenSequenceFeature([], tf.float32, allow_missing=True, default_value=-1.0)
    dense = io.parse_example([A, B, C], {"f": padded})["f"].numpy().tolist()
    assert dense == [[1.5, 2.5, 3.5], [9.5, -1, -1], [-1, -1, -1]]
    pairs = io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)
    assert io.parse_single_example(A, {"x": pairs})["x"].numpy().tolist() == [[1, 2]]


def test_sparse_features():
    one, two = example(i=[3, 1], j=[0, 2], v=[0.5, 1.5]), example(i=[2], j=[1], v=[2.5])
    vector = io.SparseFeature("i", "v", tf.float32, 10)
    found = io.parse_example([one, two], {"q": vector})["q"]
    assert sparse(found) == [[[0, 1], [0, 3], [1, 2]], [1.5, 0.5, 2.5], [2, 10]]
    matrix = io.SparseFeature(["i", "j"], "v", tf.float32, [10, 4])
    assert sparse(io.parse_single_example(one, {"q": matrix})["q"])[0] == [[1, 2], [3, 0]]
    with pytest.raises(ValueError, match="not compatible"):
        io.parse_single_example(example(i=[1, 2], v=[1.0]), {"q": vector})


@pytest.mark.parametrize(
    ("partition", "expected"),
    [
        (io.RaggedFeature.RowLengths("l"), [[1, 2], [3, 4]]),
        (io.RaggedFeature.RowSplits("s"), [[1], [2, 3, 4]]),
        (io.RaggedFeature.RowStarts("b"), [[1], [2, 3], [4]]),
        (io.RaggedFeature.RowLimits("e"), [[1], [2, 3], [4]]),
        (io.RaggedFeature.ValueRowIds("r"), [[1, 2], [3], [], [4]]),
        (io.RaggedFeature.UniformRowLength(2), [[1, 2], [3, 4]]),
    ],
)
def test_partitions(partition, expected):
    data = example(v=[1, 2, 3, 4], l=[2, 2], s=[0, 1, 4], b=[0, 1, 3], e=[1, 3, 4], r=[0, 0, 1, 3])
    rows = {"q": io.RaggedFeature(tf.int64, "v", partitions=[partition])}
    found = io.parse_single_example(data, rows)["q"]
    assert (found.to_list() if hasattr(found, "to_list") else found.numpy().tolist()) == expected
    batch = io.parse_example([data, data], rows)["q"]
    assert batch.to_list() == [expected, expected]
    damaged = example(v=[1, 2, 3], l=[2, 2], s=[0, 4], b=[0, 9], e=[1, 4], r=[0, -1, 0])
    if not hasattr(partition, "length"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not divide 3 values"):
            io.parse_single_example(damaged, rows)


def test_sequences():
    one = sequence({"n": [3]}, {"w": [[1], [2], [3]], "u": [[1.0, 2.0]], "z": [[1, 2], [3]]})
    two = sequence({"n": [1]}, {"w": [[7]], "u": [[5.0, 6.0]], "z": [[], [9]]})
    context = {"n": io.FixedLenFeature([], tf.int64)}
    lists = {
        "w": io.FixedLenSequenceFeature([], tf.int64),
        "u": io.FixedLenSequenceFeature([2], tf.float32),
        "z": io.VarLenFeature(tf.int64),
    }
    found, steps = io.parse_single_sequence_example(one, context, lists)
    assert int(found["n"]) == 3
    assert steps["w"].numpy().tolist() == [1, 2, 3]
    assert sparse(steps["z"]) == [[[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2]]
    found, steps, lengths = io.parse_sequence_example([one, two], context, lists)
    assert found["n"].numpy().tolist() == [3, 1]
    assert steps["w"].numpy().tolist() == [[1, 2, 3], [7, 0, 0]]
    assert steps["u"].numpy().tolist() == [[[1, 2]], [[5, 6]]]
    places = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 0]]
    assert sparse(steps["z"]) == [places, [1, 2, 3, 9], [2, 2, 2]]
    assert {key: value.numpy().tolist() for key, value in lengths.items()} == {
        "u": [1, 1],
        "w": [3, 1],
    }
    ragged = {"z": io.RaggedFeature(tf.int64)}
    _, steps, _ = io.parse_sequence_example([one, two], sequence_features=ragged)
    assert steps["z"].to_list() == [[[1, 2], [3]], [[], [9]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="'none' is required"):
        io.parse_single_sequence_example(
            one, sequence_features={"none": io.FixedLenSequenceFeature([], tf.int64)}
        )


@pytest.mark.parametrize(
    ("error", "data", "features", "message"),
    [
        ("i", C, {"f": io.FixedLenFeature([], tf.float32)}, "f .data type: float. is required"),
        ("i", A, {"x": io.FixedLenFeature([3], tf.int64)}, "values != expected"),
        ("i", A, {"x": io.FixedLenFeature([2], tf.float32)}, "Data types don't match"),
        ("i", A, {"x": io.FixedLenFeature([2], tf.int32)}, "not in the list of allowed"),
        ("i", C, {"f": io.FixedLenFeature([2], tf.float32, 7.0)}, "default value"),
        ("i", b"junk", {"x": io.FixedLenFeature([2], tf.int64)}, "Could not parse example"),
        ("v", A, {"x": io.FixedLenFeature([None], tf.int64)}, "FixedLenSequenceFeature"),
        ("v", A, {"x": io.FixedLenSequenceFeature([], tf.int64)}, "allow_missing"),
        ("v", A, {"x": 3}, "Unsupported int 3 for key 'x'"),
        ("v", A, {}, "cannot be None or falsy"),
    ],
)
def test_errors(error, data, features, message):
    kind = tf.errors.InvalidArgumentError if error == "i" else ValueError
    with pytest.raises(kind, match=message):
        io.parse_single_example(data, features)


@pytest.mark.parametrize(
    ("data", "features", "message"),
    [
        ([A, b"junk", C], {"x": io.VarLenFeature(tf.int64)}, "Name: b, Could not parse"),
        ([A, C, B], {"f": io.FixedLenFeature([3], tf.float32)}, "Name: b, Feature: f"),
        ([A, C, B], {"f": io.FixedLenFeature([3], tf.float32, [0.0] * 3)}, "Name: c.*Index: 2"),
        ([C, example(x=[1.5]), A], {"x": io.VarLenFeature(tf.int64)}, "Name: b, Key: x.*float"),
        ([A, B, C], {"f": io.FixedLenSequenceFeature([3], tf.float32, True)}, "Name: b.*got 1"),
        ([A, B, C, A], {"x": io.VarLenFeature(tf.int64)}, "Expected names have the same shape"),
    ],
)
def test_an_error_in_a_batch_names_the_example(data, features, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        io.parse_example(data, features, example_names=["a", "b", "c"])


def test_a_batch_with_empty_and_missing_features():
    empty = train.Feature(float_list=train.FloatList())
    none = train.Example(features=train.Features(feature={"f": empty})).SerializeToString()
    data = [A, none, C, B]
    found = io.parse_example(data, {"f": io.VarLenFeature(tf.float32)})["f"]
    assert sparse(found) == [[[0, 0], [0, 1], [0, 2], [3, 0]], [1.5, 2.5, 3.5, 9.5], [4, 3]]
    ragged = io.parse_example(data, {"f": io.RaggedFeature(tf.float32)})["f"]
    assert ragged.to_list() == [[1.5, 2.5, 3.5], [], [], [9.5]]


def test_an_example_cut_short_never_gives_values():
    features = {"x": io.FixedLenFeature([300], tf.int64)}
    whole = example(x=np.arange(300) * 12345)
    expected = io.parse_single_example(whole, features)["x"].numpy()
    np.testing.assert_array_equal(expected, np.arange(300) * 12345)
    for size in range(0, len(whole), 37):
        with pytest.raises(tf.errors.InvalidArgumentError):
            io.parse_single_example(whole[:size], features)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"dtype": tf.float64}, ValueError),
        ({"dtype": tf.float32, "value_key": 2}, ValueError),
        ({"dtype": tf.float32, "row_splits_dtype": tf.float32}, ValueError),
        ({"dtype": tf.float32, "validate": 1}, TypeError),
        ({"dtype": tf.float32, "partitions": 2}, TypeError),
    ],
)
def test_what_a_ragged_feature_takes(arguments, error):
    with pytest.raises(error):
        tf.io.RaggedFeature(**arguments)


def test_the_dtypes_of_a_ragged_feature():
    feature = tf.io.RaggedFeature("float32", row_splits_dtype="int64")
    assert (feature.dtype, feature.row_splits_dtype) == (tf.float32, tf.int64)
