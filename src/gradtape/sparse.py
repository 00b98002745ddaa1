"""`tf.sparse`."""

from gradtape._ops.sparse import SparseTensor as SparseTensor
from gradtape._ops.sparse_algebra import add as add
from gradtape._ops.sparse_algebra import concat as concat
from gradtape._ops.sparse_algebra import expand_dims as expand_dims
from gradtape._ops.sparse_algebra import from_dense as from_dense
from gradtape._ops.sparse_algebra import map_values as map_values
from gradtape._ops.sparse_algebra import maximum as maximum
from gradtape._ops.sparse_algebra import minimum as minimum
from gradtape._ops.sparse_algebra import reduce_sum as reduce_sum
from gradtape._ops.sparse_algebra import reorder as reorder
from gradtape._ops.sparse_algebra import reshape as reshape
from gradtape._ops.sparse_algebra import retain as retain
from gradtape._ops.sparse_algebra import sparse_dense_matmul as sparse_dense_matmul
from gradtape._ops.sparse_algebra import to_dense as to_dense
from gradtape._ops.sparse_algebra import transpose as transpose
