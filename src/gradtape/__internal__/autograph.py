"""`tf.__internal__.autograph`: conversion of functions that a library calls for a program."""

from gradtape._src.autograph.public import control_status_ctx as control_status_ctx
from gradtape._src.autograph.public import tf_convert as tf_convert
