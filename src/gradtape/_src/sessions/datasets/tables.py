"""Lookup tables with TensorFlow 1's initializers."""

from __future__ import annotations

from gradtape._src.base.export import export
from gradtape._src.declare.registered import Operation
from gradtape._src.ops.control.control_flow import group
from gradtape._src.text import lookup


@export("compat.v1.lookup.StaticHashTable")
class StaticHashTable(lookup.StaticHashTable):
    """A table whose contents do not change; it is filled when it is made.

    Args:
      initializer: The initializer of its contents.
      default_value: The value of missing keys.
      name: Accepted for compatibility.
      experimental_is_anonymous: Accepted for compatibility.
    """

    @property
    def initializer(self) -> Operation | None:
        """An operation without effect, since the table has its contents; None if run eagerly."""
        made: Operation | None = group()
        return made


@export("compat.v1.lookup.StaticVocabularyTable")
class StaticVocabularyTable(lookup.StaticVocabularyTable):
    """A table of ids for words, in which unknown words get the id of a bucket.

    Args:
      initializer: The contents: string or int64 keys with the values 0, 1, ...; or None if all
        words are unknown.
      num_oov_buckets: The number of buckets, that is, of ids for unknown words.
      lookup_key_dtype: The dtype of the keys in lookups. Defaults to the dtype of the table's keys.
      name: Accepted for compatibility.
      experimental_is_anonymous: Accepted for compatibility.
    """

    @property
    def initializer(self) -> Operation | None:
        """An operation without effect, since the table has its contents; None if run eagerly."""
        made: Operation | None = group()
        return made
