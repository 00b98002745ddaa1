"""`tf.types.experimental`."""

from gradtape._compile.function import ConcreteFunction as ConcreteFunction
from gradtape._compile.function import Function as GenericFunction  # noqa: F401
from gradtape._compile.function import Function as PolymorphicFunction  # noqa: F401
from gradtape._core.tensor import TensorLike as TensorLike
