"""Datasets of examples in files of records; expected values are TensorFlow's."""

import pytest

import gradtape as tf

X, Dataset = tf.data.experimental, tf.data.Dataset
FEATURES = {"x": tf.io.FixedLenFeature([2], tf.float32), "y": tf.io.FixedLenFeature([1], tf.int64)}


def example(i):
    x = tf.train.Feature(float_list=tf.train.FloatList(value=[i, i + 1]))
    y = tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))
    return tf.train.Example(
        features=tf.train.Features(feature={"x": x, "y": y})
    ).SerializeToString()


@pytest.fixture
def file(tmp_path):
    path = str(tmp_path / "examples")
    X.TFRecordWriter(path).write(Dataset.from_tensor_slices([example(i) for i in range(5)]))
    return path


@pytest.mark.parametrize("compression", ["", "GZIP"])
def test_a_dataset_is_written(tmp_path, compression):
    path = str(tmp_path / "records")
    X.TFRecordWriter(path, compression).write(Dataset.from_tensor_slices(["one", "two"]))
    read = tf.data.TFRecordDataset(path, compression)
    assert [x.numpy() for x in read] == [b"one", b"two"]
    for wrong in (Dataset.range(2), ["one"]):
        with pytest.raises(TypeError, match="dataset"):
            X.TFRecordWriter(path).write(wrong)


def test_batches_of_examples_are_parsed(file):
    batches = tf.data.TFRecordDataset(file).batch(2)
    features = {**FEATURES, "y": tf.io.VarLenFeature(tf.int64)}
    parsed = batches.apply(X.parse_example_dataset(features))
    assert parsed.element_spec["x"] == tf.TensorSpec([None, 2], tf.float32)
    first = next(iter(parsed))
    assert first["x"].numpy().tolist() == [[0.0, 1.0], [1.0, 2.0]]
    assert first["y"].values.numpy().tolist() == [0, 1]
    with pytest.raises(ValueError, match="features"):
        X.parse_example_dataset(None)
    with pytest.raises(TypeError, match="strings"):
        Dataset.range(2).apply(X.parse_example_dataset(FEATURES))


def test_files_become_batches_of_features(file):
    made = X.make_batched_features_dataset
    batches = list(made(file, 2, FEATURES, num_epochs=1, shuffle=False))
    assert [b["y"].numpy().ravel().tolist() for b in batches] == [[0, 1], [2, 3], [4]]
    pairs = made(
        file, 2, FEATURES, label_key="y", num_epochs=1, shuffle=False, drop_final_batch=True
    )
    assert [y.numpy().ravel().tolist() for _, y in pairs] == [[0, 1], [2, 3]]
    twice = list(made([file, file], 3, FEATURES, num_epochs=2, shuffle=False))
    assert [len(b["y"]) for b in twice] == [3] * 6 + [2]
    endless = made(file, 2, FEATURES, label_key="y", shuffle_seed=1)
    assert endless.element_spec == (
        {"x": tf.TensorSpec([2, 2], tf.float32)},
        tf.TensorSpec([2, 1], tf.int64),
    )
    with pytest.raises(ValueError, match="label_key"):
        made(file, 2, FEATURES, label_key="z")
    with pytest.raises(tf.errors.InvalidArgumentError):
        made(f"{file}.none*", 2, FEATURES)
