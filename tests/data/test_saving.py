"""Datasets in files."""

import pytest

import gradtape as tf


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
