"""`tensorflow.python.framework.type_spec` and `tensor_spec`."""

from gradtape._src.ops.types.specs import TensorSpec as TensorSpec
from gradtape._src.ops.types.specs import TypeSpec as TypeSpec
from gradtape._src.ops.types.specs import type_spec_from_value as type_spec_from_value


class BatchableTypeSpec(TypeSpec):
    """The base of specs of which there are batches: a subclass gives `_batch` and `_unbatch`."""
