"""`tf.__internal__.tf2`."""

from gradtape._src.compat.contexts import executing_eagerly as enabled
