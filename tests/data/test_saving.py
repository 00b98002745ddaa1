"""Datasets in files."""

import pytest

import gradtape as tf
from gradtape.data import Dataset


def test_shards_are_read_as_the_reader_function_says(tmp_path):
    tf.data.Dataset.range(10).save(tmp_path, shard_func=lambda x: x % 3)
    load = tf.data.Dataset.load

    def numbers(reader):
        return [int(x) for x in load(tmp_path, reader_func=reader)]

    assert numbers(lambda shards: shards.flat_map(lambda x: x)) == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    in_turn = numbers(lambda shards: shards.interleave(lambda x: x, cycle_length=3))
    assert in_turn == list(range(10))
    assert load(tmp_path).cardinality() == 10
    with pytest.raises(tf.errors.InvalidArgumentError, match="must return a Dataset"):
        load(tmp_path, reader_func=lambda shards: 3)
    tf.data.Dataset.range(4).save(tmp_path, shard_func=lambda x: x * 0 - 7)
    assert [int(x) for x in load(tmp_path)] == [0, 1, 2, 3]
    assert len(list(tmp_path.glob("*.tfrecord"))) == 1


def test_save_asks_the_shard_function_for_an_int64(tmp_path):
    numbers = tf.data.Dataset.range(4)
    seen = []
    numbers.save(tmp_path / "a", shard_func=lambda x: seen.append(int(x)) or x % 2)
    assert seen == [0, 1, 2, 3]
    assert sorted(int(x) for x in tf.data.Dataset.load(tmp_path / "a")) == [0, 1, 2, 3]
    for bad in (lambda x: 5, lambda x: tf.constant("a"), lambda x: tf.constant([1], tf.int64)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            numbers.save(tmp_path / "b", shard_func=bad)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3]])),
        lambda: Dataset.from_tensor_slices(tf.ragged.constant([[[1], []], [[2, 3]]])),
        lambda: Dataset.from_tensors({"a": tf.ragged.constant([["x"], []]), "b": (1.5, None)}),
        lambda: Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])),
    ],
)
@pytest.mark.parametrize("snapshot", [False, True])
def test_composite_elements_are_saved(tmp_path, make, snapshot):
    dataset = make()
    if snapshot:
        list(dataset.snapshot(str(tmp_path)))
        found = dataset.snapshot(str(tmp_path))
    else:
        dataset.save(str(tmp_path))
        found = Dataset.load(str(tmp_path))
    assert found.element_spec == dataset.element_spec
    assert list(map(repr, found.as_numpy_iterator())) == list(
        map(repr, dataset.as_numpy_iterator())
    )
    assert list(map(type, found)) == list(map(type, dataset))


def test_an_element_of_another_shape_than_the_spec_says_is_damage(tmp_path):
    Dataset.from_tensors(tf.ragged.constant([[1], [2, 3]])).save(str(tmp_path))
    about = tmp_path / "dataset.json"
    about.write_text(about.read_text().replace("ragged", "sparse").replace(', 1, "int64"', ""))
    with pytest.raises(tf.errors.DataLossError):
        list(Dataset.load(str(tmp_path)))
