"""`tf.lookup`: static tables. Mutable tables are in `lookup_mutable`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, int64, string
from gradtape._src.base.errors import About, FailedPreconditionError, NotFoundError
from gradtape._src.base.export import export
from gradtape._src.base.trackable import Trackable, TrackableResource
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation, has_symbols
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.text.assets import Asset
from gradtape._src.text.hashes import fingerprint64
from gradtape._src.text.numbers import number
from gradtape._src.text.values import on_values, strings

Array = np.ndarray[Any, Any]


@export("lookup.TextFileIndex")
class TextFileIndex:
    """Special values of `key_index` and `value_index`: the whole line, or its number."""

    WHOLE_LINE: Final = -2
    LINE_NUMBER: Final = -1


class TableInitializer(Trackable):
    """The base class of initializers, which define the contents of a table."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The type of the values."""
        return self._value_dtype

    def initialize(self, table: Any) -> None:
        """Fills a table."""
        raise NotImplementedError(f"{type(self).__name__} has no contents to export")


@export("lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer(TableInitializer):
    """Fills a table with keys and values that are given as tensors of the same shape.

    Args:
      keys: The keys.
      values: The values.
      key_dtype: The dtype of the keys. Defaults to the dtype of `keys`.
      value_dtype: The dtype of the values. Defaults to the dtype of `values`.
      name: Accepted for compatibility.
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        self._keys = convert_to_tensor(keys, key_dtype)
        self._values = convert_to_tensor(values, value_dtype)
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> None:
        """Fills a table.

        Args:
          table: The table.

        Raises:
          InvalidArgumentError: The shapes of keys and values differ.
          FailedPreconditionError: A key occurs twice with different values.
        """
        keys, values = self._keys._value, self._values._value
        if keys.shape != values.shape:
            raise invalid(
                f"Expected shape {list(keys.shape)} for value, got {list(values.shape)} "
                "[Op:LookupTableImportV2]"
            )
        table._fill(items(keys.reshape(-1)), items(values.reshape(-1)))


@export("lookup.TextFileInitializer")
class TextFileInitializer(TableInitializer):
    """Fills a table with keys and values from a text file, one pair for each line.

    Args:
      filename: The file.
      key_dtype: The type of the keys.
      key_index: The column of the key, or a `TextFileIndex`.
      value_dtype: The type of the values.
      value_index: The column of the value, or a `TextFileIndex`.
      vocab_size: The number of lines to read. Defaults to all lines.
      delimiter: The separator of columns.
      name: Accepted for compatibility.
      value_index_offset: The number that is added to line numbers.

    Raises:
      ValueError: The dtype for a whole line is not string, or the dtype for a line number is not
        int64.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        for what, index, dtype in (
            ("key", key_index, self.key_dtype),
            ("value", value_index, self.value_dtype),
        ):
            if index < TextFileIndex.WHOLE_LINE:
                raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
            if index == TextFileIndex.LINE_NUMBER and dtype is not int64:
                raise ValueError(
                    f"`{what}_dtype` must be int64 for `{what}_index` {index}, received: {dtype}"
                )
            if index == TextFileIndex.WHOLE_LINE and not (
                dtype is string or (what == "key" and dtype.is_integer)
            ):
                raise ValueError(
                    f"`{what}_dtype` should be string for `{what}_index` {index}, received: {dtype}"
                )
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        file = filename if isinstance(filename, Asset) else Asset(filename)
        self._filename = self._track_trackable(file, "_filename")
        self._path = Path(file._path._value.item().decode())
        self._columns = (key_index, value_index)
        self._size = vocab_size
        self._delimiter = delimiter.encode()
        self._offset = value_index_offset

    def initialize(self, table: Any) -> None:
        """Fills a table.

        Args:
          table: The table.

        Raises:
          NotFoundError: There is no such file.
          InvalidArgumentError: A line lacks a column, a column is not a number, or there are fewer
            lines than `vocab_size`.
        """
        keys, values = [], []
        for place, line in enumerate(self._lines()):
            if place == self._size:
                break
            keys.append(self._field(line, place, self._columns[0], self.key_dtype))
            values.append(self._field(line, place, self._columns[1], self.value_dtype))
        if self._size is not None and len(keys) < self._size:
            raise invalid(
                f"Invalid vocab_size in {self._path}: expected {self._size} but got {len(keys)} "
                "[Op:InitializeTableFromTextFileV2]",
                About.VALUES,
            )
        table._fill(keys, values)

    def _lines(self) -> Iterator[bytes]:
        try:
            with self._path.open("rb") as file:
                for line in file:
                    yield line.replace(b"\r", b"").removesuffix(b"\n")
        # ValueError is raised for names that no file can have.
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise NotFoundError(
                None, None, f"{self._path}; {why} [Op:InitializeTableFromTextFileV2]"
            ) from None

    def _field(self, line: bytes, place: int, column: int, dtype: DType) -> Any:
        if column == TextFileIndex.LINE_NUMBER:
            return place + self._offset
        text = line
        if column >= 0:
            parts = line.split(self._delimiter)
            if column >= len(parts):
                shown = line.decode("utf-8", "backslashreplace")
                raise invalid(
                    f"Invalid number of columns in {self._path} line {place} ({shown}) : "
                    f"expected at least {column + 1} got {len(parts)} "
                    "[Op:InitializeTableFromTextFileV2]",
                    About.VALUES,
                )
            text = parts[column]
        return text if dtype is string else number(text, dtype, f"{self._path} line {place}")


def items(array: Any) -> list[Any]:
    """Returns the elements of a vector as keys or values of a Python dictionary."""
    out: list[Any] = np.asarray(array).tolist()
    return out


def gathered(found: list[Any], shape: tuple[int, ...], dtype: DType) -> Tensor:
    """Returns values from a table, which may be arrays, as a tensor."""
    if dtype is string:
        return strings(found, shape)
    if found and isinstance(found[0], np.ndarray):
        return Tensor(np.stack(found).reshape(*shape, *found[0].shape))
    return Tensor(np.array(found, dtype.np_dtype).reshape(shape)[()])


def lookup_result(new: New, table: Any, keys: Any, *_: Any, **__: Any) -> Tensor:
    """Returns the symbolic result of looking up keys; see `graph_operation`."""
    return new(shape_of(table._keys_of(keys)), table.value_dtype)


class LookupInterface(TrackableResource):
    """The base class of tables.

    Args:
      key_dtype: The type of the keys.
      value_dtype: The type of the values.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        super().__init__()
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The type of the values."""
        return self._value_dtype

    @property
    def name(self) -> str | None:
        """Raises AttributeError, since eager tables have no name."""
        return None

    def _keys_of(self, keys: Any) -> Tensor:
        """Converts keys to a tensor; raises TypeError if their dtype is not that of the table."""
        found = convert_to_tensor(keys, dtype_hint=self._key_dtype)
        if found.dtype is not self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {found.dtype} "
                "(tf.cast converts numbers, tf.strings.as_string makes strings of them)"
            )
        return found

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """Returns the values of keys."""
        raise NotImplementedError(f"{type(self).__name__} does not define its contents")

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)


