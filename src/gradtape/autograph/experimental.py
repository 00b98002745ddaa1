"""`tf.autograph.experimental`."""

from gradtape._compile.contexts import do_not_convert as do_not_convert
