"""`tf.sets`: the last axis of tensors as sets."""

from gradtape._src.ops.sparse.sets import difference as difference
from gradtape._src.ops.sparse.sets import intersection as intersection
from gradtape._src.ops.sparse.sets import size as size
from gradtape._src.ops.sparse.sets import union as union
