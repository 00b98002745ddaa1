"""`tf.ragged`."""

from gradtape._ops.ragged import constant as constant
from gradtape._ops.ragged import map_flat_values as map_flat_values
