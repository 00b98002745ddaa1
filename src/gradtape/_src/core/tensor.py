"""The immutable value that operations take and return."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.device_values import device_of
from gradtape._src.base.display import (
    LookedUpAttributes,
    Reference,
    ambiguous,
    copyable,
    formatted,
    hash_of,
    repr_of,
    text,
)
from gradtape._src.base.dtypes import DType, dtype_of, levels
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.extension_point import wrappable
from gradtape._src.core.interchange import Interchange
from gradtape._src.core.operators import Operators, TensorMethods
from gradtape._src.core.tracebacks import filter_methods


def _numbers(value: Any) -> Any:
    """Returns the integers of an array of a quantized dtype.

    Raises:
      InvalidArgumentError: The array holds handles.
    """
    if not dtype_of(value).is_numpy_compatible:
        name = dtype_of(value).name
        message = f"Cannot convert a Tensor of dtype {name} to a NumPy array."
        raise InvalidArgumentError(None, None, message)
    return levels(value)


@export("__internal__.types.Tensor", "types.experimental.TensorLike")
@wrappable("__int__", "__float__", "__complex__", "__index__")
class TensorLike(Interchange, Operators):
    """The operators, and the conversions to Python's numbers, of tensors and variables."""

    __slots__ = ()
    # A NumPy array on the left of an operator leaves the operation to this class.
    __array_priority__ = 100

    _value: Any
    shape: Any

    def _numpy(self) -> Any:
        """Returns the value without a copy."""
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(self._value.ndim)

    @property
    def device(self) -> str:
        """The device on which the value is stored."""
        return device_of(self)

    def get_shape(self) -> TensorShape:
        """Returns the shape, like the property `shape`.

        Returns:
          A TensorShape.
        """
        out: TensorShape = self.shape
        return out

    def __int__(self) -> int:
        return int(self._numpy())

    def __float__(self) -> float:
        return float(self._numpy())

    def __complex__(self) -> complex:
        return complex(self._numpy())

    def __index__(self) -> int:
        return int(self._numpy().__index__())


@export("Tensor", "__internal__.EagerTensor", "experimental.numpy.ndarray")
@wrappable(
    *("_numpy", "numpy", "to_numpy", "__array__", "__bool__"),
    *("__repr__", "__str__", "__format__", "__hash__"),
)
class Tensor(TensorLike, TensorMethods, LookedUpAttributes):
    """A multi-dimensional array of one dtype that never changes.

    Programs get tensors from functions such as `constant`; this class is for `isinstance`.

    Args:
      value: The raw value.
      id_: The number by which tapes know the tensor; 0 until one watches it.

    Attributes:
      dtype: The type of the elements.
      shape: The length of each axis.

    >>> x = tf.constant([[1.0, 2.0]])
    >>> isinstance(x, tf.Tensor), x.shape, x.dtype
    (True, TensorShape([1, 2]), tf.float32)
    >>> x.numpy()
    array([[1., 2.]], dtype=float32)
    """

    # Programs add attributes, hence __dict__. The unused _spare gives tensors a rare block size, so
    # that a new object seldom gets the address of a deleted tensor.
    __slots__ = ("__dict__", "__weakref__", "_id", "_origin", "_spare", "_value")

    OVERLOADABLE_OPERATORS = frozenset(Operators.__annotations__)

    _value: Any
    _id: int
    _origin: Any  # for a slice of a variable: the variable and the key
    _device: Any = None  # a JAX array, if a compiled function returned or got the value
    _key: Any = None  # the array's shape and dtype, after their first use
    _was_passed = False  # whether the value was passed to a compiled function before
    _use: Any = None  # while this object exists, no program writes into the value's memory
    _part_spec: tuple[Any, Any] | None = None  # of a replica's part; axis 0 is for replicas
    _is_part = False  # whether it is one replica's part in a program for all replicas
    _is_uneven = False  # whether the parts of replicas may differ in shape
    _in_graph: Any = None  # of a known value that was made while a function was traced: its `Known`

    def __init__(self, value: Any, id_: int = 0) -> None:
        self._value = value
        self._id = id_

    @property
    def dtype(self) -> DType:
        return dtype_of(self._value)

    @property
    def shape(self) -> TensorShape:
        dims = self._value.shape
        return TensorShape.of(dims) if type(dims) is tuple else dims.known()

    def set_shape(self, shape: Any) -> None:
        """Checks the shape against an expected one; in a graph, also refines the shape.

        Args:
          shape: The expected shape, in which None is an unknown length.

        Raises:
          ValueError: The shapes are incompatible.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with shape {shape}.")
        if hasattr(self._value, "narrow"):  # in a graph
            self._value.narrow(self, shape)

    def numpy(self) -> Any:
        """Copies the value into a NumPy array.

        Returns:
          An array, or a NumPy scalar for a tensor of rank 0 (bytes for a string).
        """
        value = self._numpy()
        return value.copy() if type(value) is np.ndarray else value

    # matplotlib recognizes arrays by this method if there is no module `tensorflow`.
    to_numpy = numpy

    def _numpy(self) -> Any:
        """Returns the value without a copy."""
        value = self._value
        if type(value) is np.ndarray:
            value = value if value.dtype.names is None else _numbers(value)
            return value if value.ndim else value[()]
        if isinstance(value, np.generic):
            return value if value.dtype.names is None else _numbers(value)
        own = getattr(value, "numpy", None)
        return np.asarray(value) if own is None else own()

    def ref(self) -> Reference[Tensor]:
        """Returns a hashable reference to this tensor.

        Returns:
          A reference, equal to others to the same tensor; `deref` returns the tensor.
        """
        return Reference(self)

    def __repr__(self) -> str:
        return repr_of(self)

    def __str__(self) -> str:
        return text(self)

    def __format__(self, spec: str) -> str:
        return formatted(self, spec)

    def __hash__(self) -> int:
        return hash_of(self)

    def __bool__(self) -> bool:
        value = self._numpy()
        if getattr(value, "size", 1) > 1:
            raise ambiguous(value.shape)
        return bool(np.any(value))

    __nonzero__ = __bool__  # Python 2's name, which some libraries still use

    def __copy__(self) -> Tensor:
        return Tensor(self._value)

    def __deepcopy__(self, memo: Any) -> Tensor:
        return Tensor(copyable(self._value))


filter_methods(Tensor, "__hash__")
Tensor.__name__ = "EagerTensor"  # the name that programs see as type(tensor).__name__
