"""The names that libraries import from TensorFlow's modules `ops` and `resource_variable_ops`.

The classes' `__module__` is one of these modules, as in TensorFlow: libraries recognize tensors by
it.
"""

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope as name_scope
from gradtape._src.compat.contexts import control_dependencies as control_dependencies
from gradtape._src.compat.contexts import device as device
from gradtape._src.compat.contexts import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)
from gradtape._src.compat.contexts import init_scope as init_scope
from gradtape._src.compat.python.specs import VariableSpec as VariableSpec
from gradtape._src.core.tensor import Tensor as Tensor
from gradtape._src.core.variable import Variable as BaseResourceVariable
from gradtape._src.core.variable import Variable as ResourceVariable
from gradtape._src.core.variable import Variable as Variable
from gradtape._src.declare.registered import gradient_registry as gradient_registry
from gradtape._src.graph.named.func_graph import FuncGraph as FuncGraph
from gradtape._src.ops.array.creation import convert_to_tensor as convert_to_tensor
from gradtape._src.ops.array.creation import is_symbolic_tensor
from gradtape._src.ops.array.packing import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from gradtape._src.sessions.default_graph import get_default_graph as get_default_graph


@export("__internal__.ops.is_resource_variable")
def is_resource_variable(var: Any) -> bool:
    """Whether a value is a variable.

    Args:
      var: Anything.

    Returns:
      True for a variable.
    """
    return isinstance(var, Variable)


class _TensorsByState(type):
    """The metaclass of `EagerTensor` and `SymbolicTensor`, which exist only for `isinstance`."""

    symbolic: bool

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and is_symbolic_tensor(instance) == cls.symbolic

    def __subclasscheck__(cls, subclass: type) -> bool:
        return subclass is cls or issubclass(subclass, Tensor)

    # For `type(x) == EagerTensor`, and for keys of dictionaries.
    def __eq__(cls, other: object) -> bool:
        return other is cls or (other is Tensor and not cls.symbolic)

    def __hash__(cls) -> int:
        return hash(Tensor)


class EagerTensor(metaclass=_TensorsByState):
    """Tensors that have a value: `isinstance(x, EagerTensor)`."""

    symbolic = False


@export("__internal__.SymbolicTensor")
class SymbolicTensor(metaclass=_TensorsByState):
    """Tensors of a traced function, whose values are computed later."""

    symbolic = True
