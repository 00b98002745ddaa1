"""`tf.autograph.experimental`."""

from gradtape._src.compat.contexts import do_not_convert as do_not_convert
