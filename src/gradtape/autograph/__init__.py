"""`tf.autograph`."""

from gradtape.autograph import experimental as experimental
