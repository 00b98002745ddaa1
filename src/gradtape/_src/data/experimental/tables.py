"""Lookup tables that datasets fill."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradtape._src.base.dtypes import as_dtype, int64, string
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.data.dataset import Dataset
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.text.lookup import (
    KeyValueTensorInitializer,
    LookupInterface,
    StaticHashTable,
    StaticVocabularyTable,
    TableInitializer,
)


class HasherSpec(NamedTuple):
    """The function that distributes unknown keys over buckets.

    Attributes:
      hasher: Its name.
      key: Its two secret numbers, for "stronghash".
    """

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


@export("data.experimental.DatasetInitializer")
class DatasetInitializer(TableInitializer):
    """Fills a table with the pairs of keys and values in a dataset.

    Args:
      dataset: A dataset of pairs of scalars.

    Raises:
      TypeError: The elements are not pairs of scalars.

    >>> words = tf.data.Dataset.from_tensor_slices((["a", "b"], tf.constant([5, 7], tf.int64)))
    >>> table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(words), -1)
    >>> int(table.lookup(tf.constant("b")))
    7
    """

    def __init__(self, dataset: Dataset) -> None:
        spec = dataset.element_spec
        if (
            type(spec) is not tuple
            or len(spec) != 2
            or not all(isinstance(part, TensorSpec) and part.shape.rank == 0 for part in spec)
        ):
            raise TypeError(f"the elements of `dataset` must be pairs of scalars, got {spec}")
        super().__init__(*(part.dtype for part in spec))
        self._dataset = dataset

    def initialize(self, table: Any) -> None:
        """Fills a table.

        Args:
          table: The table.
        """
        pairs = list(self._dataset.as_numpy_iterator())
        keys = convert_to_tensor([key for key, _ in pairs], self.key_dtype)
        values = convert_to_tensor([value for _, value in pairs], self.value_dtype)
        KeyValueTensorInitializer(keys, values).initialize(table)


@export("data.experimental.table_from_dataset")
def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: Any = FastHashSpec,
    key_dtype: Any = string,
    name: str | None = None,
) -> LookupInterface:
    """Makes a lookup table from a dataset of pairs of keys and values.

    Args:
      dataset: A dataset of pairs of scalars.
      num_oov_buckets: The number of ids for unknown keys.
      vocab_size: The number of pairs to read. Defaults to all.
      default_value: The value of unknown keys, if there are no buckets. -1 by default.
      hasher_spec: Accepted for compatibility; unknown keys are hashed by "fasthash".
      key_dtype: The dtype of the keys in lookups.
      name: Accepted for compatibility.

    Returns:
      A table.

    Raises:
      TypeError: The elements are not pairs of scalars.
    """
    pairs: Any = dataset if vocab_size is None else dataset.take(vocab_size)
    initializer = DatasetInitializer(pairs)
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, as_dtype(key_dtype))
    return StaticHashTable(initializer, -1 if default_value is None else default_value)


@export("data.experimental.index_table_from_dataset")
def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = -1,
    hasher_spec: Any = FastHashSpec,
    key_dtype: Any = string,
    name: str | None = None,
) -> LookupInterface:
    """Makes a lookup table from a dataset of keys, whose values are their indices.

    Args:
      dataset: A dataset of scalars.
      num_oov_buckets: The number of ids for unknown keys.
      vocab_size: The number of keys to read. Defaults to all.
      default_value: The value of unknown keys, if there are no buckets.
      hasher_spec: Accepted for compatibility; unknown keys are hashed by "fasthash".
      key_dtype: The dtype of the keys in lookups.
      name: Accepted for compatibility.

    Returns:
      A table.

    >>> words = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> table = tf.data.experimental.index_table_from_dataset(words)
    >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
    [1, -1]
    """
    numbered = dataset.enumerate().map(lambda index, key: (key, _as_index(index)))
    arguments = (num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype)
    return table_from_dataset(numbered, *arguments)


def _as_index(index: Any) -> Any:
    return convert_to_tensor(index, int64)
