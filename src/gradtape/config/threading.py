"""The numbers of threads that compute: `tf.config.threading`."""

from gradtape._src.compute.parallel import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
)
from gradtape._src.compute.parallel import (
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
)
from gradtape._src.compute.parallel import (
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
)
from gradtape._src.compute.parallel import (
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)
