"""`tf.experimental`."""

from gradtape.experimental import dtensor as dtensor
