"""Lookup tables of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType
from gradtape._src.base.errors import FailedPreconditionError, PermissionDeniedError
from gradtape._src.base.trackable import Trackable
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.graphdef.nodes import Kernel, Node, kernel, maker
from gradtape._src.ops.array.creation import zeros
from gradtape._src.text.lookup import TextFileInitializer, fill_once
from gradtape._src.text.lookup_mutable import MutableHashTable


class Table(MutableHashTable):
    """A mutable table of a loaded graph.

    Args:
      key_dtype: The type of the keys.
      value_dtype: The type of the values.
      value_shape: The shape of each value.
    """

    is_filled = True

    def __init__(self, key_dtype: DType, value_dtype: DType, value_shape: Any = ()) -> None:
        super().__init__(key_dtype, value_dtype, zeros(value_shape, value_dtype))

    def _fill(self, keys: list[Any], values: list[Any]) -> None:
        """Replaces the contents."""
        self._table.clear()
        self._table.update(zip(keys, values, strict=True))

    def put(self, keys: Any, values: Any) -> None:
        """Replaces the contents."""
        self._table.clear()
        self.insert(keys, values)

    def found(self, keys: Any, default: Any) -> object:
        """Returns the values of keys, and a default for missing keys."""
        return self.lookup(keys, default)


class FixedTable(Table):
    """A table of a loaded graph that is filled once and not saved in checkpoints."""

    is_filled = False
    _serialize_to_tensors = Trackable._serialize_to_tensors

    def _fill(self, keys: list[Any], values: list[Any]) -> None:
        """Fills the table; existing contents must be equal."""
        fill_once(self._table, keys, values)
        self.is_filled = True

    def put(self, keys: Any, values: Any) -> None:
        """Fills the table."""
        self.insert(keys, values)

    def _check(self, keys: Sequence[Any], op: str) -> None:
        """Records that the table is filled; raises an error if it is read before that."""
        super()._check(keys, op)
        self.is_filled = self.is_filled or op == self._insert_op
        if not self.is_filled and op == "LookupTableFindV2":
            raise FailedPreconditionError(None, None, f"Table not initialized. [Op:{op}]")


@maker("HashTableV2", "HashTable", "AnonymousHashTable")
def _hash_table(node: Node) -> Kernel:
    return _made(node, (), FixedTable)


@maker("MutableHashTableV2", "MutableHashTable", "AnonymousMutableHashTable")
def _mutable(node: Node) -> Kernel:
    return _made(node, ())


@maker(
    "MutableHashTableOfTensorsV2",
    "MutableHashTableOfTensors",
    "AnonymousMutableHashTableOfTensors",
)
def _of_tensors(node: Node) -> Kernel:
    return _made(node, node.attributes["value_shape"].as_list())


class DenseTable(Table):
    """A table of a loaded graph with two reserved keys, which mark empty buckets."""

    reserved: frozenset[Any] = frozenset()

    def put(self, keys: Any, values: Any) -> None:
        """Replaces the contents, given all buckets, including empty ones."""
        places = np.asarray(convert_to_tensor(keys)._numpy()).reshape(-1)
        held = [i for i, key in enumerate(places.tolist()) if key not in self.reserved]
        given = np.asarray(convert_to_tensor(values)._numpy())
        super().put(places[held], given.reshape(-1, *self._value_shape)[held])


@maker("MutableDenseHashTableV2", "MutableDenseHashTable", "AnonymousMutableDenseHashTable")
def _dense(node: Node) -> Kernel:
    made = _made(node, node.attributes["value_shape"].as_list(), DenseTable)

    def run(values: list[Any]) -> list[Any]:
        (table,) = made(values)
        table.reserved = frozenset(x._numpy().item() for x in map(convert_to_tensor, values))
        return [table]

    return run


def _made(node: Node, value_shape: Any, made: type[Table] = Table) -> Kernel:
    kinds = node.attributes["key_dtype"], node.attributes["value_dtype"]
    name = node.attributes.get("shared_name") or node.name.encode()
    held = node.surroundings.resources
    anonymous = node.operation.startswith("Anonymous")

    def run(_: list[Any]) -> list[Any]:
        if anonymous:
            return [made(*kinds, value_shape)]
        key = "table", name.decode()
        if key not in held:
            held[key] = made(*kinds, value_shape)
        return [held[key]]

    return run


@kernel("LookupTableFindV2", "LookupTableFind")
def _find(values: list[Any]) -> list[Any]:
    table, keys, default = values
    return [table.found(keys, default)]


@kernel("LookupTableImportV2", "LookupTableImport", "InitializeTableV2", "InitializeTable")
def _import(values: list[Any]) -> list[Any]:
    table, keys, given = values
    table.put(keys, given)
    return []


@kernel("LookupTableInsertV2", "LookupTableInsert")
def _insert(values: list[Any]) -> list[Any]:
    values[0].insert(values[1], values[2])
    return []


@kernel("LookupTableRemoveV2")
def _remove(values: list[Any]) -> list[Any]:
    values[0].remove(values[1])
    return []


@kernel("LookupTableSizeV2", "LookupTableSize")
def _size(values: list[Any]) -> list[Any]:
    return [values[0].size()]


@kernel("LookupTableExportV2", "LookupTableExport")
def _export(values: list[Any]) -> list[Any]:
    return list(values[0].export())


@maker("InitializeTableFromTextFileV2", "InitializeTableFromTextFile")
def _from_file(node: Node) -> Kernel:
    attributes, surroundings = node.attributes, node.surroundings
    size = int(attributes["vocab_size"])
    columns = int(attributes["key_index"]), int(attributes["value_index"])
    delimiter, offset = attributes.text("delimiter"), int(attributes["offset"])

    def run(values: list[Any]) -> list[Any]:
        table, file = values
        allowed(file, surroundings, node)
        if not (isinstance(table, FixedTable) and table.is_filled):
            TextFileInitializer(
                file,
                table.key_dtype,
                columns[0],
                table.value_dtype,
                columns[1],
                vocab_size=None if size < 0 else size,
                delimiter=delimiter,
                value_index_offset=offset,
            ).initialize(table)
        return []

    return run


def allowed(file: Any, surroundings: Any, node: Node) -> Path:
    """Returns the path of a file that a node may read.

    Raises:
      PermissionDeniedError: The file is not one of the model's assets.
    """
    path = Path(convert_to_tensor(file)._value.item().decode()).resolve()
    assets = surroundings.assets
    if surroundings.allow_io or (assets and path.is_relative_to(Path(assets).resolve())):
        return path
    raise PermissionDeniedError(
        None,
        None,
        f"the node {node.name!r} ({node.operation}) of a loaded model reads {path}, which is none "
        "of its assets. Where you trust the model's author, load it with "
        "tf.saved_model.LoadOptions(allow_io=True)",
    )
