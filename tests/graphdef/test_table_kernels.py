"""Lookup tables of graphs."""

import pytest
from graph_nodes import body, const, node, run

import gradtape as tf
from gradtape._src.graphdef.nodes import Surroundings
from gradtape._src.graphdef.table_kernels import FixedTable

KINDS = {"key_dtype": tf.string, "value_dtype": tf.int32}
FIND = {"Tin": tf.string, "Tout": tf.int32}


def test_a_table_is_filled_once():
    (table,) = run("HashTableV2", **KINDS)
    with pytest.raises(tf.errors.FailedPreconditionError, match="not initialized"):
        run("LookupTableFindV2", table, ["a"], -1, **FIND)
    run("LookupTableImportV2", table, ["a", "b"], [1, 2], **FIND, gives=0)
    assert run("LookupTableFindV2", table, ["b", "c"], -1, **FIND)[0].numpy().tolist() == [2, -1]
    assert run("LookupTableSizeV2", table)[0].numpy() == 2


def test_a_table_changes():
    (table,) = run("MutableHashTableV2", **KINDS)
    run("LookupTableInsertV2", table, ["a"], [1], **FIND, gives=0)
    run("LookupTableInsertV2", table, ["b"], [2], **FIND, gives=0)
    run("LookupTableRemoveV2", table, ["a"], Tin=tf.string, gives=0)
    keys, values = run("LookupTableExportV2", table, Tkeys=tf.string, Tvalues=tf.int32, gives=2)
    assert (keys.numpy().tolist(), values.numpy().tolist()) == ([b"b"], [2])
    run("LookupTableImportV2", table, ["c"], [3], **FIND, gives=0)
    assert run("LookupTableSizeV2", table)[0].numpy() == 1


def test_values_may_be_vectors():
    shape = tf.TensorShape([2])
    (table,) = run("MutableHashTableOfTensorsV2", **KINDS, value_shape=shape)
    run("LookupTableInsertV2", table, ["a"], [[1, 2]], **FIND, gives=0)
    found = run("LookupTableFindV2", table, ["a", "b"], [0, 0], **FIND)[0]
    assert found.numpy().tolist() == [[1, 2], [0, 0]]


def filled(path, surroundings):
    kinds = {"key_index": -2, "value_index": -1}
    nodes = [
        node("t", "HashTableV2", key_dtype=tf.string, value_dtype=tf.int64, shared_name="t"),
        const("f", str(path)),
        node("i", "InitializeTableFromTextFileV2", "t", "f", **kinds),
        const("d", [-1]),
        const("q", ["two"]),
        node("y", "LookupTableSizeV2", "t", "^i"),
    ]
    return body(nodes, [], ["y"], surroundings=surroundings).run([])[0].numpy()


def test_files_must_be_assets(tmp_path):
    assets = tmp_path / "assets"
    assets.mkdir()
    for folder in (assets, tmp_path):
        (folder / "words.txt").write_text("one\ntwo\n")
    assert filled(assets / "words.txt", Surroundings(str(assets))) == 2
    for path in (tmp_path / "words.txt", assets / ".." / "words.txt"):
        with pytest.raises(tf.errors.PermissionDeniedError, match="none of its assets"):
            filled(path, Surroundings(str(assets)))
    assert filled(tmp_path / "words.txt", Surroundings(str(assets), allow_io=True)) == 2


def test_a_key_has_one_value():
    table = FixedTable(tf.string, tf.int64)
    table._fill([b"a"], [1])
    with pytest.raises(tf.errors.FailedPreconditionError, match="different value"):
        table._fill([b"a"], [2])
