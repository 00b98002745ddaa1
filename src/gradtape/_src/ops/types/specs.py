"""`TensorSpec`, `BoundedTensorSpec` and `VariableSpec`: descriptions of tensors and variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.composite_tensor import specs_of
from gradtape._src.base.dtypes import DType, as_dtype, float32, int64
from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices, with_open_shape
from gradtape._src.base.shapes import TensorShape, as_shape, broadcast_static_shape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.variable import Variable
from gradtape._src.ops.types.spec_names import register
from gradtape._src.ops.types.type_spec import BatchableTypeSpec, spec_of_value
from gradtape._src.ops.types.type_spec import TypeSpec as TypeSpec


class DenseSpec(TypeSpec):
    """The base class of specs with a shape and a dtype.

    Args:
      shape: The shape as far as it is known.
      dtype: The type of the elements.
      name: A name.
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = float32, name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether this spec describes a value, or some of the values of another spec.

        Args:
          spec_or_value: A value, or another spec.

        Returns:
          True if the dtypes are equal and the shapes are compatible.
        """
        kinds: tuple[Any, ...] = (DenseSpec, self.value_type)
        return (
            isinstance(spec_or_value, kinds)
            and self._dtype is spec_or_value.dtype
            and self._shape.is_compatible_with(spec_or_value.shape)
        )

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._serialize() == other._serialize()

    def __hash__(self) -> int:
        return hash(self._serialize())

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


@export("TensorSpec")
@register("tf.TensorSpec")
class TensorSpec(DenseSpec, BatchableTypeSpec):
    """The shape and dtype that a tensor has or must have.

    Args:
        shape: The shape as far as it is known, or None.
        dtype: The type of the elements.
        name: A name.

    >>> TensorSpec([2, None], name="x")
    TensorSpec(shape=(2, None), dtype=tf.float32, name='x')
    """

    __slots__ = ()
    _is_leaf = True

    @classmethod
    def from_tensor(cls, tensor: Tensor, name: str | None = None) -> TensorSpec:
        """Describes a tensor.

        Args:
          tensor: A tensor.
          name: The name of the spec. Defaults to that of the operation that computes the tensor,
            if it belongs to a graph.

        Returns:
          A TensorSpec of the tensor's shape and dtype.

        Raises:
          ValueError: `tensor` is not a tensor.
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        if name is None and hasattr(tensor._value, "tensor_name"):  # of a graph
            name = tensor._value.tensor_name.partition(":")[0]
        return cls(tensor.shape, _dtype_in_any_scope(tensor), name)

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """Copies a spec.

        Args:
          spec: A TensorSpec.
          name: The name of the copy. Defaults to that of `spec`.

        Returns:
          A TensorSpec.
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @property
    def value_type(self) -> type[Tensor]:
        """The class of what is described."""
        return Tensor

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Whether a tensor, or a tensor that another spec describes, may match this spec.

        Args:
          spec_or_tensor: A tensor, or another spec.

        Returns:
          True if the dtypes are equal and the shapes are compatible.
        """
        return (
            isinstance(spec_or_tensor, (TensorSpec, Tensor))
            and self._dtype is spec_or_tensor.dtype
            and self._shape.is_compatible_with(spec_or_tensor.shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` describes all tensors that this spec describes.

        Args:
          other: Another spec.

        Returns:
          True if `other` describes all tensors that this spec describes.
        """
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other.dtype
            and self._shape.is_subtype_of(other.shape)
        )

    def most_specific_common_supertype(self, others: Any) -> TensorSpec | None:
        """Returns the most specific spec that describes all tensors of this spec and others.

        Args:
          others: Other specs.

        Returns:
          A spec; None if the dtypes or the names differ.
        """
        shape = self._shape
        for other in others:
            if (
                not isinstance(other, TensorSpec)
                or self._dtype is not other._dtype
                or self._name != other._name
            ):
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
        return TensorSpec(shape, self._dtype, self._name)

    @property
    def _component_specs(self) -> TensorSpec:
        return self

    def _to_components(self, value: Any) -> Any:
        return value

    def _from_components(self, components: Any) -> Any:
        return components

    def flatten(self) -> list[Any]:
        """Returns a list that contains this spec.

        Returns:
          A list of one spec.
        """
        return [self]

    def to_tensors(self, value: Any) -> list[Any]:
        """Returns a list that contains the tensor.

        Args:
          value: The tensor.

        Returns:
          A list of one tensor.

        Raises:
          TypeError: The tensor does not fit the spec.
        """
        made = convert_to_tensor(value, None if isinstance(value, TensorLike) else self.dtype)
        if made.dtype != self.dtype or not self.shape.is_compatible_with(made.shape):
            own = TensorSpec(made.shape, made.dtype)
            raise TypeError(f"Can not cast {own!r} to {self!r}")
        return [made]

    def from_tensors(self, tensors: Iterator[Any]) -> object:
        """Returns the next tensor of an iterator.

        Args:
          tensors: An iterator over tensors.

        Returns:
          A tensor.
        """
        return next(tensors)

    def placeholder_value(self, placeholder_context: Any) -> object:
        """Returns the symbolic tensor for an argument while its function is traced.

        Args:
          placeholder_context: The context that `tf.function` gives to `placeholder_value`.

        Returns:
          A tensor of the graph.
        """
        return placeholder_context.tensor(self)

    def _batch(self, batch_size: int | None) -> TensorSpec:
        return TensorSpec(TensorShape([batch_size]) + self._shape, self._dtype)

    def _unbatch(self) -> TensorSpec:
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        shape = self._shape if self._shape.rank is None else self._shape[1:]
        return TensorSpec(shape, self._dtype)


class BoundedTensorSpec(TensorSpec):
    """The shape and dtype of a tensor, and the smallest and largest values of its elements.

    The bounds are only described: a tensor whose elements lie outside of them is compatible, too.

    Args:
      shape: The shape as far as it is known, or None.
      dtype: The type of the elements.
      minimum: The smallest value, or smallest values that broadcast with the shape.
      maximum: The largest value, or largest values that broadcast with the shape.
      name: A name.

    Raises:
      ValueError: A bound is None, or does not broadcast with the shape.
    """

    __slots__ = ("_maximum", "_minimum")

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        for word, bound in (("minimum", minimum), ("maximum", maximum)):
            if bound is None:
                raise ValueError(f"`{word}` can not be None.")
            try:
                broadcast_static_shape(TensorShape(np.shape(bound)), self._shape)
            except ValueError:
                raise ValueError(
                    f"`{word}` {bound} is not compatible with shape {self._shape}."
                ) from None
        self._minimum = _bound(minimum, self._dtype)
        self._maximum = _bound(maximum, self._dtype)

    @classmethod
    def from_spec(cls, spec: Any) -> BoundedTensorSpec:  # type: ignore[override]
        """Copies a spec; the bounds are those of the dtype if the spec has none.

        Args:
          spec: A TensorSpec or BoundedTensorSpec, or an object with `shape`, `dtype` and `name`.

        Returns:
          A BoundedTensorSpec.

        Raises:
          TypeError: The dtype has no smallest value.
        """
        dtype = as_dtype(spec.dtype)
        low = spec.minimum if hasattr(spec, "minimum") else dtype.min
        high = spec.maximum if hasattr(spec, "maximum") else dtype.max
        return cls(spec.shape, dtype, low, high, spec.name)

    @property
    def minimum(self) -> np.ndarray[Any, Any]:
        """The smallest values, an array that can't be written to."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray[Any, Any]:
        """The largest values, an array that can't be written to."""
        return self._maximum

    def most_specific_common_supertype(self, others: Any) -> None:
        """Returns None: no spec is taken for a common one of two with bounds.

        Args:
          others: Other specs.
        """

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._minimum, self._maximum, self._name

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundedTensorSpec)
            and (self._shape, self._dtype, self._name) == (other._shape, other._dtype, other._name)
            and np.array_equal(self._minimum, other._minimum)
            and np.array_equal(self._maximum, other._maximum)
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )


def _bound(values: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """Converts a bound to an array of a dtype; numbers outside of its range wrap around."""
    made = np.array(values).astype(dtype.as_numpy_dtype)
    made.setflags(write=False)
    return made


class VariableSpec(DenseSpec):
    """Describes a variable: its shape, its dtype and whether it is trainable.

    Args:
      shape: The shape as far as it is known.
      dtype: The type of the elements.
      trainable: Whether tapes watch the variable automatically.
      alias_id: An integer that is equal for specs of the same variable.
    """

    __slots__ = ("alias_id", "trainable")

    def __init__(
        self, shape: Any, dtype: Any = float32, trainable: bool = True, alias_id: int | None = None
    ) -> None:
        super().__init__(shape, dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @property
    def value_type(self) -> type:
        """The class of what is described."""
        return Variable

    @classmethod
    def from_value(cls, value: Any) -> VariableSpec:
        """Describes a variable.

        Args:
          value: The variable.

        Returns:
          A VariableSpec of its shape and dtype.
        """
        return cls(value.shape, value.dtype, value.trainable)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self.trainable, self.alias_id

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec(self._shape, self._dtype)

    def _to_components(self, value: Any) -> Any:
        return convert_to_tensor(value)

    def _from_components(self, components: Any) -> Any:
        return Variable(components, trainable=self.trainable)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a variable, or a variable that another spec describes, may match this spec.

        Args:
          spec_or_value: A variable, or another spec.

        Returns:
          True if `dtype` and `trainable` are equal and the shapes are compatible.
        """
        return (
            isinstance(spec_or_value, (VariableSpec, Variable))
            and self._dtype is spec_or_value.dtype
            and self.trainable == spec_or_value.trainable
            and self._shape.is_compatible_with(spec_or_value.shape)
        )

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable!r}, "
            f"alias_id={self.alias_id!r})"
        )


specs_of[Variable] = VariableSpec.from_value


@export("IndexedSlicesSpec")
class IndexedSlicesSpec(TypeSpec):
    """Describes `tf.IndexedSlices`.

    Args:
      shape: The dense shape as far as it is known.
      dtype: The type of the values.
      indices_dtype: The type of the indices, int32 or int64.
      dense_shape_dtype: The dtype of the dense shape, or None if the slices have no dense shape.
      indices_shape: The shape of the indices, as far as it is known.

    >>> tf.IndexedSlicesSpec([None, 2]).value_type.__name__
    'IndexedSlices'
    """

    __slots__ = ("_dense_shape_dtype", "_dtype", "_indices_dtype", "_indices_shape", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        indices_dtype: Any = int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        kind = dense_shape_dtype
        self._dense_shape_dtype = None if kind is None else as_dtype(kind)
        self._indices_shape = as_shape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> type[IndexedSlices]:
        """The class of what is described."""
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return (
            self._shape,
            self._dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        rows = self._indices_shape
        rest = TensorShape(None) if self._shape.rank is None else self._shape[1:]
        specs = (
            TensorSpec(rows.concatenate(rest), self._dtype),
            TensorSpec(rows, self._indices_dtype),
        )
        if self._dense_shape_dtype is None:
            return specs
        return (*specs, TensorSpec([self._shape.rank], self._dense_shape_dtype))

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        parts = (value.values, value.indices)
        return parts if value.dense_shape is None else (*parts, value.dense_shape)

    def _from_components(self, components: Any) -> IndexedSlices:
        return IndexedSlices(*components)

    def _as_argument(self, value: Any) -> IndexedSlices:
        return with_open_shape(self._to_components(value))

    def _example(self, tensors: Sequence[Any]) -> IndexedSlices:
        return with_open_shape(tensors)


def _spec_of_slices(value: Any) -> IndexedSlicesSpec:
    dense = value.dense_shape
    indices = convert_to_tensor(value.indices)
    kind = None if dense is None else convert_to_tensor(dense).dtype
    rows = value.values.shape
    shape = TensorShape([None]).concatenate(rows[1:]) if dense is None else value.shape
    return IndexedSlicesSpec(shape, value.dtype, indices.dtype, kind, indices.shape)


specs_of[IndexedSlices] = _spec_of_slices


def _dtype_in_any_scope(tensor: Tensor) -> DType:
    """Returns the dtype of a tensor, which may also belong to a graph that is complete."""
    kind = getattr(tensor._value, "np_dtype", None)
    return tensor.dtype if kind is None else as_dtype(kind)


@export("type_spec_from_value")
def type_spec_from_value(value: Any) -> TypeSpec:
    """Describes a tensor, a composite tensor or a value that can be converted to a tensor.

    Args:
      value: The value.

    Returns:
      A TypeSpec that the value is compatible with.

    Raises:
        TypeError: `value` cannot be converted to a tensor.

    >>> type_spec_from_value(1)
    TensorSpec(shape=(), dtype=tf.int32, name=None)
    """
    found = spec_of_value(value)
    if found is not None:
        return found
    try:
        if not isinstance(value, TypeSpec):
            x = convert_to_tensor(value)
            return TensorSpec(x.shape, _dtype_in_any_scope(x))
    except (TypeError, ValueError):
        pass
    raise TypeError(f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.")
