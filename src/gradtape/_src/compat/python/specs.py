"""`tensorflow.python.framework.type_spec` and `tensor_spec`."""

from gradtape._src.ops.types.specs import BoundedTensorSpec as BoundedTensorSpec
from gradtape._src.ops.types.specs import DenseSpec as DenseSpec
from gradtape._src.ops.types.specs import TensorSpec as TensorSpec
from gradtape._src.ops.types.specs import VariableSpec as VariableSpec
from gradtape._src.ops.types.specs import type_spec_from_value as type_spec_from_value
from gradtape._src.ops.types.type_spec import BatchableTypeSpec as BatchableTypeSpec
from gradtape._src.ops.types.type_spec import TypeSpec as TypeSpec
from gradtape._src.ops.types.type_spec import (
    register_type_spec_from_value_converter as register_type_spec_from_value_converter,
)
