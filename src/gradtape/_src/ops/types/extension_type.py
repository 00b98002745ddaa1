"""`ExtensionType`: user-defined classes that consist of several tensors."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dispatch import shorten_errors
from gradtape._src.base.export import export
from gradtape._src.base.nest import Container, register_composite
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.array.joining import stack, unstack
from gradtape._src.ops.elementwise.comparison import equal
from gradtape._src.ops.reduce.reductions import reduce_all
from gradtape._src.ops.types.extension_fields import (
    NO_DEFAULT,
    Field,
    ImmutableDict,
    check_annotation,
    components,
    converted,
    is_component,
    replaced,
    resolved,
)
from gradtape._src.ops.types.spec_names import register
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec

_FROZEN = "Cannot mutate attribute `{}` outside the custom constructor of ExtensionType."


class _Checked(type):
    """The metaclass of extension types: constructs, converts, validates and freezes instances."""

    @shorten_errors
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        fields = cls._tf_extension_type_fields()  # type: ignore[attr-defined]
        new: Any = cls.__new__(cls)  # type: ignore[call-overload]
        object.__setattr__(new, "_open", True)
        new.__init__(*args, **kwargs)
        if missing := {field.name for field in fields} - set(vars(new)):
            raise ValueError(f"Missing required fields: {missing}")
        specs = isinstance(new, ExtensionTypeSpec)
        values = {f.name: converted(vars(new)[f.name], f.kind, f.name, specs) for f in fields}
        vars(new).clear()
        vars(new).update(values)
        if not specs:
            new.__validate__()
        return new


class _Fields(metaclass=_Checked):
    """An immutable object with typed fields."""

    _fields: ClassVar[tuple[Field, ...]] = ()
    _read: ClassVar[bool] = True
    _owner: ClassVar[Any] = None
    _open: ClassVar[bool] = False  # not for an instance that is being constructed

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        bound = _signature(type(self)).bind(*args, **kwargs)
        bound.apply_defaults()
        vars(self).update(bound.arguments)

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[Field, ...]:
        """Returns the fields in order, beginning with those of the base classes."""
        if not cls._read:
            owner = cls._owner
            cls._fields = tuple(
                Field(f.name, resolved(f.kind, owner), f.default) for f in cls._fields
            )
            cls._read = True
        return cls._fields

    def __setattr__(self, name: str, value: Any) -> None:
        if not self._open:
            raise AttributeError(_FROZEN.format(name))
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if not self._open:
            raise AttributeError(_FROZEN.format(name))
        super().__delattr__(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), dict(vars(self)))


def _made(cls: type, values: dict[str, Any]) -> Any:
    """Returns an instance without checking the values."""
    new: Any = object.__new__(cls)
    vars(new).update(values)
    return new


def _signature(cls: type[_Fields]) -> inspect.Signature:
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    seen, parameters = False, []
    for field in cls._tf_extension_type_fields():
        seen_here = field.default is not NO_DEFAULT
        # as in TensorFlow, a field without a default may follow a field with one
        kind = kinds[seen and not seen_here]
        parameters.append(inspect.Parameter(field.name, kind, default=field.default))
        seen = seen or seen_here
    parameters.sort(key=lambda parameter: parameter.kind)
    return inspect.Signature(parameters)


@export("experimental.ExtensionTypeSpec")
class ExtensionTypeSpec(_Fields, TypeSpec):
    """Describes values of an extension type: specs for tensors, and the values of other fields."""

    _value_type: ClassVar[Any] = None

    @property
    def value_type(self) -> type:
        """The class of the values that the spec describes."""
        out: type = self._value_type
        return out

    def _parts(self) -> list[Any]:
        return [part for value in vars(self).values() for part in _spec_parts(value)]

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether this spec may describe a value, or the values of another spec.

        Args:
          spec_or_value: A value, or a spec.

        Returns:
          True if the spec may describe it.
        """
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        if type(other) is not type(self):
            return False
        mine, its = self._parts(), other._parts()
        return (
            len(mine) == len(its)
            and all(a.is_compatible_with(b) for a, b in zip(mine, its, strict=True))
            and _static(self) == _static(other)
        )

    def describes(self, value: Any) -> bool:
        """Whether the spec describes a value.

        Args:
          value: A value.

        Returns:
          True if the spec describes it.
        """
        return self.is_compatible_with(value)

    def _serialize(self) -> tuple[Any, ...]:
        return tuple(vars(self).items())

    @classmethod
    def _deserialize(cls, serialization: Any) -> Self:
        fields = {name: _with_parts(value, lambda part: part) for name, value in serialization}
        made: Self = _made(cls, fields)
        return made

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        return tuple(self._parts())

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        return tuple(_parts_of(value))

    def _from_components(self, components: Any) -> Any:
        following = iter(components)
        fields = {k: _in_place_of_specs(v, following) for k, v in vars(self).items()}
        return _made(self._value_type, fields)

    def _over_parts(self, f: Any) -> Self:
        """Returns a spec of this class in which a function is applied to each component's spec."""
        values = {name: _with_parts(value, f) for name, value in vars(self).items()}
        made: Self = _made(type(self), values)
        return made

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={_shown(value)}" for name, value in vars(self).items())
        return f"{type(self).__qualname__}({fields})"


