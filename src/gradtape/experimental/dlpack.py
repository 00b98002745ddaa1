"""Arrays of other libraries in the same memory: `tf.experimental.dlpack`."""

from gradtape._src.ops.array.dlpack import from_dlpack as from_dlpack
from gradtape._src.ops.array.dlpack import to_dlpack as to_dlpack
