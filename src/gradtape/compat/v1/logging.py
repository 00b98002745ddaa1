"""The logger of TensorFlow's programs: `tf.compat.v1.logging`."""

from gradtape._src.compat.logs import DEBUG as DEBUG
from gradtape._src.compat.logs import ERROR as ERROR
from gradtape._src.compat.logs import FATAL as FATAL
from gradtape._src.compat.logs import INFO as INFO
from gradtape._src.compat.logs import WARN as WARN
from gradtape._src.compat.logs import debug as debug
from gradtape._src.compat.logs import error as error
from gradtape._src.compat.logs import fatal as fatal
from gradtape._src.compat.logs import flush as flush
from gradtape._src.compat.logs import get_verbosity as get_verbosity
from gradtape._src.compat.logs import info as info
from gradtape._src.compat.logs import log as log
from gradtape._src.compat.logs import log_every_n as log_every_n
from gradtape._src.compat.logs import log_first_n as log_first_n
from gradtape._src.compat.logs import log_if as log_if
from gradtape._src.compat.logs import set_verbosity as set_verbosity
from gradtape._src.compat.logs import task_level_status_message as _TaskLevelStatusMessage
from gradtape._src.compat.logs import vlog as vlog
from gradtape._src.compat.logs import warning as _warn
from gradtape._src.compat.logs import warning as warning

TaskLevelStatusMessage = _TaskLevelStatusMessage
warn = _warn
