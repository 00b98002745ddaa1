"""`tf.xla`: functions that XLA compiles."""

from gradtape.xla import experimental as experimental
