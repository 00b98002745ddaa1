"""`tf.types.experimental`."""

from gradtape._compile.function import ConcreteFunction as ConcreteFunction
from gradtape._compile.function import Function as GenericFunction
from gradtape._compile.function import Function as PolymorphicFunction
from gradtape._core.tensor import TensorLike as TensorLike
