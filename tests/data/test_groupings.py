import json

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset


def items(dataset):
    return [x.tolist() for x in dataset.as_numpy_iterator()]


def test_groups():
    evens_and_odds = Dataset.range(7).group_by_window(
        lambda x: x % 2, lambda key, window: window.batch(4), window_size=2
    )
    assert items(evens_and_odds) == [[0, 2], [1, 3], [4, 6], [5]]
    sized = Dataset.range(7).group_by_window(
        lambda x: x % 2, lambda key, window: window.batch(9), window_size_func=lambda k: k + 1
    )
    assert items(sized) == [[0], [2], [1, 3], [4], [6], [5]]
    with pytest.raises(ValueError, match="window_size"):
        Dataset.range(3).group_by_window(lambda x: x, lambda k, w: w)


def test_buckets_of_lengths():
    words = Dataset.from_generator(
        lambda: iter([[0], [1, 2], [3, 4, 5], [6], [7, 8, 9, 10, 11]]),
        output_signature=tf.TensorSpec([None], tf.int64),
    )
    length = tf.size
    found = words.bucket_by_sequence_length(length, [3, 5], [2, 2, 2])
    assert items(found) == [[[0, 0], [1, 2]], [[3, 4, 5]], [[6]], [[7, 8, 9, 10, 11]]]
    dropped = words.bucket_by_sequence_length(length, [3, 5], [2, 2, 2], drop_remainder=True)
    assert items(dropped) == [[[0, 0], [1, 2]]]
    bounded = words.take(3).bucket_by_sequence_length(
        length, [4, 7], [2, 2, 2], pad_to_bucket_boundary=True
    )
    assert items(bounded) == [[[0, 0, 0], [1, 2, 0]], [[3, 4, 5]]]
    with pytest.raises(ValueError, match="bucket_boundaries"):
        words.bucket_by_sequence_length(length, [3, 5], [2, 2])


def test_random_choices():
    datasets = [Dataset.from_tensors(i).repeat() for i in range(3)]
    found = items(Dataset.sample_from_datasets(datasets, [0.5, 0.3, 0.2], seed=1).take(3000))
    np.testing.assert_allclose(np.bincount(found) / 3000, [0.5, 0.3, 0.2], atol=0.04)
    short = [Dataset.range(2), Dataset.range(10, 15)]
    assert sorted(items(Dataset.sample_from_datasets(short, seed=2))) == [0, 1, 10, 11, 12, 13, 14]
    numbers = Dataset.random(seed=4)
    assert items(numbers.take(3)) == items(numbers.take(3))
    classes = Dataset.range(4000).map(lambda i: tf.cast(i % 10 == 0, tf.int64))
    even = classes.rejection_resample(lambda x: x, [0.5, 0.5], seed=3)
    labels = [int(label) for label, _ in even]
    assert 0.4 < np.mean(labels) < 0.6
    with pytest.raises(ValueError, match="weights"):
        Dataset.sample_from_datasets(datasets, [1.0])


def test_elements_that_fail_are_passed_over():
    checked = Dataset.from_tensor_slices([1.0, 0.0, 2.0]).map(
        lambda x: tf.debugging.check_numerics(1 / x, "bad")
    )
    assert items(checked.ignore_errors()) == [1.0, 0.5]


def test_saved_elements_come_back(tmp_path):
    path = str(tmp_path / "d")
    made = Dataset.from_tensor_slices(
        ({"x": np.arange(6.0).reshape(3, 2), "s": ["a", "b", "c"]}, [1, 2, 3])
    )
    made.save(path)
    made.take(2).save(path, compression="GZIP")  # replaces
    found = Dataset.load(path)
    assert found.element_spec == made.element_spec
    assert len(found) == 2
    for one, other in zip(found, made, strict=False):
        tf.nest.map_structure(np.testing.assert_array_equal, one, other)
    with pytest.raises(ValueError, match="infinite"):
        made.repeat().save(path)
    assert len(list(Dataset.load(path))) == 2  # as before


def test_damaged_directories(tmp_path):
    path = tmp_path / "d"
    Dataset.range(3).save(str(path))
    (data,) = path.glob("*.tfrecord")
    whole = data.read_bytes()
    data.write_bytes(whole[:-3])
    with pytest.raises(tf.errors.DataLossError):
        list(Dataset.load(str(path)))
    data.write_bytes(whole[: len(whole) // 3])
    with pytest.raises(tf.errors.DataLossError, match="1 elements instead of 3"):
        list(Dataset.load(str(path)))
    about = path / "dataset.json"
    about.write_text(json.dumps({"version": 1, "spec": {}, "count": 1}))
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        Dataset.load(str(path))
    with pytest.raises(tf.errors.NotFoundError):
        Dataset.load(str(tmp_path / "none"))


def test_resampled_classes_have_the_dtype_of_the_function():
    resampled = Dataset.range(4).rejection_resample(lambda i: tf.cast(i % 2, tf.int32), [0.5, 0.5])
    assert resampled.element_spec[0] == tf.TensorSpec([], tf.int32)
    assert all(label.dtype == tf.int32 for label, _ in resampled)


def test_the_only_dataset_with_a_weight_has_the_cardinality():
    pair = [Dataset.range(3), Dataset.range(2)]
    sampled = Dataset.sample_from_datasets(pair, [0.0, 1.0])
    assert sampled.cardinality().numpy() == 2
    assert [int(x) for x in sampled] == [0, 1]


def test_buckets_without_padding_hold_any_components():
    sparse = Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]]))
    buckets = sparse.bucket_by_sequence_length(lambda _: 1, [2], [2, 2], no_padding=True)
    assert buckets.element_spec == tf.SparseTensorSpec([None, 3], tf.int32)
    assert tf.sparse.to_dense(next(iter(buckets))).numpy().tolist() == [[1, 0, 2], [0, 3, 0]]
    with pytest.raises(TypeError, match="padded_batch"):
        sparse.bucket_by_sequence_length(lambda _: 1, [2], [2, 2])


def test_sparse_batches_are_of_single_tensors_of_the_rank_of_a_row():
    batched = tf.data.experimental.dense_to_sparse_batch(2, [3])
    with pytest.raises(TypeError):
        Dataset.range(2).map(lambda i: (i, i)).apply(batched)
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(Dataset.range(2).apply(batched))
    with pytest.raises(tf.errors.DataLossError):
        list(Dataset.from_tensors([1, 2, 3, 4]).apply(batched))
