"""`tf.lookup.experimental`: mutable tables."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int64, string
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.base.process_settings import lasting
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.eager_only import refuse_under_jit
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation, of_shape
from gradtape._src.declare.open_graphs import PerSession
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.text.lookup import LookupInterface, gathered, items
from gradtape._src.text.values import on_values

# Held while a table is read or changed, so that operations are atomic. All tables share one lock,
# so that tables can be copied and pickled.
_lock = lasting(threading.RLock())


def _found(new: New, table: Any, keys: Any, *_: Any) -> Tensor:
    return new((*shape_of(table._keys_of(keys)), *table._value_shape), table.value_dtype)


def _exported(new: New, table: Any, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
    count = shape_of(new([None], int64))
    return new(count, table.key_dtype), new([*count, *table._value_shape], table.value_dtype)


@export("lookup.experimental.MutableHashTable")
class MutableHashTable(LookupInterface):
    """A table whose keys can be inserted and removed.

    Args:
      key_dtype: The type of the keys.
      value_dtype: The type of the values.
      default_value: The value of missing keys; its shape is the shape of every value.
      name: Accepted for compatibility.
      checkpoint: Accepted for compatibility.
      experimental_is_anonymous: Accepted for compatibility.
    """

    _insert_op = "LookupTableInsertV2"

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        self._value_shape = tuple(self._default_value._value.shape)
        self._tables: PerSession[dict[Any, Any]] = PerSession(dict)

    @property
    def _table(self) -> dict[Any, Any]:
        """The contents; in a TensorFlow 1 graph, each session has its own."""
        return self._tables.now()

    def _check(self, keys: Sequence[Any], op: str) -> None:
        """Raises InvalidArgumentError for keys that are not allowed."""

    def _values_of(self, array: Any) -> list[Any]:
        """Returns one value for each key."""
        flat = np.asarray(array).reshape(-1, *self._value_shape)
        return list(flat) if self._value_shape else items(flat)

    @graph_operation("LookupTableSizeV2", of_shape((), int64), stateful=True, undone=True)
    def size(self, name: str | None = None) -> Tensor:
        """Counts the keys.

        Args:
          name: Accepted for compatibility.

        Returns:
          An int64 scalar.
        """
        refuse_under_jit("the size of a table")
        return Tensor(np.int64(len(self._table)))

    @graph_operation("LookupTableInsertV2", lambda *_, **__: None, stateful=True)
    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Sets the values of keys.

        Args:
          keys: The keys, of any shape.
          values: A value for each key.
          name: Accepted for compatibility.

        Raises:
          ValueError: The dtype of `keys` or `values` differs from the table's.
          InvalidArgumentError: The shapes are incompatible.
        """
        refuse_under_jit("a change of a table")
        found = convert_to_tensor(keys, self._key_dtype)._value
        given = convert_to_tensor(values, self._value_dtype)._value
        wanted = found.shape + self._value_shape
        if given.shape != wanted:
            raise invalid(
                f"Expected shape {list(wanted)} for value, got {list(given.shape)} "
                f"[Op:{self._insert_op}]"
            )
        flat = items(found.reshape(-1))
        self._check(flat, self._insert_op)
        values = self._values_of(given)
        with _lock:
            self._table.update(zip(flat, values, strict=True))

    @graph_operation("LookupTableRemoveV2", lambda *_, **__: None, stateful=True)
    def remove(self, keys: Any, name: str | None = None) -> None:
        """Removes keys; missing keys are ignored.

        Args:
          keys: A tensor of keys.
          name: Accepted for compatibility.
        """
        refuse_under_jit("a change of a table")
        flat = items(self._keys_of(keys)._value.reshape(-1))
        self._check(flat, "LookupTableRemoveV2")
        with _lock:
            for key in flat:
                self._table.pop(key, None)

    def lookup(  # type: ignore[override]  # TensorFlow's order of arguments
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Tensor:
        """Returns the values of keys.

        Args:
          keys: A tensor, ragged or sparse tensor of keys.
          dynamic_default_values: The result for missing keys: one value, or one for
            each key.
          name: Accepted for compatibility.

        Returns:
          A tensor of values; its shape begins with that of `keys`.

        Raises:
          TypeError: The dtype of the keys differs from the dtype of the table's keys.
          InvalidArgumentError: The shape of the default values is neither the shape of a value nor
            the shape of the result.
        """
        if isinstance(keys, SparseTensor):
            found = self.lookup(keys.values, dynamic_default_values)
            return keys.with_values(found)  # type: ignore[return-value]
        return on_values(lambda flat: self._lookup(flat, dynamic_default_values), keys)

    @graph_operation("LookupTableFindV2", _found, stateful=True, undone=True)
    def _lookup(self, keys: Any, dynamic_default_values: Any) -> Tensor:
        refuse_under_jit("a lookup in a table that can change")
        found = self._keys_of(keys)._value
        flat = items(found.reshape(-1))
        self._check(flat, "LookupTableFindV2")
        default = self._default_value._value
        if dynamic_default_values is not None:
            default = convert_to_tensor(dynamic_default_values, self._value_dtype)._value
        one, each = self._value_shape, (*found.shape, *self._value_shape)
        if default.shape not in (one, each):
            raise invalid(
                f"Expected shape {shown_shape(one)} or {shown_shape(each)} for default value, got "
                f"{shown_shape(default.shape)} [Op:LookupTableFindV2]"
            )
        defaults = self._values_of(default) * (len(flat) if default.shape == one else 1)
        with _lock:
            get = self._table.get
            values = [get(key, default) for key, default in zip(flat, defaults, strict=True)]
        if not values:
            return Tensor(np.empty(each, self._value_dtype.np_dtype))
        if self._value_shape and self._value_dtype is string:
            return Tensor(np.stack(values).reshape(each))
        return gathered(values, found.shape, self._value_dtype)

    @graph_operation("LookupTableExportV2", _exported, stateful=True, undone=True)
    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Returns all keys, and their values.

        Args:
          name: Accepted for compatibility.

        Returns:
          A pair of tensors with one row for each key.
        """
        with _lock:
            keys = gathered(list(self._table), (len(self._table),), self._key_dtype)
            return keys, self._lookup(keys, None)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        keys, values = self.export()
        return {"-keys": keys, "-values": values}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        keys, values = restored_tensors["-keys"], restored_tensors["-values"]
        with _lock:
            self._table.clear()
            MutableHashTable.insert(self, keys, values)


@export("lookup.experimental.DenseHashTable")
class DenseHashTable(MutableHashTable):
    """A mutable table with two reserved keys.

    Args:
      key_dtype: The type of the keys.
      value_dtype: The type of the values.
      default_value: The value of missing keys.
      empty_key: A reserved key; TensorFlow marks empty buckets with it.
      deleted_key: Another reserved key, which marks deleted buckets.
      initial_num_buckets: Accepted for compatibility.
      name: Accepted for compatibility.
      checkpoint: Accepted for compatibility.
      experimental_is_anonymous: Accepted for compatibility.

    Raises:
      InvalidArgumentError: `empty_key` and `deleted_key` are equal.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, default_value)
        self._reserved = {
            convert_to_tensor(key, self._key_dtype)._value.item(): what
            for key, what in ((empty_key, "empty_key"), (deleted_key, "deleted_key"))
        }
        if len(self._reserved) < 2:
            raise invalid(
                "Empty and deleted keys cannot be equal [Op:MutableDenseHashTableV2] (give "
                "`empty_key` and `deleted_key` values that no key has)",
                About.VALUES,
            )

    def _check(self, keys: Sequence[Any], op: str) -> None:
        for key in keys:
            if key in self._reserved:
                raise invalid(
                    f"Using the {self._reserved[key]} as a table key is not allowed [Op:{op}]",
                    About.VALUES,
                )

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:  # type: ignore[override]
        """Returns the values of keys.

        Args:
          keys: A tensor of keys, which may be ragged or sparse.
          name: Accepted for compatibility.

        Returns:
          A tensor of values, whose shape begins with that of `keys`; missing keys have
          `default_value`.

        Raises:
          InvalidArgumentError: A key is one of the reserved ones.
        """
        return super().lookup(keys)

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Inserts pairs, as `insert` does.

        Args:
          keys: A tensor of keys.
          values: A tensor of values, a row for each key.
          name: Accepted for compatibility.
        """
        self.insert(keys, values)

    def erase(self, keys: Any, name: str | None = None) -> None:
        """Removes keys, as `remove` does.

        Args:
          keys: A tensor of keys.
          name: Accepted for compatibility.
        """
        self.remove(keys)
