"""Whether the program runs eagerly: `tf.__internal__.tf2`."""

from gradtape._src.compat.contexts import executing_eagerly_outside_functions as _enabled

enabled = _enabled
