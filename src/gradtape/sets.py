"""`tf.sets`: the last axis of tensors as sets."""

from gradtape._ops.sets import difference as difference
from gradtape._ops.sets import intersection as intersection
from gradtape._ops.sets import size as size
from gradtape._ops.sets import union as union
