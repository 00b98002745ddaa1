"""`tf.ragged`."""

from gradtape._ops.ragged import map_flat_values as map_flat_values
from gradtape._ops.ragged_constant import constant as constant
from gradtape._ops.ragged_functions import boolean_mask as boolean_mask
from gradtape._ops.ragged_functions import range_ as range
from gradtape._ops.ragged_functions import row_splits_to_segment_ids as row_splits_to_segment_ids
from gradtape._ops.ragged_functions import segment_ids_to_row_splits as segment_ids_to_row_splits
from gradtape._ops.ragged_functions import stack as stack
from gradtape._ops.ragged_functions import stack_dynamic_partitions as stack_dynamic_partitions
