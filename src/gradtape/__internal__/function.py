"""`tf.__internal__.function`: the class of what `tf.function` returns."""

from gradtape._src.graph.function import Function as Function