def fill_once(table: dict[Any, Any], keys: Sequence[Any], values: Sequence[Any]) -> None:
    """Adds keys and values; raises FailedPreconditionError if a key has a different value."""
    for key, value in zip(keys, values, strict=True):
        if table.setdefault(key, value) != value:
            raise FailedPreconditionError(
                None,
                None,
                f"HashTable has different value for same key. Key {shown(key)} has "
                f"{shown(table[key])} and trying to add value {shown(value)} "
                "[Op:LookupTableImportV2]",
            )


@export("lookup.StaticHashTable")
class StaticHashTable(LookupInterface):
    """A table whose contents do not change.

    Args:
      initializer: The initializer of its contents.
      default_value: The value of missing keys.
      name: Accepted for compatibility.
      experimental_is_anonymous: Accepted for compatibility.

    Raises:
      TypeError: The dtype of the default value differs from the dtype of the values.
      FailedPreconditionError: A key occurs twice with different values.

    >>> pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> tf.lookup.StaticHashTable(pairs, -1).lookup(tf.constant(["b", "z"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        default = default_value if isinstance(default_value, Tensor) else None
        if default is None or default.dtype is not self._value_dtype:
            default = convert_to_tensor(default_value, self._value_dtype)
        self._default_value = default
        self._initializer = initializer
        if isinstance(initializer, Trackable):
            self._track_trackable(initializer, "_initializer")
        self._table: dict[Any, Any] = {}
        initializer.initialize(self)

    @property
    def default_value(self) -> Tensor:
        """The value of missing keys."""
        return self._default_value

    def _fill(self, keys: list[Any], values: list[Any]) -> None:
        fill_once(self._table, keys, values)

    def size(self, name: str | None = None) -> Tensor:
        """Counts the keys.

        Args:
          name: Accepted for compatibility.

        Returns:
          An int64 scalar.
        """
        return Tensor(np.int64(len(self._table)))

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """Returns the values of keys.

        Args:
          keys: A tensor, ragged or sparse tensor of keys.
          name: Accepted for compatibility.

        Returns:
          The values as a tensor of the same kind and shape, with the default value for missing
          keys.

        Raises:
          TypeError: The dtype of the keys differs from the dtype of the table's keys.
        """
        if isinstance(keys, SparseTensor):
            return keys.with_values(self.lookup(keys.values))  # type: ignore[return-value]
        return on_values(self._lookup, keys)

    @graph_operation(
        "LookupTableFindV2", lookup_result, stateful=True, undone=True, when=has_symbols
    )
    def _lookup(self, keys: Any) -> Tensor:
        found = self._keys_of(keys)._value
        default, get = self._default_value._value.item(), self._table.get
        values = [get(key, default) for key in items(found.reshape(-1))]
        return gathered(values, found.shape, self._value_dtype)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Returns all keys and their values.

        Args:
          name: Accepted for compatibility.

        Returns:
          A pair of vectors of the same length.
        """
        shape = (len(self._table),)
        return (
            gathered(list(self._table), shape, self._key_dtype),
            gathered(list(self._table.values()), shape, self._value_dtype),
        )


