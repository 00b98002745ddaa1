"""Steps and scopes of summaries: `tf.summary.experimental`."""

from gradtape._src.files.event_files import get_step as get_step
from gradtape._src.files.event_files import set_step as set_step
from gradtape._src.files.summary import summary_scope as summary_scope
from gradtape._src.files.summary import write_raw_pb as write_raw_pb