def _shown(value: Any) -> str:
    return repr(dict(value)) if isinstance(value, ImmutableDict) else repr(value)


def _spec_parts(value: Any) -> list[Any]:
    if isinstance(value, TypeSpec):
        return [value]
    children: Any = value if isinstance(value, tuple) else ()
    if isinstance(value, Mapping):
        children = [value[key] for key in sorted(value)]
    return [part for child in children for part in _spec_parts(child)]


def _in_place_of_specs(value: Any, following: Iterator[Any]) -> Any:
    """Returns the value of a field in which specs are replaced by components, in order."""
    if isinstance(value, TypeSpec):
        return next(following)
    if type(value) is tuple:
        return tuple([_in_place_of_specs(child, following) for child in value])
    if isinstance(value, Mapping):
        new = {key: _in_place_of_specs(value[key], following) for key in sorted(value)}
        return ImmutableDict((key, new[key]) for key in value)
    return value


def _with_parts(value: Any, f: Any) -> Any:
    if isinstance(value, TypeSpec):
        return f(value)
    if type(value) is tuple:
        return tuple([_with_parts(child, f) for child in value])
    if isinstance(value, Mapping):
        return ImmutableDict((key, _with_parts(child, f)) for key, child in value.items())
    return f(value) if is_component(value) else value


def _static(value: _Fields) -> str:
    """Returns all parts that are not tensors."""
    return repr({k: _with_parts(v, lambda _: ...) for k, v in vars(value).items()})


@export("experimental.ExtensionType")
class ExtensionType(_Fields, CompositeTensor):
    """A class with typed fields that works where tensors do: in `nest`, functions and datasets.

    A subclass annotates its fields: tensors, other extension types, numbers, strings, dtypes,
    shapes, and tuples, mappings and unions of these. Its constructor takes them in order, converts
    the values and calls `__validate__`. The instance is immutable. The subclass's `Spec` describes
    its values.

    Raises (from the constructor): TypeError: A field's value does not have the annotated type, or a
      field is missing or unknown.

    >>> class Masked(ExtensionType):
    ...     values: Tensor
    ...     mask: Tensor
    >>> Masked([1.0, 2.0], [True, False]).values.numpy().tolist()
    [1.0, 2.0]
    """

    Spec: ClassVar[Any] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = inspect.get_annotations(cls)
        _check_attributes(cls, own)
        fields = {field.name: field for field in cls._fields}
        for name, kind in own.items():
            try:
                check_annotation(kind)
            except TypeError as error:
                raise TypeError(f"In field {name!r}: {error}") from error
            default = vars(cls).get(name, NO_DEFAULT)
            if default is not NO_DEFAULT and not isinstance(kind, str):
                default = converted(default, kind, f"default value for {name}", False)
            fields[name] = Field(name, kind, default)
        cls._fields, cls._owner, cls._read = tuple(fields.values()), cls, False
        described = tuple(Field(f.name, f.kind, NO_DEFAULT) for f in cls._fields)
        members = {"_fields": described, "_owner": cls, "_read": False, "_value_type": cls}
        named = {"__module__": cls.__module__, "__qualname__": f"{cls.__name__}.Spec"}
        cls.Spec = type("Spec", (ExtensionTypeSpec,), {**members, **named})
        if "__name__" in cls.__dict__:
            register(f"{cls.__dict__['__name__']}.Spec")(cls.Spec)
        register_composite(cls, Container(_parts_of, _rebuilt))

    def __new__(cls, *args: Any, **kwargs: Any) -> ExtensionType:  # noqa: PYI034 (a metaclass)
        if cls in (ExtensionType, BatchableExtensionType):
            raise AssertionError(
                f"Cannot create an instance of {cls.__name__} because {cls.__name__} is an "
                "abstract base class."
            )
        return object.__new__(cls)

    def __validate__(self) -> None:
        """Checks the fields. Subclasses override it and raise an error for invalid values."""

    @property
    def _type_spec(self) -> Any:
        return _made(self.Spec, {k: _with_parts(v, _spec) for k, v in vars(self).items()})

    @property
    def _static_fields(self) -> tuple[Any, ...]:
        """Returns the parts other than tensors on which a compiled function depends."""
        return ((str, _static(self)),)

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other):
            return False
        mine, its = _parts_of(self), _parts_of(other)
        if len(mine) != len(its) or _static(self) != _static(other):
            return convert_to_tensor(False)
        result: Any = convert_to_tensor(True)
        for a, b in zip(mine, its, strict=True):
            result = result & _same(a, b)
        return result

    def __ne__(self, other: object) -> Any:
        same = self == other
        return ~same if isinstance(same, Tensor) else not same

    __hash__ = None  # type: ignore[assignment]  # equality is a tensor

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__qualname__}({fields})"


