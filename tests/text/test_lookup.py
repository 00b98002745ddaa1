import pytest

import gradtape as tf

look = tf.lookup
KeyValue = look.KeyValueTensorInitializer
Index = look.TextFileIndex


@pytest.fixture
def table():
    return look.StaticHashTable(KeyValue(["a", "b"], [1, 2], value_dtype=tf.int64), -1)


def test_static_table(table):
    assert table.lookup(tf.constant([["b", "x"]])).numpy().tolist() == [[2, -1]]
    assert table[tf.constant("a")].dtype == tf.int64
    assert table.lookup(tf.ragged.constant([["a"], ["b", "q"]])).to_list() == [[1], [2, -1]]
    sparse = tf.SparseTensor([[0, 1]], ["b"], [2, 2])
    assert table.lookup(sparse).values.numpy().tolist() == [2]
    keys, values = table.export()
    assert dict(zip(keys.numpy(), values.numpy(), strict=True)) == {b"a": 1, b"b": 2}
    assert int(table.size()) == 2
    assert (table.key_dtype, table.value_dtype) == (tf.string, tf.int64)
    words = look.StaticHashTable(KeyValue([1, 2], ["x", "y"]), "z")
    assert words.lookup(tf.constant([1, 5])).numpy().tolist() == [b"x", b"z"]


def test_what_a_static_table_refuses(table):
    with pytest.raises(TypeError, match="Dtype of argument `keys`"):
        table.lookup(tf.constant([1]))
    with pytest.raises(tf.errors.FailedPreconditionError, match="Key a has 1"):
        look.StaticHashTable(KeyValue(["a", "a"], [1, 2]), 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape"):
        look.StaticHashTable(KeyValue(["a", "b"], [1]), 0)
    with pytest.raises(TypeError):
        look.StaticHashTable(KeyValue([1], ["x"]), 5)


def test_tables_from_files(tmp_path):
    words, pairs = tmp_path / "words", tmp_path / "pairs"
    words.write_bytes(b"emerson\r\nlake\npalmer\n")
    pairs.write_text("a\t1\nb\t2\n")

    def from_words(**options):
        return look.TextFileInitializer(
            str(words), tf.string, Index.WHOLE_LINE, tf.int64, Index.LINE_NUMBER, **options
        )

    def from_pairs(key, value, key_dtype=tf.string, value_dtype=tf.int64):
        return look.TextFileInitializer(str(pairs), key_dtype, key, value_dtype, value)

    def values(initializer, default=-1):
        return look.StaticHashTable(initializer, default).export()[1].numpy().tolist()

    assert values(from_words(value_index_offset=3)) == [3, 4, 5]
    assert values(from_words(vocab_size=2)) == [0, 1]
    assert values(from_pairs(0, 1)) == [1, 2]
    assert values(from_pairs(1, 0, tf.int64, tf.string), "") == [b"a", b"b"]
    table = look.StaticHashTable(from_words(), -1)
    assert int(table.lookup(tf.constant("emerson"))) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="vocab_size"):
        values(from_words(vocab_size=5))
    with pytest.raises(tf.errors.InvalidArgumentError, match="number of columns"):
        values(from_pairs(0, 2))
    with pytest.raises(tf.errors.InvalidArgumentError):
        values(from_pairs(0, 1, tf.int64))
    words.unlink()
    with pytest.raises(tf.errors.NotFoundError):
        values(from_words())
    with pytest.raises(ValueError, match="must be int64"):
        from_pairs(Index.WHOLE_LINE, Index.LINE_NUMBER, value_dtype=tf.string)


def test_vocabulary_with_buckets():
    # numbers of unknown words as TensorFlow 2.21 gives them
    table = look.StaticVocabularyTable(KeyValue(["a", "b"], [0, 1], value_dtype=tf.int64), 3)
    found = table.lookup(tf.constant(["a", "b", "c", "dd", "eee"]))
    assert found.numpy().tolist() == [0, 1, 3, 3, 2]
    assert int(table.size()) == 5
    numbers = KeyValue(tf.constant([10, 20], tf.int64), tf.constant([0, 1], tf.int64))
    found = look.StaticVocabularyTable(numbers, 3).lookup(tf.constant([10, 11, 12], tf.int64))
    assert found.numpy().tolist() == [0, 3, 3]
    none_known = look.StaticVocabularyTable(None, 3)
    assert none_known.lookup(tf.constant(["a", "b"])).numpy().tolist() == [0, 1]
    with pytest.raises(ValueError, match="num_oov_buckets"):
        look.StaticVocabularyTable(numbers, 0)
    with pytest.raises(TypeError, match="value_dtype"):
        look.StaticVocabularyTable(KeyValue(["a"], [0]), 1)
