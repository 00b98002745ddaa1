"""Further functions of `tf.data.experimental`; expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

X, Dataset = tf.data.experimental, tf.data.Dataset


def numbers(dataset):
    return [int(x) for x in dataset]


def test_a_dataset_of_a_list():
    pairs = X.from_list([(1, "a"), (2, "b")])
    assert [(int(n), t.numpy()) for n, t in pairs] == [(1, b"a"), (2, b"b")]
    assert int(pairs.cardinality()) == 2
    rows = X.from_list([[1], [2, 3]])
    assert [x.numpy().tolist() for x in rows] == [[1], [2, 3]]
    assert rows.element_spec == tf.TensorSpec([None], tf.int32)
    for wrong in ([], 3, [1, (2, 3)]):
        with pytest.raises((ValueError, TypeError)):
            X.from_list(wrong)


def test_the_structure_and_optional_elements_of_iterators():
    dataset = Dataset.range(1)
    assert X.get_structure(dataset) == X.get_structure(iter(dataset)) == dataset.element_spec
    with pytest.raises(TypeError, match="dataset_or_iterator"):
        X.get_structure(3)
    iterator = iter(dataset)
    found = [bool(X.get_next_as_optional(iterator).has_value()) for _ in range(2)]
    assert found == [True, False]


def test_interleaved_and_copied_datasets():
    def repeated(i):
        return Dataset.from_tensors(i).repeat(3)

    step = X.parallel_interleave(repeated, cycle_length=3, block_length=2)
    assert numbers(Dataset.range(4).apply(step)) == [0, 0, 1, 1, 2, 2, 0, 1, 2, 3, 3, 3]
    for step in (X.prefetch_to_device("/cpu:0"), X.copy_to_device("/cpu:0")):
        assert numbers(Dataset.range(3).apply(step)) == [0, 1, 2]


def test_groups_are_reduced_in_the_order_of_their_keys():
    sums = X.Reducer(lambda key: np.int64(0), lambda s, x: s + x, lambda s: s * 10)
    by_rest = Dataset.range(10).apply(X.group_by_reducer(lambda x: x % 3, sums))
    assert numbers(by_rest) == [180, 120, 150]
    assert by_rest.element_spec == tf.TensorSpec([], tf.int64)
    pairs = X.Reducer(
        lambda key: (key, tf.constant(0.0)),
        lambda s, x: (s[0], s[1] + tf.cast(x, tf.float32)),
        lambda key, total: {"key": key, "total": total},
    )
    named = Dataset.range(5).apply(X.group_by_reducer(lambda x: 1 - x % 2, pairs))
    assert [(int(x["key"]), float(x["total"])) for x in named] == [(0, 4.0), (1, 6.0)]
    with pytest.raises(ValueError, match="key_func"):
        Dataset.range(2).apply(X.group_by_reducer(lambda x: 1.5, sums))


def test_a_dataset_is_filled_with_zeros():
    few = Dataset.from_tensor_slices({"a": [[1.0], [2.0]]})
    filled = few.apply(X.pad_to_cardinality(3, mask_key="m"))
    assert [(float(x["a"][0]), bool(x["m"])) for x in filled] == [(1, True), (2, True), (0, False)]
    for wrong in (Dataset.range(3), few.repeat(), few.filter(lambda x: True)):
        with pytest.raises(ValueError, match="dataset"):
            wrong.apply(X.pad_to_cardinality(4))
    with pytest.raises(ValueError, match="more than 1"):
        few.apply(X.pad_to_cardinality(1))


def test_random_numbers_and_constants():
    dataset = X.RandomDataset(seed=3)
    assert isinstance(dataset, Dataset)
    assert int(dataset.cardinality()) == tf.data.INFINITE_CARDINALITY
    first, second = ([int(x) for x in dataset.take(3)] for _ in range(2))
    assert first == second
    assert all(0 <= x < 2**32 for x in first)
    assert X.SHARD_HINT == -1
    assert [a.value for a in X.AutotuneAlgorithm] == [0, 1, 2, 3, 4]
