"""Summaries, which TensorBoard shows: `tf.summary`."""

from gradtape._src.files.event_files import SummaryWriter as SummaryWriter
from gradtape._src.files.event_files import create_file_writer as create_file_writer
from gradtape._src.files.event_files import create_noop_writer as create_noop_writer
from gradtape._src.files.event_files import flush as flush
from gradtape._src.files.event_files import record_if as record_if
from gradtape._src.files.event_files import should_record_summaries as should_record_summaries
from gradtape._src.files.summary import audio as audio
from gradtape._src.files.summary import histogram as histogram
from gradtape._src.files.summary import image as image
from gradtape._src.files.summary import scalar as scalar
from gradtape._src.files.summary import text as text
from gradtape._src.files.summary import write as write
from gradtape._src.profiling.graph_summaries import graph as graph
from gradtape._src.profiling.graph_summaries import trace_export as trace_export
from gradtape._src.profiling.graph_summaries import trace_off as trace_off
from gradtape._src.profiling.graph_summaries import trace_on as trace_on
from gradtape.summary import experimental as experimental
