"""Extension types, dispatch and optional values: `tf.experimental`."""

from gradtape._src.base.dtypes import float4_e2m1fn as float4_e2m1fn
from gradtape._src.base.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from gradtape._src.base.dtypes import float8_e4m3fn as float8_e4m3fn
from gradtape._src.base.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from gradtape._src.base.dtypes import float8_e5m2 as float8_e5m2
from gradtape._src.base.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from gradtape._src.base.dtypes import int2 as int2
from gradtape._src.base.dtypes import int4 as int4
from gradtape._src.base.dtypes import uint2 as uint2
from gradtape._src.base.dtypes import uint4 as uint4
from gradtape._src.data.optional import Optional as Optional
from gradtape._src.ops.types.dispatch_for_api import dispatch_for_api as dispatch_for_api
from gradtape._src.ops.types.dispatch_for_api import (
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
)
from gradtape._src.ops.types.dispatch_for_api import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from gradtape._src.ops.types.dispatch_for_api import (
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
)
from gradtape._src.ops.types.dispatch_for_api import (
    unregister_dispatch_for as unregister_dispatch_for,
)
from gradtape._src.ops.types.extension_type import BatchableExtensionType as BatchableExtensionType
from gradtape._src.ops.types.extension_type import ExtensionType as ExtensionType
from gradtape._src.ops.types.extension_type import ExtensionTypeSpec as ExtensionTypeSpec
from gradtape._src.ops.types.ragged_shape import DynamicRaggedShape as DynamicRaggedShape
from gradtape._src.ops.types.row_partition import RowPartition as RowPartition
from gradtape.experimental import dlpack as dlpack
from gradtape.experimental import dtensor as dtensor
from gradtape.experimental import extension_type as extension_type
from gradtape.experimental import numpy as numpy
