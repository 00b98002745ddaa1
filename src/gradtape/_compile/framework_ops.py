"""What libraries import of `tensorflow.python.framework.ops` and `...ops.resource_variable_ops`.

The classes' `__module__` names these modules, as TensorFlow's do: libraries know a tensor by it.
"""

from typing import Any

from gradtape._base.name_scope import name_scope as name_scope
from gradtape._compile.contexts import FuncGraph as FuncGraph
from gradtape._compile.contexts import control_dependencies as control_dependencies
from gradtape._compile.contexts import device as device
from gradtape._compile.contexts import executing_eagerly as executing_eagerly_outside_functions
from gradtape._compile.contexts import init_scope as init_scope
from gradtape._core.tensor import Tensor as EagerTensor
from gradtape._core.tensor import Tensor as Tensor
from gradtape._core.variable import Variable as BaseResourceVariable
from gradtape._core.variable import Variable as ResourceVariable
from gradtape._core.variable import Variable as Variable
from gradtape._ops.creation import convert_to_tensor as convert_to_tensor
from gradtape._ops.packing import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)


def is_resource_variable(var: Any) -> bool:
    """Whether a value is a variable."""
    return isinstance(var, Variable)
