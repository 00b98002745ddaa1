"""`TensorSpec`: what is known of a tensor beforehand."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import DType, as_dtype, float32
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape, as_shape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor


@export("TypeSpec")
class TypeSpec:
    """Describes a value beforehand; the base of all specs.

    A subclass says in `value_type` what class of values it describes.
    """

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """The class of what is described."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it describes")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or some value that another spec describes, is as described here.

        Args:
          spec_or_value: A value, or another spec.

        Returns:
          True if it may be as described here.
        """
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        return type(other) is type(self) and other == self

    def describes(self, value: Any) -> bool:
        """Whether a value is of the class, dtype and shape described.

        Args:
          value: Any object.

        Returns:
          True if it is as described here.
        """
        if not isinstance(value, self.value_type):
            return False
        shape, dtype = getattr(self, "shape", None), getattr(self, "dtype", None)
        known: Any = value
        return (shape is None or shape.is_compatible_with(known.shape)) and (
            dtype is None or dtype is known.dtype
        )


@export("TensorSpec")
class TensorSpec(TypeSpec):
    """The shape and dtype that a tensor has or must have.

    Args:
        shape: What is known of the shape, None if nothing.
        dtype: The type of the elements.
        name: A name.

    >>> TensorSpec([2, None], name="x")
    TensorSpec(shape=(2, None), dtype=tf.float32, name='x')
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = float32, name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_tensor(cls, tensor: Tensor, name: str | None = None) -> TensorSpec:
        """Describes a tensor.

        Args:
          tensor: A tensor.
          name: The name of the spec.

        Returns:
          A TensorSpec of the tensor's shape and dtype.

        Raises:
          ValueError: `tensor` is something else.
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        return cls(tensor.shape, tensor.dtype, name)

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
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, None if it has none."""
        return self._name

    @property
    def value_type(self) -> type[Tensor]:
        """The class of what is described."""
        return Tensor

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a tensor, or some tensor that another spec describes, is as described here.

        Args:
          spec_or_value: A tensor, or another spec.

        Returns:
          True if the dtype is this one, and the shape may be.
        """
        return (
            isinstance(spec_or_value, (TensorSpec, Tensor))
            and self._dtype is spec_or_value.dtype
            and self._shape.is_compatible_with(spec_or_value.shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether all that is described here `other` describes too.

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

    def most_specific_compatible_type(self, other: Any) -> TensorSpec:
        """Returns the closest spec that describes both; ValueError if the dtypes differ.

        Args:
          other: Another spec.

        Returns:
          The closest spec that describes what either describes.

        Raises:
          ValueError: The dtypes differ.
        """
        if not isinstance(other, TensorSpec) or self._dtype is not other.dtype:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        shape = self._shape.most_specific_compatible_shape(other.shape)
        return TensorSpec(shape, self._dtype, self._name if self._name == other.name else None)

    def _key(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorSpec, self._key()


@export("type_spec_from_value")
def type_spec_from_value(value: Any) -> TypeSpec:
    """Describes a tensor, a composite tensor or what can become a tensor.

    Args:
      value: The value.

    Returns:
      A TypeSpec that the value is compatible with.

    Raises:
        TypeError: If `value` cannot become a tensor.

    >>> type_spec_from_value(1)
    TensorSpec(shape=(), dtype=tf.int32, name=None)
    """
    if isinstance(value, TypeSpec):
        return value
    if isinstance(value, CompositeTensor):
        spec: TypeSpec = value._type_spec
        return spec
    try:
        return TensorSpec.from_tensor(convert_to_tensor(value))
    except (TypeError, ValueError):
        raise TypeError(
            f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}."
        ) from None