def shown(value: Any) -> str:
    """Formats a key or value for messages."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


@export("lookup.StaticVocabularyTable")
class StaticVocabularyTable(LookupInterface):
    """A table of ids for words, in which unknown words get the id of a bucket.

    Args:
      initializer: The contents: string or int64 keys with the values 0, 1, ...; or None if all
        words are unknown.
      num_oov_buckets: The number of buckets, that is, of ids for unknown words.
      lookup_key_dtype: The dtype of the keys in lookups. Defaults to the dtype of the table's keys.
      name: Accepted for compatibility.
      experimental_is_anonymous: Accepted for compatibility.

    Raises:
      ValueError: `num_oov_buckets` is not positive.
      TypeError: The keys are neither strings nor int64, or the values not int64.
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        self._buckets = num_oov_buckets
        self._known: StaticHashTable | None = None
        key_dtype: Any = string
        if initializer is not None:
            if initializer.value_dtype is not int64:
                raise TypeError(
                    f"Invalid `value_dtype`, expected {int64} but got {initializer.value_dtype}."
                )
            self._known = StaticHashTable(initializer, -1)
            self._track_trackable(initializer, "_initializer")
            key_dtype = initializer.key_dtype
        key_dtype = as_dtype(lookup_key_dtype or key_dtype)
        if key_dtype not in (int64, string):
            raise TypeError(
                "Invalid `key_dtype`, expected one of (tf.int64, tf.string), but got "
                f"{as_dtype(key_dtype)}."
            )
        super().__init__(key_dtype, int64)

    def size(self, name: str | None = None) -> Tensor:
        """Counts the words and buckets.

        Args:
          name: Accepted for compatibility.

        Returns:
          An int64 scalar.
        """
        known = 0 if self._known is None else len(self._known._table)
        return Tensor(np.int64(known + self._buckets))

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """Looks up the ids of words.

        Args:
          keys: A tensor of keys, dense, ragged or sparse.
          name: Accepted for compatibility.

        Returns:
          An int64 tensor shaped like `keys`, ragged or sparse if `keys` is; a word outside the
          vocabulary gets the id of a bucket.
        """
        if isinstance(keys, SparseTensor):
            return keys.with_values(self.lookup(keys.values))  # type: ignore[return-value]
        return on_values(self._lookup, keys)

    @graph_operation(
        "LookupTableFindV2", lookup_result, stateful=True, undone=True, when=has_symbols
    )
    def _lookup(self, keys: Any) -> Tensor:
        found = self._keys_of(keys)._value
        known = {} if self._known is None else self._known._table
        numbers = []
        for key in items(found.reshape(-1)):
            place = known.get(key)
            if place is None:
                text = key if isinstance(key, bytes) else b"%d" % key
                place = len(known) + fingerprint64(text) % self._buckets
            numbers.append(place)
        return gathered(numbers, found.shape, int64)
