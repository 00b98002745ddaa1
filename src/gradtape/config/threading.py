"""`tf.config.threading`."""

from gradtape._compile.config import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
)
from gradtape._compile.config import (
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
)
