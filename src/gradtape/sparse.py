"""Tensors most of whose elements are zero: `tf.sparse`."""

from gradtape._src.ops.sparse.algebra import add as add
from gradtape._src.ops.sparse.algebra import concat as concat
from gradtape._src.ops.sparse.algebra import expand_dims as expand_dims
from gradtape._src.ops.sparse.algebra import from_dense as from_dense
from gradtape._src.ops.sparse.algebra import map_values as map_values
from gradtape._src.ops.sparse.algebra import maximum as maximum
from gradtape._src.ops.sparse.algebra import minimum as minimum
from gradtape._src.ops.sparse.algebra import reduce_sum as reduce_sum
from gradtape._src.ops.sparse.algebra import reorder as reorder
from gradtape._src.ops.sparse.algebra import reshape as reshape
from gradtape._src.ops.sparse.algebra import retain as retain
from gradtape._src.ops.sparse.algebra import sparse_dense_matmul as sparse_dense_matmul
from gradtape._src.ops.sparse.algebra import to_dense as to_dense
from gradtape._src.ops.sparse.algebra import transpose as transpose
from gradtape._src.ops.sparse.functions import bincount as bincount
from gradtape._src.ops.sparse.functions import eye as eye
from gradtape._src.ops.sparse.functions import fill_empty_rows as fill_empty_rows
from gradtape._src.ops.sparse.functions import mask as mask
from gradtape._src.ops.sparse.functions import reduce_max as reduce_max
from gradtape._src.ops.sparse.functions import reset_shape as reset_shape
from gradtape._src.ops.sparse.functions import sampled_addmm as sampled_addmm
from gradtape._src.ops.sparse.functions import slice_ as _slice
from gradtape._src.ops.sparse.functions import softmax as softmax
from gradtape._src.ops.sparse.functions import sparse_segment_mean as _segment_mean
from gradtape._src.ops.sparse.functions import sparse_segment_sqrt_n as _segment_sqrt_n
from gradtape._src.ops.sparse.functions import sparse_segment_sum as _segment_sum
from gradtape._src.ops.sparse.functions import split as split
from gradtape._src.ops.sparse.functions import to_indicator as to_indicator
from gradtape._src.ops.types.sparse_tensor import SparseTensor as SparseTensor
from gradtape._src.text.sparse_cross import cross as cross
from gradtape._src.text.sparse_cross import cross_hashed as cross_hashed

segment_mean = _segment_mean
segment_sqrt_n = _segment_sqrt_n
segment_sum = _segment_sum
slice = _slice
