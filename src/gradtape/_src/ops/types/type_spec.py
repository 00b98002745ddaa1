"""`TypeSpec`: descriptions of values, and of the tensors that they consist of.

A class of specs defines `_serialize`, whose result describes a value, and `_component_specs`,
`_to_components` and `_from_components`, which define the tensors that the value consists of.
Everything else is derived from these methods: compatibility, common supertypes, equality, hash,
text and pickling.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self, TypeVar, cast, runtime_checkable

from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape

S = TypeVar("S")


@export("types.experimental.TraceType")
class TraceType:
    """The base class of the types by which `tf.function` distinguishes calls.

    A class whose instances are arguments of functions returns its type from `__tf_tracing_type__`.
    Two calls share a graph if the type of the second call is a subtype of the type of the first.
    """

    __slots__ = ()

    def __init__(self) -> None:
        if type(self) in _ABSTRACT:
            raise TypeError(f"Can't instantiate abstract class {type(self).__name__}")

    def is_subtype_of(self, other: Any) -> bool:
        """Whether a graph that was traced for `other` can be used for arguments of this type.

        Args:
          other: Another type.

        Returns:
          True if the graph can be used.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define is_subtype_of")

    def most_specific_common_supertype(self, others: Sequence[Any]) -> object:
        """Returns the most specific type of which this one and others are subtypes.

        Args:
          others: Other types.

        Returns:
          A type, or None if there isn't one.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not define most_specific_common_supertype"
        )

    def placeholder_value(self, placeholder_context: Any) -> object:
        """Returns the placeholder of an argument while its function is traced.

        Args:
          placeholder_context: The context that is passed to the `placeholder_value` of specs.

        Returns:
          A value of this type.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define placeholder_value")

    def to_tensors(self, value: Any) -> list[Any]:
        """Returns the tensors of a value of this type.

        Args:
          value: A value.

        Returns:
          The list of its tensors, empty by default.
        """
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> object:
        """Makes a value of this type.

        Args:
          tensors: An iterator over the tensors of the value.

        Returns:
          A value.
        """
        return self.placeholder_value(None)

    def flatten(self) -> list[Any]:
        """Returns the specs of the tensors in a value of this type; empty by default.

        Returns:
          A list of `TensorSpec`.
        """
        return []

    def cast(self, value: Any, casting_context: Any) -> object:
        """Converts a value to this type.

        Args:
          value: A value.
          casting_context: Accepted for compatibility.

        Returns:
          A value of this type.

        Raises:
          TypeError: `value` is not of this type.
        """
        if value != self.placeholder_value(None):
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        return value


@export("types.experimental.SupportsTracingProtocol")
@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """A value that defines how `tf.function` traces it as an argument."""

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """Returns the type by which `tf.function` chooses a trace.

        Args:
          context: Made by `tf.function`.

        Returns:
          A TraceType.
        """


