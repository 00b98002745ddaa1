"""`SparseTensor`: a tensor that is stored as its nonzero elements and their indices."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dispatch import expect_composites, implements
from gradtape._src.base.dtypes import DType, as_dtype, float32, int32, int64
from gradtape._src.base.export import export
from gradtape._src.base.nest import Container, register_composite
from gradtape._src.base.shapes import TensorShape, as_shape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.structural import broadcast_to_p
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.array import tensor_shapes
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.scatter import gather_nd
from gradtape._src.ops.elementwise import (
    arithmetic,
    bessel,
    casting,
    division,
    powers,
    special,
    trigonometric,
)
from gradtape._src.ops.types.composite_operators import no_operator
from gradtape._src.ops.types.spec_names import register
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.ops.types.type_spec import BatchableTypeSpec


@export("SparseTensor", "sparse.SparseTensor")
class SparseTensor(CompositeTensor):
    """A tensor stored as its nonzero elements and their indices.

    Args:
      indices: The index of each element, an int64 tensor of shape (n, rank).
      values: The elements, a tensor of shape (n,).
      dense_shape: The shape of the whole tensor, an int64 tensor of shape (rank,).

    Raises:
      ValueError: The shapes of the arguments do not match.

    >>> x = tf.SparseTensor([[0, 1], [1, 0]], [5.0, 6.0], [2, 2])
    >>> tf.sparse.to_dense(x).numpy()
    array([[0., 5.],
           [6., 0.]], dtype=float32)
    """

    __slots__ = ("__weakref__", "_dense_shape", "_has_open_shape", "_indices", "_shape", "_values")
    has_operators = True

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        expect_composites()
        self._has_open_shape = False  # whether a graph is traced for any dense shape
        self._indices = convert_to_tensor(indices, int64)
        self._values = convert_to_tensor(values)
        self._dense_shape = convert_to_tensor(dense_shape, int64)
        places, rank = self._indices._value.shape, self._dense_shape._value.shape
        if len(places) != 2 or len(rank) != 1 or not may_be_equal(places[1:], rank):
            raise ValueError(
                f"SparseTensor: indices of shape (n, rank) and dense_shape of shape (rank,) are "
                f"needed, got shapes {places} and {rank}"
            )
        if not may_be_equal(self._values._value.shape, places[:1]):
            raise ValueError(
                f"SparseTensor: {places[0]} indices need values of shape ({places[0]},), got shape "
                f"{self._values.shape}"
            )
        self._shape = _static_shape(self._dense_shape._value)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Makes a sparse tensor from an object that has indices, values and a dense shape.

        Args:
          sparse_tensor_value: An object with the attributes `indices`, `values` and `dense_shape`.

        Returns:
          A SparseTensor.
        """
        x = sparse_tensor_value
        return cls(x.indices, x.values, x.dense_shape)

    @property
    def indices(self) -> Tensor:
        """The indices of the elements."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The elements, in the order of their indices."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The dense shape as a tensor."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The dense shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype

    def get_shape(self) -> TensorShape:
        """Returns the shape, like the property `shape`.

        Returns:
          The shape.
        """
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Checks that the shape is compatible with an expected one.

        Args:
          shape: The expected shape.

        Raises:
          ValueError: The shape is not compatible.
        """
        self._shape = self._shape.merge_with(shape)

    def with_values(self, new_values: Any) -> SparseTensor:
        """Returns a sparse tensor with the same indices and other elements.

        Args:
          new_values: A vector with the same number of elements.

        Returns:
          A SparseTensor of the same shape.
        """
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def _each_row(self) -> list[SparseTensor]:
        places, shape = self._indices._value, self._dense_shape._value
        rows = []
        for i in range(int(shape[0])):
            own = np.flatnonzero(places[:, 0] == i)
            values = gather_p(self._values, Tensor(own), axis=0, batch_dims=0)
            rows.append(SparseTensor(Tensor(places[own, 1:]), values, Tensor(shape[1:])))
        return rows

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def _static_fields(self) -> tuple[Any, ...]:
        """Returns the parts other than tensors on which a compiled function depends."""
        return ((str, self._shape),) if self._has_open_shape else ()

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self._shape, self.dtype)

    def __mul__(self, other: Any) -> Any:
        return _with_dense(operator.mul, self, other)

    def __truediv__(self, other: Any) -> Any:
        return _with_dense(operator.truediv, self, other)

    def __rmul__(self, other: Any) -> Any:
        refused = not isinstance(other, TensorLike)
        return NotImplemented if refused else _with_dense(operator.mul, self, other)

    def __radd__(self, other: Any) -> Any:
        return no_operator("add", self, other)

    def __rsub__(self, other: Any) -> Any:
        return no_operator("sub", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return no_operator("truediv", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return no_operator("floordiv", self, other)

    def __rmod__(self, other: Any) -> Any:
        return no_operator("mod", self, other)

    def __rpow__(self, other: Any) -> Any:
        return no_operator("pow", self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return no_operator("matmul", self, other)

    def __rand__(self, other: Any) -> Any:
        return no_operator("and", self, other)

    def __ror__(self, other: Any) -> Any:
        return no_operator("or", self, other)

    def __rxor__(self, other: Any) -> Any:
        return no_operator("xor", self, other)

    def __lt__(self, other: Any) -> Any:
        return no_operator("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return no_operator("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return no_operator("gt", self, other)

    def __ge__(self, other: Any) -> Any:
        return no_operator("ge", self, other)

    def __reduce__(self) -> tuple[type[SparseTensor], tuple[Any, ...]]:
        return SparseTensor, (self._indices, self._values, self._dense_shape)

    def __repr__(self) -> str:
        parts = map(str, (self._indices, self._values, self._dense_shape))
        return "SparseTensor(indices={}, values={}, dense_shape={})".format(*parts)


def _static_shape(dense_shape: Any) -> TensorShape:
    """Returns a shape as far as it is known in a graph; outside of graphs it is fully known."""
    if isinstance(dense_shape, np.ndarray):
        return TensorShape(dense_shape.tolist())
    lengths = getattr(dense_shape, "elements", None)
    rank = dense_shape.shape[0]
    if lengths is None:
        return TensorShape([None] * rank if type(rank) is int else None)
    return TensorShape([n if type(n) is int else None for n in lengths])


def _reaches(own: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a shape can be broadcast to another one."""
    lengths = zip(reversed(own), reversed(shape), strict=False)
    return len(own) <= len(shape) and all(n in (1, m) for n, m in lengths)


def _with_dense(run: Callable[[Any, Any], Any], x: SparseTensor, other: Any) -> Any:
    if isinstance(other, SparseTensor):
        return NotImplemented
    return with_dense(run, x, other)


def with_dense(run: Callable[[Any, Any], Any], x: SparseTensor, other: Any) -> SparseTensor:
    """Returns an operation on the stored elements and a dense operand."""
    y = convert_to_tensor(other, dtype_hint=x.dtype)
    if y._value.ndim:
        shape = tuple(x.dense_shape._value.tolist())
        if not _reaches(y._value.shape, shape):
            raise invalid(
                f"SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible "
                f"shapes: {list(shape)} and {list(y._value.shape)}"
            )
        y = gather_nd(broadcast_to_p(y, shape=shape), x.indices)
    return x.with_values(run(x.values, y))


def _of_values(function: Callable[..., Any]) -> None:
    """Makes a function that maps 0 to 0 work on the elements of a sparse tensor."""

    @implements(function, {0: SparseTensor})
    def run(x: SparseTensor, name: str | None = None) -> SparseTensor:
        return x.with_values(function(x.values))


for _function in (
    arithmetic.abs,
    arithmetic.negative,
    arithmetic.sign,
    powers.square,
    trigonometric.asin,
    trigonometric.asinh,
    trigonometric.atan,
    trigonometric.atanh,
    trigonometric.sin,
    powers.sqrt,
    trigonometric.tan,
    trigonometric.tanh,
    bessel.bessel_i0e,
    bessel.bessel_i1e,
    special.erf,
):
    _of_values(_function)


@implements(division.divide, x=SparseTensor)
def _divide(x: SparseTensor, y: Any, name: str | None = None) -> Any:
    return x / y


@implements(casting.cast, x=SparseTensor)
def _cast(x: SparseTensor, dtype: Any, name: str | None = None) -> SparseTensor:
    return x.with_values(casting.cast(x.values, dtype))


@implements(tensor_shapes.shape, input=SparseTensor)
def _shape_of(input: SparseTensor, out_type: Any = int32, name: str | None = None) -> Tensor:
    return casting.cast(input.dense_shape, out_type)


@implements(tensor_shapes.size, input=SparseTensor)
def _size(input: SparseTensor, out_type: Any = int32, name: str | None = None) -> Tensor:
    return casting.cast(np.int64(prod(input.shape)), out_type)


@implements(tensor_shapes.rank, input=SparseTensor)
def _rank(input: SparseTensor, name: str | None = None) -> Tensor:
    return Tensor(np.int32(input.ndim))


@export("SparseTensorSpec")
@register("tf.SparseTensorSpec")
class SparseTensorSpec(BatchableTypeSpec):
    """The shape and dtype of a `SparseTensor`.

    Args:
      shape: The shape as far as it is known.
      dtype: The type of the elements.
    """

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: Any = None, dtype: Any = float32) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def value_type(self) -> type[SparseTensor]:
        """The class of what is described."""
        return SparseTensor

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """Describes a sparse tensor.

        Args:
          value: The sparse tensor.

        Returns:
          A SparseTensorSpec of its shape and dtype.

        Raises:
          TypeError: `value` is not a sparse tensor.
        """
        if not isinstance(value, SparseTensor):
            raise TypeError(f"Expected SparseTensor, but got {type(value).__name__}.")
        return cls(value.shape, value.dtype)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> list[TensorSpec]:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], int64),
        ]

    def _to_components(self, value: Any) -> list[Any]:
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Any) -> SparseTensor:
        made = SparseTensor(*components)
        made.set_shape(self._shape)
        return made

    def _as_argument(self, value: Any) -> SparseTensor:
        return _with_open_shape(list(self._to_components(value)), self._shape)

    def _example(self, tensors: Sequence[Any]) -> SparseTensor:
        return _with_open_shape(tensors, self._shape)

    def _batch(self, batch_size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([batch_size]) + self._shape, self._dtype)

    def _unbatch(self) -> SparseTensorSpec:
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        shape = self._shape if self._shape.rank is None else self._shape[1:]
        return SparseTensorSpec(shape, self._dtype)


def _with_open_shape(parts: Sequence[Any], shape: TensorShape) -> SparseTensor:
    """Returns a sparse tensor whose static shape in a graph is the shape of a spec."""
    made = SparseTensor(*parts)
    made._has_open_shape, made._shape = True, shape
    return made


def _rebuilt(like: SparseTensor, parts: list[Any]) -> SparseTensor:
    """Makes a sparse tensor from its components, which may be tensors of a finished graph."""
    if any(type(x) is not Tensor for x in parts):
        return SparseTensor(*parts)
    made = SparseTensor.__new__(SparseTensor)
    made._indices, made._values, made._dense_shape = parts
    made._has_open_shape = like._has_open_shape
    made._shape = like._shape if like._has_open_shape else _static_shape(made._dense_shape._value)
    return made


register_composite(
    SparseTensor, Container(lambda x: [x.indices, x.values, x.dense_shape], _rebuilt)
)
