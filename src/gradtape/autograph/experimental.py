"""Options of the conversion of Python code: `tf.autograph.experimental`."""

from gradtape._src.autograph.features import Feature as Feature
from gradtape._src.autograph.features import set_loop_options as set_loop_options
from gradtape._src.autograph.public import do_not_convert as do_not_convert