@export("TypeSpec")
class TypeSpec(TraceType):
    """Describes a value; the base class of all specs.

    A subclass defines `value_type`, the class of the values; `_serialize`, which returns the tuple
    of the spec's constructor arguments; and `_component_specs`, `_to_components` and
    `_from_components`, which define the tensors that a value consists of.

    >>> spec = tf.RaggedTensorSpec([2, None], tf.int32)
    >>> spec.is_compatible_with(tf.ragged.constant([[1], [2, 3]]))
    True
    """

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        composite = cls._component_specs is not TypeSpec._component_specs
        if composite and not cls._is_leaf:
            nest.register_composite(cls, _OF_SPECS)

    _is_leaf: ClassVar[bool] = False
    """Whether it describes a single tensor, not a value that consists of several."""

    @property
    def value_type(self) -> type:
        """The class of what is described."""
        raise NotImplementedError(f"{type(self).__name__} does not implement `value_type`")

    @property
    def _component_specs(self) -> Any:
        """The specs of the tensors that a value consists of, in a structure."""
        raise NotImplementedError(f"{type(self).__name__} does not define _component_specs")

    def _to_components(self, value: Any) -> Any:
        """Returns the tensors of a value in the structure of `_component_specs`."""
        raise NotImplementedError(f"{type(self).__name__} does not define _to_components")

    def _from_components(self, components: Any) -> Any:
        """Makes a value from tensors in the structure of `_component_specs`."""
        raise NotImplementedError(f"{type(self).__name__} does not define _from_components")

    def _serialize(self) -> tuple[Any, ...]:
        """Returns the constructor arguments of this spec."""
        raise NotImplementedError(f"{type(self).__name__} does not define _serialize")

    @classmethod
    def _deserialize(cls, serialization: Any) -> Self:
        return cls(*serialization)

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        """The specs of the tensors in order."""
        return self.flatten()

    def _to_tensor_list(self, value: Any) -> list[Any]:
        return self.to_tensors(value)

    def _from_tensor_list(self, tensor_list: Sequence[Any]) -> Any:
        specs = self.flatten()
        if len(tensor_list) != len(specs):
            raise ValueError(
                f"{type(self).__name__} is made of {len(specs)} tensors, got {len(tensor_list)}"
            )
        for spec, tensor in zip(specs, tensor_list, strict=True):
            if not spec.is_compatible_with(tensor):
                raise ValueError(f"{tensor!r} is not compatible with {spec!r}")
        return self.from_tensors(iter(tensor_list))

    def _from_compatible_tensor_list(self, tensor_list: Sequence[Any]) -> Any:
        return self.from_tensors(iter(tensor_list))

    def flatten(self) -> list[Any]:
        """Returns the specs of the tensors in a value, in order.

        Returns:
          A list of `TensorSpec`.
        """
        return [s for part in nest.flatten(self._component_specs) for s in part.flatten()]

    def to_tensors(self, value: Any) -> list[Any]:
        """Returns the tensors of a value.

        Args:
          value: A value that is compatible with this spec.

        Returns:
          The list of its tensors, in the order of `flatten()`.
        """
        specs = nest.flatten(self._component_specs)
        parts = nest.flatten(self._to_components(value))
        pairs = zip(specs, parts, strict=True)
        return [tensor for spec, part in pairs for tensor in spec.to_tensors(part)]

    def from_tensors(self, tensors: Iterator[Any]) -> object:
        """Makes a value.

        Args:
          tensors: An iterator over the tensors of the value, in the order of `flatten()`.

        Returns:
          A value that this spec describes.
        """
        specs = self._component_specs
        parts = [spec.from_tensors(tensors) for spec in nest.flatten(specs)]
        return self._from_components(nest.pack_sequence_as(specs, parts))

    def placeholder_value(self, placeholder_context: Any) -> object:
        """Returns the placeholder of an argument while its function is traced.

        Args:
          placeholder_context: The context that makes the tensors of the value.

        Returns:
          A value of the class `value_type`.
        """
        specs = self._component_specs
        parts = [spec.placeholder_value(placeholder_context) for spec in nest.flatten(specs)]
        return self._from_components(nest.pack_sequence_as(specs, parts))

    def cast(self, value: Any, casting_context: Any) -> object:
        """Returns a value if this spec describes it.

        Args:
          value: A value.
          casting_context: Accepted for compatibility.

        Returns:
          The value.

        Raises:
          TypeError: The spec does not describe `value`.
        """
        if not self.is_compatible_with(value):
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        return value

    def _static_key(self) -> Hashable:
        """Returns the information other than the shapes and dtypes of a value's tensors."""
        return type(self), comparable(self._serialize(), tuple(self.flatten()))

    def _as_argument(self, value: Any) -> Any:
        """Returns a value whose static information is limited to that of this spec."""
        return value

    def _example(self, tensors: Sequence[Any]) -> Any:
        """Returns an example value for tracing, with arbitrary elements."""
        return self.from_tensors(iter(tensors))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or some value that another spec describes, is as described here.

        Args:
          spec_or_value: A value, or another spec.

        Returns:
          True if this spec may describe the value.
        """
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            other = spec_of_value(other)
        return type(other) is type(self) and _compatible(self._serialize(), other._serialize())

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` describes all values that this spec describes.

        Args:
          other: Another spec.

        Returns:
          True if `other` describes all values that this spec describes.
        """
        return type(other) is type(self) and _is_part(self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """Returns the most specific spec that describes all values of this spec and others.

        Args:
          others: Other specs.

        Returns:
          A spec, or None if there isn't one.
        """
        common = self
        for other in others:
            if type(other) is not type(self):
                return None
            try:
                parts = _common(common._serialize(), other._serialize())
            except ValueError:
                return None
            common = self._deserialize(parts)
        return common

    def most_specific_compatible_type(self, other: Any) -> Self:
        """Returns the most specific spec that describes all values of this spec and another one.

        Args:
          other: Another spec.

        Returns:
          A spec.

        Raises:
          ValueError: No spec describes both.
        """
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    def describes(self, value: Any) -> bool:
        """Whether a value has the class, dtype and shape that this spec describes.

        Args:
          value: Any object.

        Returns:
          True if this spec describes it.
        """
        if not isinstance(value, self.value_type):
            return False
        shape, dtype = getattr(self, "shape", None), getattr(self, "dtype", None)
        known: Any = value
        return (shape is None or shape.is_compatible_with(known.shape)) and (
            dtype is None or dtype is known.dtype
        )

    def _TypeSpec__make_cmp_key(self, value: Any) -> Hashable:  # noqa: N802 (TensorFlow's name)
        return comparable(value)

    def _TypeSpec__get_cmp_key(self) -> Hashable:  # noqa: N802 (TensorFlow's name)
        return (type(self), comparable(self._serialize()))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TypeSpec)
            and type(other) is type(self)
            and self._TypeSpec__get_cmp_key() == other._TypeSpec__get_cmp_key()
        )

    def __hash__(self) -> int:
        return hash(self._TypeSpec__get_cmp_key())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._deserialize, (self._serialize(),)

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


