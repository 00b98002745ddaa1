import numpy as np
import pytest
from graphdef_export.exporting import check, exported, kinds

import gradtape as tf
from gradtape._src.graphdef_export.parts import Library
from gradtape._src.graphdef_export.tables import (
    creator,
    initializer,
    is_fixed,
    is_table,
    restored_specs,
    restored_tensors,
    saved_tensors,
)

TEXTS = tf.TensorSpec([None], tf.string)


def pairs() -> tf.lookup.KeyValueTensorInitializer:
    return tf.lookup.KeyValueTensorInitializer(["a", "b"], np.array([0, 1], "i8"))


def changing() -> tf.lookup.experimental.MutableHashTable:
    return tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)


@pytest.mark.parametrize(
    ("table", "fixed"),
    [
        (tf.lookup.StaticHashTable(pairs(), -1), True),
        (tf.lookup.StaticVocabularyTable(pairs(), 2), True),
        (changing(), False),
    ],
)
def test_tables_are_made_filled_and_kept(table, fixed) -> None:
    assert is_table(table)
    assert is_fixed(table) is fixed
    library = Library()
    creator(library, table, "name")
    _, uses = initializer(library, table)
    assert uses == ([table] if fixed else [])
    if not fixed:
        assert saved_tensors(library, table)[1] == restored_tensors(library, table)[1] == [table]
        assert [spec.dtype for spec in restored_specs(table)] == [tf.string, tf.int64]
    for function in library.functions:
        check(function)


def test_a_table_of_unknown_words_alone_is_no_resource() -> None:
    table = tf.lookup.StaticVocabularyTable(None, 3)
    assert not is_table(table)
    found = kinds(table.lookup, TEXTS)
    assert found == {"StringToHashBucketFast": 1}


def test_tables_are_captured_and_used_in_order() -> None:
    table = changing()

    def function(x: tf.Tensor) -> tf.Tensor:
        table.insert(x, tf.ones_like(x, tf.int64))
        return table.lookup(x) + table.size()

    (made,) = exported(function, TEXTS)
    assert [x.type for x in made.signature.input_arg] == [7, 20]
    nodes = {n.op: n for n in made.node_def}
    assert f"^{nodes['LookupTableInsertV2'].name}" in nodes["LookupTableFindV2"].input
    assert f"^{nodes['LookupTableFindV2'].name}" in nodes["LookupTableSizeV2"].input


def test_lookups_in_tables_that_stay_wait_for_nothing() -> None:
    table = tf.lookup.StaticHashTable(pairs(), -1)
    (made,) = exported(lambda x: table.lookup(x), TEXTS)
    assert not made.control_ret
