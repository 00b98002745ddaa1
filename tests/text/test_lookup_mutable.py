"""Tables whose entries change."""

import functools

import numpy as np
import pytest

import gradtape as tf

look = tf.lookup
KeyValue = look.KeyValueTensorInitializer


@pytest.fixture
def table():
    return look.StaticHashTable(KeyValue(["a", "b"], [1, 2], value_dtype=tf.int64), -1)


def test_mutable_table():
    table = look.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a", "b"], [1, 2])
    table.insert("c", 3)
    table.remove(["a", "q"])
    assert table.lookup(["a", "c"]).numpy().tolist() == [-1, 3]
    defaults = tf.constant([7, 8], tf.int64)
    assert table.lookup(["b", "z"], dynamic_default_values=defaults).numpy().tolist() == [2, 8]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape"):
        table.insert(["a", "b"], [1])
    with pytest.raises(ValueError, match="dtype"):
        table.insert(["a"], tf.constant([1], tf.int32))
    assert int(table.size()) == 2
    rows = look.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    rows.insert([1, 2], [[1.0, 2], [3, 4]])
    found = rows.lookup(tf.constant([[2], [9]], tf.int64))
    np.testing.assert_array_equal(found, [[[3, 4]], [[0, 0]]])


@pytest.mark.parametrize("one", [(), (2,)])
@pytest.mark.parametrize("keys", [(), (0,), (1,), (3,), (2, 3)])
def test_default_values_have_the_shape_of_a_value_or_of_the_result(one, keys):
    table = look.experimental.MutableHashTable(tf.int64, tf.float32, np.zeros(one, np.float32))
    for shape in [(), (1,), (2,), (3,), (6,), (2, 3), (3, 2), (2, 3, 2), (1, 2), (0,), (0, 2)]:
        look_up = functools.partial(table.lookup, tf.zeros(keys, tf.int64), tf.ones(shape))
        if shape in (one, keys + one):
            np.testing.assert_array_equal(look_up(), np.ones(keys + one))
        else:
            with pytest.raises(tf.errors.InvalidArgumentError, match="for default value"):
                look_up()


def test_dense_table():
    table = look.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-7)
    table.insert([5, 6], [7, 8])
    table.erase([6])
    assert table.lookup([5, 6]).numpy().tolist() == [7, -1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty_key"):
        table.insert([0], [1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="deleted_key"):
        table.lookup([-7])
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be equal"):
        look.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=0)
