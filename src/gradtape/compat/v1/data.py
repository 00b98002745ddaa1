"""`tf.compat.v1.data`: iterators over datasets in graphs."""

import sys as _sys
from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.datasets.iterators import GraphIterator as _Iterator
from gradtape._src.sessions.datasets.iterators import get_output_classes as get_output_classes
from gradtape._src.sessions.datasets.iterators import get_output_shapes as get_output_shapes
from gradtape._src.sessions.datasets.iterators import get_output_types as get_output_types
from gradtape._src.sessions.datasets.iterators import (
    make_initializable_iterator as make_initializable_iterator,
)
from gradtape._src.sessions.datasets.iterators import (
    make_one_shot_iterator as make_one_shot_iterator,
)

Iterator = _Iterator

_ALIKE = frozenset(["Dataset", "FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"])


def __getattr__(name: str) -> _Any:
    if name in _ALIKE:
        return getattr(_sys.modules["gradtape"].data, name)
    return _shared("data", name)


def __dir__() -> list[str]:
    return _listed("data", globals())
