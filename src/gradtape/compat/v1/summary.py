"""`tf.compat.v1.summary`: summaries that a session computes, and files of them."""

from gradtape._src.sessions.files.summaries import FileWriter as FileWriter
from gradtape._src.sessions.files.summaries import histogram as histogram
from gradtape._src.sessions.files.summaries import merge as merge
from gradtape._src.sessions.files.summaries import merge_all as merge_all
from gradtape._src.sessions.files.summaries import scalar as scalar
