"""Lookup tables and assets: the nodes that create, fill and read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.graphdef.table_kernels import FixedTable
from gradtape._src.graphdef_export.call_rules import value_of
from gradtape._src.graphdef_export.nodes import Nodes, Value
from gradtape._src.graphdef_export.parts import Library, Part
from gradtape._src.graphdef_export.rules import call_rule
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.text.assets import Asset
from gradtape._src.text.lookup import (
    StaticHashTable,
    StaticVocabularyTable,
    TextFileInitializer,
    gathered,
)
from gradtape._src.text.lookup_mutable import MutableHashTable


def is_table(x: Any) -> bool:
    """Whether an object is a table, which is a resource in graphs."""
    if isinstance(x, StaticVocabularyTable):
        return x._known is not None
    return isinstance(x, (StaticHashTable, MutableHashTable))


def is_fixed(table: Any) -> bool:
    """Whether a table's contents are constant."""
    return isinstance(table, (StaticHashTable, StaticVocabularyTable, FixedTable))


def table_handle(nodes: Nodes, table: Any, name: str = "") -> Value:
    """Adds a node that creates a table, and returns its handle.

    A `DenseHashTable` becomes a `MutableHashTable`, because TensorFlow's checkpoints store the
    buckets of a dense table, which gradtape's table does not have.

    Args:
      nodes: The function or graph.
      table: The table.
      name: The shared name of the table in a process. Defaults to the name of the node.
    """
    kinds = {
        "key_dtype": (_contents(table) if is_fixed(table) else table).key_dtype.name,
        "value_dtype": table.value_dtype.name,
        "shared_name": name,
    }
    made: Value
    if is_fixed(table):
        made = nodes.op("HashTableV2", use_node_name_sharing=True, **kinds)
    elif table._value_shape:
        made = nodes.op("MutableHashTableOfTensorsV2", value_shape=table._value_shape, **kinds)
    else:
        made = nodes.op("MutableHashTableV2", use_node_name_sharing=True, **kinds)
    return made


def _contents(table: Any) -> Any:
    """Returns the table that contains the pairs of keys and values."""
    return table._known if isinstance(table, StaticVocabularyTable) else table


def creator(library: Library, table: Any, name: str) -> str:
    """Exports a function that creates a table, and returns its name."""
    part = Part(library, "create_table")
    made = table_handle(part, table, name)
    part.effects.append(part.made[-1].name)
    return part.finish([made])


def initializer(library: Library, table: Any) -> tuple[str, list[Any]]:
    """Exports a function that fills a table, and returns its name and captures."""
    part = Part(library, "fill_table")
    if is_fixed(table):
        _fill(part, table)
    name = part.finish([part.const(0, "int32")])
    return name, [x for x, _ in part.captures.values()]


def _fill(part: Part, table: Any) -> None:
    held = _contents(table)
    given = getattr(held, "_initializer", None)
    if not isinstance(given, TextFileInitializer):
        part.effect("LookupTableImportV2", part.capture(table), *_pairs(part, table))
        return
    part.effect(
        "InitializeTableFromTextFileV2",
        part.capture(table),
        part.capture(given._filename),
        key_index=given._columns[0],
        value_index=given._columns[1],
        vocab_size=-1 if given._size is None else given._size,
        delimiter=given._delimiter,
        offset=given._offset,
    )


def filled(nodes: Nodes, table: Any, handle: Value) -> str:
    """Adds a node that fills a table with its current contents, and returns the node's name."""
    made: str = nodes.op("LookupTableImportV2", handle, *_pairs(nodes, table))
    return made


def _pairs(nodes: Nodes, table: Any) -> list[Value]:
    """Returns the keys and the values of a table as constants."""
    held = _contents(table)
    count = len(held._table)
    keys = gathered(list(held._table), (count,), held.key_dtype)
    shape = (count, *getattr(held, "_value_shape", ()))
    values = gathered(list(held._table.values()), shape, held.value_dtype)
    return [
        nodes.const(keys._value, held.key_dtype),
        nodes.const(values._value, table.value_dtype),
    ]


