"""Lookup tables from datasets; expected values are TensorFlow's."""

import pytest

import gradtape as tf

X, Dataset = tf.data.experimental, tf.data.Dataset
WORDS = Dataset.from_tensor_slices(["a", "b"])


def looked_up(table, *keys):
    return table.lookup(tf.constant([*keys])).numpy().tolist()


def test_a_dataset_fills_a_table():
    pairs = Dataset.zip((Dataset.range(3), Dataset.from_tensor_slices(["a", "b", "c"])))
    table = tf.lookup.StaticHashTable(X.DatasetInitializer(pairs), "z")
    found = table.lookup(tf.constant([0, 2, 9], tf.int64))
    assert found.numpy().tolist() == [b"a", b"c", b"z"]
    assert int(table.size()) == 3
    with pytest.raises(TypeError, match="pairs"):
        X.DatasetInitializer(Dataset.range(3))


def test_tables_of_values_and_of_indices():
    pairs = Dataset.zip((WORDS, Dataset.range(2)))
    assert looked_up(X.table_from_dataset(pairs, default_value=-7), "b", "q") == [1, -7]
    assert looked_up(X.table_from_dataset(pairs, num_oov_buckets=1), "b", "q") == [1, 2]
    assert looked_up(X.table_from_dataset(pairs, vocab_size=1), "b", "a") == [-1, 0]
    assert looked_up(X.index_table_from_dataset(WORDS), "b", "q") == [1, -1]
    several = X.index_table_from_dataset(WORDS, num_oov_buckets=2)
    assert looked_up(several, "b", "q", "r") == [1, 3, 3]
