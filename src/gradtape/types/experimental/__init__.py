"""Types for annotations: `tf.types.experimental`."""

from gradtape._src.core.tensor import TensorLike as TensorLike
from gradtape._src.graph.concrete_function import ConcreteFunction as ConcreteFunction
from gradtape._src.graph.function import Function as _GenericFunction
from gradtape._src.graph.function import Function as _PolymorphicFunction
from gradtape._src.graph.function_types import CallableOfTensors as _Callable
from gradtape._src.graph.function_types import FunctionType as FunctionType
from gradtape._src.ops.types.type_spec import SupportsTracingProtocol as SupportsTracingProtocol
from gradtape._src.ops.types.type_spec import TraceType as TraceType
from gradtape.types.experimental import distributed as distributed

Callable = _Callable
GenericFunction = _GenericFunction
PolymorphicFunction = _PolymorphicFunction
