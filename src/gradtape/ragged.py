"""Tensors whose rows have different lengths: `tf.ragged`."""

from gradtape._src.ops.ragged.construction import boolean_mask as boolean_mask
from gradtape._src.ops.ragged.construction import range_ as _range
from gradtape._src.ops.ragged.construction import (
    row_splits_to_segment_ids as row_splits_to_segment_ids,
)
from gradtape._src.ops.ragged.construction import (
    segment_ids_to_row_splits as segment_ids_to_row_splits,
)
from gradtape._src.ops.ragged.construction import stack as stack
from gradtape._src.ops.ragged.construction import (
    stack_dynamic_partitions as stack_dynamic_partitions,
)
from gradtape._src.ops.ragged.elementwise import map_flat_values as map_flat_values
from gradtape._src.ops.types.ragged_constant import constant as constant
from gradtape._src.text.sparse_cross import ragged_cross as _cross
from gradtape._src.text.sparse_cross import ragged_cross_hashed as _cross_hashed

cross = _cross
cross_hashed = _cross_hashed
range = _range
