"""`tf.compat.v1.lookup`: tables with initializers."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.datasets.tables import StaticHashTable as StaticHashTable
from gradtape._src.sessions.datasets.tables import StaticVocabularyTable as StaticVocabularyTable


def __getattr__(name: str) -> _Any:
    return _shared("lookup", name)


def __dir__() -> list[str]:
    return _listed("lookup", globals())
