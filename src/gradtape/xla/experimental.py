"""`tf.xla.experimental`: functions that XLA compiles, as in older programs."""

from gradtape._src.xla.older_programs import jit_scope as jit_scope
from gradtape._src.xla.older_programs import xla_compile as _compile

compile = _compile