def _same(a: Any, b: Any) -> Any:
    if isinstance(a, CompositeTensor):
        return a == b
    if a.dtype is not b.dtype or shape_of(a) != shape_of(b):
        return convert_to_tensor(False)
    return reduce_all(equal(a, b))


def _check_attributes(cls: type, annotated: Mapping[str, Any]) -> None:
    for name, value in vars(cls).items():
        plain = not (callable(value) or hasattr(value, "__get__") or name.startswith("_"))
        if plain and name not in annotated:
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name} is missing "
                "a type annotation."
            )


def _spec(x: Any) -> Any:
    return x._type_spec if isinstance(x, CompositeTensor) else TensorSpec(x.shape, x.dtype)


def _parts_of(value: Any) -> list[Any]:
    return [part for field in vars(value).values() for part in components(field)]


def _rebuilt(like: Any, parts: list[Any]) -> Any:
    following = iter(parts)
    fields = {k: replaced(v, following) for k, v in vars(like).items()}
    return _made(type(like), fields)


@export("experimental.BatchableExtensionType")
class BatchableExtensionType(ExtensionType):
    """An extension type whose tensors all have rows along their first axes.

    `tf.vectorized_map`, `tf.map_fn` and datasets split its values into rows, which are values of
    the same class, and stack rows.
    """

    def _each_row(self) -> list[Any]:
        columns = [
            part._each_row() if isinstance(part, CompositeTensor) else unstack(part)
            for part in _parts_of(self)
        ]
        return [_rebuilt(self, list(row)) for row in zip(*columns, strict=True)]

    @classmethod
    def _of_rows(cls, rows: list[Any]) -> Any:
        """Stacks values along a new first axis."""
        columns = zip(*map(_parts_of, rows), strict=True)
        parts = [
            column[0]._of_rows(list(column))
            if isinstance(column[0], BatchableExtensionType)
            else stack(list(column))
            for column in columns
        ]
        return _rebuilt(rows[0], parts)

    def _length(self) -> int:
        first = _parts_of(self)[0]
        return first._length() if hasattr(first, "_length") else int(shape_of(first)[0])


class AnonymousExtensionType(ExtensionType):
    """A value of an extension type whose class the program does not have.

    Functions of loaded models return such values if the loading program lacks a class of the
    program that saved the model. The fields are attributes.
    """


def batch_spec(spec: ExtensionTypeSpec, size: int | None) -> ExtensionTypeSpec:
    """Returns the spec of batches of the values that a spec describes."""
    return spec._over_parts(
        lambda part: (
            batch_spec(part, size)
            if isinstance(part, ExtensionTypeSpec)
            else TensorSpec(TensorShape([size]) + part.shape, part.dtype)
        )
    )


def unbatch_spec(spec: ExtensionTypeSpec) -> ExtensionTypeSpec:
    """Returns the spec of the rows of the values that a spec describes."""
    return spec._over_parts(
        lambda part: (
            unbatch_spec(part)
            if isinstance(part, ExtensionTypeSpec)
            else TensorSpec(part.shape[1:], part.dtype)
        )
    )


def opened(structure: Any) -> bool:
    """Whether the leaves of a structure are batchable, so that `nest` has to flatten them.

    Raises:
        ValueError: Some leaves are batchable, and others are composite tensors of another kind.
    """
    kinds = [isinstance(x, BatchableExtensionType) for x in nest.flatten(structure)]
    if not any(kinds):
        return False
    for leaf in nest.flatten(structure):
        if isinstance(leaf, CompositeTensor) and not isinstance(leaf, BatchableExtensionType):
            raise ValueError(
                f"vectorized_map: a {type(leaf).__name__} can't be combined with a "
                "BatchableExtensionType: pass its tensors"
            )
    return True


@export("experimental.extension_type.as_dict")
def as_dict(value: ExtensionType) -> dict[str, Any]:
    """Returns the fields of an extension type.

    Args:
      value: An object of a subclass of `tf.experimental.ExtensionType`.

    Returns:
      A dictionary of the fields' names and values.

    >>> class Interval(tf.experimental.ExtensionType):
    ...     low: float
    ...     high: float
    >>> tf.experimental.extension_type.as_dict(Interval(1.0, 2.0))
    {'low': 1.0, 'high': 2.0}
    """
    return {field.name: getattr(value, field.name) for field in value._tf_extension_type_fields()}
