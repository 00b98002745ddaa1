"""`tf.compat.v1.io`: files and their formats."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.files.records import TFRecordCompressionType as TFRecordCompressionType
from gradtape._src.files.records import tf_record_iterator as tf_record_iterator
from gradtape._src.sessions.older.sparse import serialize_many_sparse as serialize_many_sparse
from gradtape._src.sessions.older.sparse import serialize_sparse as serialize_sparse


def __getattr__(name: str) -> _Any:
    return _shared("io", name)


def __dir__() -> list[str]:
    return _listed("io", globals())