def saved_tensors(library: Library, table: Any) -> tuple[str, list[Any]]:
    """Exports a function that returns the tensors of a table that a checkpoint stores.

    Its results are, for the keys and for the values, the name in the checkpoint, a description of a
    slice, and the tensor.
    """
    part = Part(library, "save_table")
    key = part.argument("checkpoint_key", "string", ())
    found = part.effect(
        "LookupTableExportV2",
        part.capture(table),
        Tkeys=table.key_dtype.name,
        Tvalues=table.value_dtype.name,
    )
    results = []
    for suffix, x in zip(("-keys", "-values"), found, strict=True):
        named = part.op("StringJoin", [key, part.const(suffix, "string")])
        results += [named, part.const("", "string"), x]
    name = part.finish(results)
    return name, [table]


def restored_tensors(library: Library, table: Any) -> tuple[str, list[Any]]:
    """Exports a function that restores a table from a checkpoint's tensors."""
    part = Part(library, "restore_table")
    kinds = (table.key_dtype, table.value_dtype)
    given = [part.argument(f"restored_tensors_{i}", k.name) for i, k in enumerate(kinds)]
    part.effect("LookupTableImportV2", part.capture(table), *given)
    name = part.finish([part.const(0, "int32")])
    return name, [table]


def restored_specs(table: Any) -> Sequence[TensorSpec]:
    """Returns the specs of the tensors of a table in a checkpoint."""
    kinds = (table.key_dtype, table.value_dtype)
    return [TensorSpec(None, kind, f"restored_tensors_{i}") for i, kind in enumerate(kinds)]


def _act(p: Part, table: Any, kind: str, *inputs: Any, **attributes: Any) -> Any:
    """Adds an operation on a table; those on a mutable table run in the program's order."""
    add = p.op if is_fixed(table) else p.effect
    return add(kind, p.capture(table), *inputs, **attributes)


@call_rule("LookupTableFindV2")
def _find(p: Part, **given: Any) -> Any:
    table, x = given["self"], value_of(p, given["keys"], given["self"].key_dtype.name)
    if isinstance(table, StaticVocabularyTable):
        return _word_numbers(p, table, x)
    default = given.get("dynamic_default_values")
    default = table._default_value if default is None else default
    return _act(p, table, "LookupTableFindV2", x, value_of(p, default, table.value_dtype.name))


def _word_numbers(p: Part, table: StaticVocabularyTable, x: Value) -> Any:
    """Returns the ids of known words, and larger ids for unknown words."""
    text = x if x.dtype == "string" else p.op("AsString", x)
    bucket = p.op("StringToHashBucketFast", text, num_buckets=table._buckets)
    if table._known is None:
        return bucket
    missing = p.const(-1, "int64")
    known = p.cast(x, table._known.key_dtype.name)
    found = _act(p, table, "LookupTableFindV2", known, missing)
    count = _act(p, table, "LookupTableSizeV2")
    return p.op("SelectV2", p.op("NotEqual", found, missing), found, p.op("AddV2", bucket, count))


@call_rule("LookupTableInsertV2")
def _insert(p: Part, **given: Any) -> Any:
    table = given["self"]
    kinds = (table.key_dtype.name, table.value_dtype.name)
    pair = [
        value_of(p, given[key], kind) for key, kind in zip(("keys", "values"), kinds, strict=True)
    ]
    _act(p, table, "LookupTableInsertV2", *pair)
    return ()


@call_rule("LookupTableRemoveV2")
def _remove(p: Part, **given: Any) -> Any:
    table = given["self"]
    _act(p, table, "LookupTableRemoveV2", value_of(p, given["keys"], table.key_dtype.name))
    return ()


@call_rule("LookupTableSizeV2")
def _size(p: Part, **given: Any) -> Any:
    return _act(p, given["self"], "LookupTableSizeV2")


@call_rule("LookupTableExportV2")
def _export(p: Part, **given: Any) -> Any:
    table = given["self"]
    kinds = {"Tkeys": table.key_dtype.name, "Tvalues": table.value_dtype.name}
    return _act(p, table, "LookupTableExportV2", **kinds)


@call_rule("AssetPath")
def _asset_path(p: Part, asset: tuple[Asset]) -> Any:
    return p.capture(asset[0])