_OF_SPECS = nest.Container(
    lambda spec: spec.flatten(), lambda like, parts: like.from_tensors(iter(parts))
)


class BatchableTypeSpec(TypeSpec):
    """The base class of specs of batchable values: subclasses define `_batch` and `_unbatch`."""

    __slots__ = ()

    def _batch(self, batch_size: int | None) -> TypeSpec:
        """Returns the spec of batches of the described values; None means an unknown batch size."""
        raise NotImplementedError(f"{type(self).__name__} does not define _batch")

    def _unbatch(self) -> TypeSpec:
        """Returns the spec of the elements of the described batches."""
        raise NotImplementedError(f"{type(self).__name__} does not define _unbatch")


def comparable(value: Any, besides: tuple[Any, ...] = ()) -> Hashable:
    """Returns a structure as one that can be compared and hashed.

    Args:
      value: The structure.
      besides: Specs to ignore.
    """
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *[comparable(x, besides) for x in value])
    if isinstance(value, Mapping):
        parts = [(key, comparable(value[key], besides)) for key in sorted(value)]
        return (type(value).__name__, *parts)
    if isinstance(value, TypeSpec) and value in besides:
        return "..."
    if isinstance(value, TensorShape):
        return "TensorShape", None if value.rank is None else tuple(value.as_list())
    found: Hashable = value
    return found


def _pairs(a: Any, b: Any) -> list[tuple[Any, Any]] | None:
    """Returns pairs of corresponding parts of two structures, or None if the structures differ."""
    if isinstance(a, Mapping):
        return [(a[k], b[k]) for k in a] if a.keys() == b.keys() else None
    return list(zip(a, b, strict=True)) if len(a) == len(b) else None


def _compatible(a: Any, b: Any) -> bool:
    if isinstance(a, (TensorShape, TypeSpec)):
        return a.is_compatible_with(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple, Mapping)):
        pairs = _pairs(a, b)
        return pairs is not None and all(_compatible(x, y) for x, y in pairs)
    return bool(a == b)


def _is_part(a: Any, b: Any) -> bool:
    if isinstance(a, (TensorShape, TraceType)):
        return a.is_subtype_of(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple, Mapping)):
        pairs = _pairs(a, b)
        return pairs is not None and all(_is_part(x, y) for x, y in pairs)
    return bool(a == b)


def _common(a: S, b: Any) -> S:
    """Returns the most specific structure that describes both arguments.

    Raises:
      ValueError: No spec describes both.
    """
    if isinstance(a, TensorShape):
        return cast("S", a.most_specific_compatible_shape(b))
    if isinstance(a, TraceType):
        found = a.most_specific_common_supertype([b])
        if found is None:
            raise ValueError(f"{a!r} and {b!r} have nothing in common")
        return cast("S", found)
    if type(a) is type(b) and isinstance(a, (list, tuple, Mapping)):
        pairs = _pairs(a, b)
        if pairs is not None:
            return nest.rebuild(a, [_common(x, y) for x, y in pairs]) if pairs else a
    elif a == b:
        return a
    raise ValueError(f"{a!r} and {b!r} have nothing in common")


Converter = Callable[[Any], Any]
_CONVERTERS: list[tuple[type, Converter, bool]] = []


def register_type_spec_from_value_converter(
    type_object: type, converter_fn: Converter, allow_subclass: bool = False
) -> None:
    """Registers a function that returns the specs of values of a class.

    Args:
      type_object: The class.
      converter_fn: A function that takes a value and returns its spec, or another value to describe
        instead.
      allow_subclass: Whether the function also applies to subclasses.
    """
    _CONVERTERS.append((type_object, converter_fn, allow_subclass))


def spec_of_value(value: Any) -> TypeSpec | None:
    """Returns the spec of a composite tensor or of a value of a registered class, or None."""
    for kind, convert, subclasses in _CONVERTERS:
        if type(value) is kind or (subclasses and isinstance(value, kind)):
            made = convert(value)
            return made if isinstance(made, TypeSpec) else spec_of_value(made)
    found: TypeSpec | None = getattr(value, "_type_spec", None)
    return found


@export("NoneTensorSpec")
class NoneTensorSpec(BatchableTypeSpec):
    """Describes None, as a component of a structure."""

    __slots__ = ()

    @property
    def value_type(self) -> type[None]:
        """The class of what is described."""
        return type(None)

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        return ()

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        return ()

    def _from_components(self, components: Any) -> None:
        return

    def _batch(self, batch_size: int | None) -> NoneTensorSpec:
        return self

    def _unbatch(self) -> NoneTensorSpec:
        return self


register_type_spec_from_value_converter(type(None), lambda _: NoneTensorSpec())


_ABSTRACT = (TraceType, TypeSpec)
