"""`tf.experimental`."""

from gradtape._base.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from gradtape._base.dtypes import float8_e4m3fn as float8_e4m3fn
from gradtape._base.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from gradtape._base.dtypes import float8_e5m2 as float8_e5m2
from gradtape._base.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from gradtape._base.dtypes import int2 as int2
from gradtape._base.dtypes import int4 as int4
from gradtape._base.dtypes import uint2 as uint2
from gradtape._base.dtypes import uint4 as uint4
from gradtape._data.optional import Optional as Optional
from gradtape._ops.extension_type import BatchableExtensionType as BatchableExtensionType
from gradtape._ops.extension_type import ExtensionType as ExtensionType
from gradtape._ops.ragged_shape import DynamicRaggedShape as DynamicRaggedShape
from gradtape._ops.row_partition import RowPartition as RowPartition
from gradtape.experimental import dtensor as dtensor
from gradtape.experimental import numpy as numpy
