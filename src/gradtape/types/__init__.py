"""Types for annotations: `tf.types`."""

from gradtape.types import experimental as experimental
