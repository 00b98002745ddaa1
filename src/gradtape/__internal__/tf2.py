"""`tf.__internal__.tf2`."""

from gradtape._compile.contexts import executing_eagerly as enabled
