"""`tf.compat.v1.app`: the start of a program, and its flags."""

from typing import Any as _Any

from gradtape._src.sessions.older.flags import run as run
from gradtape.compat.v1 import flags as flags
