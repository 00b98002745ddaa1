"""`tensorflow.python.framework.type_spec` and `tensor_spec`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from gradtape._src.base.dtypes import DType, as_dtype, float32
from gradtape._src.base.shapes import TensorShape, as_shape
from gradtape._src.core.variable import Variable
from gradtape._src.ops.types.specs import TensorSpec as TensorSpec
from gradtape._src.ops.types.specs import TypeSpec as TypeSpec
from gradtape._src.ops.types.specs import type_spec_from_value as type_spec_from_value


def _comparable(value: Any) -> Hashable:
    """A structure as one that can be compared and hashed."""
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *map(_comparable, value))
    if isinstance(value, Mapping):
        return tuple((key, _comparable(value[key])) for key in sorted(value))
    if isinstance(value, TensorShape):
        return "TensorShape", None if value.dims is None else tuple(value.dims)
    found: Hashable = value
    return found


class _Compared(TypeSpec):
    """A spec with the private method by which TensorFlow's specs compare themselves."""

    __slots__ = ()

    def _TypeSpec__make_cmp_key(self, value: Any) -> Hashable:  # noqa: N802 (TensorFlow's name)
        return _comparable(value)


class DenseSpec(_Compared):
    """The base of specs of what has a shape and a dtype.

    Args:
      shape: What is known of the shape.
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
        """The name, None if it has none."""
        return self._name

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DenseSpec) and (
            (type(self), self.shape, self.dtype) == (type(other), other.shape, other.dtype)
        )

    def __hash__(self) -> int:
        return hash((type(self), self.shape, self.dtype))


class VariableSpec(DenseSpec):
    """Describes a variable: its shape, its dtype and whether it is trainable.

    Args:
      shape: What is known of the shape.
      dtype: The type of the elements.
      trainable: Whether tapes watch it of their own accord.
      alias_id: Equal numbers for what is one variable.
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

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable!r}, "
            f"alias_id={self.alias_id!r})"
        )

    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other) if isinstance(other, VariableSpec) else False

    def __hash__(self) -> int:
        return hash(repr(self))


class BatchableTypeSpec(_Compared):
    """The base of specs of which there are batches: a subclass gives `_batch` and `_unbatch`."""
