"""`tf.compat.v1.summary`: summaries that a session computes, and files of them."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.files.summaries import FileWriter as FileWriter
from gradtape._src.sessions.files.summaries import FileWriterCache as FileWriterCache
from gradtape._src.sessions.files.summaries import audio as audio
from gradtape._src.sessions.files.summaries import histogram as histogram
from gradtape._src.sessions.files.summaries import image as image
from gradtape._src.sessions.files.summaries import merge as merge
from gradtape._src.sessions.files.summaries import merge_all as merge_all
from gradtape._src.sessions.files.summaries import scalar as scalar
from gradtape._src.sessions.files.summaries import tensor_summary as tensor_summary
from gradtape._src.sessions.files.summaries import text as text


def __getattr__(name: str) -> _Any:
    return _shared("summary", name)


def __dir__() -> list[str]:
    return _listed("summary", globals())
