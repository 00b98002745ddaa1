"""`tf.ragged`."""

from gradtape._ops.ragged import constant as constant
