"""`tf.compat.v1.graph_util`: parts of graphs, and graphs without variables."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.files.frozen_graphs import (
    convert_variables_to_constants as convert_variables_to_constants,
)
from gradtape._src.sessions.files.frozen_graphs import extract_sub_graph as extract_sub_graph


def __getattr__(name: str) -> _Any:
    return _shared("graph_util", name)


def __dir__() -> list[str]:
    return _listed("graph_util", globals())
