"""`tf.experimental`."""

from gradtape._data.optional import Optional as Optional
from gradtape._ops.ragged_shape import DynamicRaggedShape as DynamicRaggedShape
from gradtape._ops.row_partition import RowPartition as RowPartition
from gradtape.experimental import dtensor as dtensor
from gradtape.experimental import numpy as numpy
