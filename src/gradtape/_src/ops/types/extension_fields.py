"""The fields of extension types: their annotations, and checks of their values."""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec

NO_DEFAULT = inspect.Parameter.empty
_PLAIN = (int, float, str, bytes, bool, type(None))
_UNIONS = (typing.Union, types.UnionType)
_MAPPINGS = (Mapping, typing.Mapping)


class Field(NamedTuple):
    """A field of an extension type.

    Attributes:
        name: The field's name.
        kind: The field's annotation; a string if it names a class that is not defined yet.
        default: The field's default value, or `NO_DEFAULT`.
    """

    name: str
    kind: Any
    default: Any


class ImmutableDict(Mapping[str, Any]):
    """An immutable mapping, which fields store in place of a dictionary.

    Args:
        items: A mapping, or an iterable of pairs.
    """

    def __init__(self, items: Any = ()) -> None:
        self._items = dict(items)

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items})"

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))


def check_annotation(kind: Any) -> None:
    """Raises TypeError for an annotation that is not supported for fields."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, (str, typing.ForwardRef)) or kind is None:
        return
    if origin is tuple and parts:
        inner = parts[:-1] if parts[-1] is Ellipsis else parts
    elif origin in _UNIONS or (origin in _MAPPINGS and parts):
        inner = parts
    elif isinstance(kind, type) and issubclass(
        kind, (*_PLAIN, DType, TensorShape, TensorLike, CompositeTensor, TypeSpec)
    ):
        return
    else:
        named = repr(kind.__name__) if isinstance(kind, type) or kind is Any else repr(kind)
        raise TypeError(f"Unsupported type annotation {named}")
    for part in inner:
        check_annotation(part)


def resolved(kind: Any, owner: type) -> object:
    """Returns an annotation whose names are looked up in the module that defines the class.

    Raises:
        NameError: A name is not defined.
    """
    if isinstance(kind, typing.ForwardRef):
        kind = kind.__forward_arg__
    if isinstance(kind, str):
        space = vars(sys.modules[owner.__module__])
        kind = eval(kind, dict(space), {owner.__name__: owner})  # noqa: S307 (an annotation)
        check_annotation(kind)
        return resolved(kind, owner)
    parts = typing.get_args(kind)
    if not any(isinstance(part, (str, typing.ForwardRef)) for part in parts):
        return kind
    origin: Any = typing.get_origin(kind)
    inner = tuple(resolved(part, owner) for part in parts)
    return functools.reduce(operator.or_, inner) if origin in _UNIONS else origin[inner]


def converted(value: Any, kind: Any, where: str, specs: bool) -> object:
    """Converts a value to its annotated type.

    Args:
        value: The program's argument.
        kind: The annotation.
        where: The field's name, for the message.
        specs: Whether the value holds specs in place of tensors.

    Raises:
        TypeError: `value` does not have the annotated type.
    """
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in _UNIONS:
        return _one_of(value, kind, where, specs)
    if origin is tuple:
        return _tuple(value, parts, where, specs)
    if origin in _MAPPINGS:
        return _mapping(value, parts, where, specs)
    kind = type(None) if kind is None else kind
    if issubclass(kind, TensorLike):
        return _tensor(value, kind, where, specs)
    if issubclass(kind, CompositeTensor) and specs:
        if isinstance(value, TypeSpec) and issubclass(value.value_type, kind):
            return value
        raise TypeError(f"{where}: expected a TypeSpec for {kind.__name__!r}, got {value!r}")
    if kind is DType or kind is TensorShape:
        try:
            return as_dtype(value) if kind is DType else TensorShape(value)
        except (TypeError, ValueError) as error:
            raise _unexpected(value, kind, where) from error
    if not isinstance(value, kind):
        raise _unexpected(value, kind, where)
    return value


def _mapping(value: Any, parts: tuple[Any, ...], where: str, specs: bool) -> Any:
    if not isinstance(value, Mapping):
        raise TypeError(f"{where}: expected mapping, got {type(value).__name__!r}")
    key_kind, item_kind = parts
    return ImmutableDict(
        (
            converted(key, key_kind, f"{where}[<key>]", specs),
            converted(item, item_kind, f"{where}[{key!r}]", specs),
        )
        for key, item in value.items()
    )


def _unexpected(value: Any, kind: type, where: str) -> TypeError:
    return TypeError(f"{where}: expected {kind.__name__!r}, got {type(value).__name__!r}")


def _tensor(value: Any, kind: Any, where: str, specs: bool) -> Any:
    if specs:
        if isinstance(value, TensorSpec):
            return value
        raise TypeError(f"{where}: expected a TensorSpec, got {type(value).__name__!r}")
    if isinstance(value, kind):
        return value
    try:
        if kind is Tensor and not isinstance(value, CompositeTensor):
            return convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{where}: expected a Tensor, got {type(value).__name__!r}") from error
    raise TypeError(f"{where}: expected a {kind.__name__}, got {type(value).__name__!r}")


def _tuple(value: Any, parts: tuple[Any, ...], where: str, specs: bool) -> Any:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{where}: expected tuple, got {type(value).__name__!r}")
    kinds = parts[:1] * len(value) if parts[-1] is Ellipsis else parts
    if len(kinds) != len(value):
        raise TypeError(f"{where}: expected tuple of length {len(kinds)}, got {value!r}")
    pairs = enumerate(zip(value, kinds, strict=True))
    return tuple(converted(x, kind, f"{where}[{i}]", specs) for i, (x, kind) in pairs)


def _one_of(value: Any, kind: Any, where: str, specs: bool) -> Any:
    for option in typing.get_args(kind):
        try:
            return converted(value, option, where, specs)
        except TypeError:
            continue
    raise TypeError(f"{where}: expected {kind}, got {type(value).__name__!r}")


def is_component(value: Any) -> bool:
    """Whether a value is a component that `nest` finds in an extension type."""
    return isinstance(value, (TensorLike, CompositeTensor))


def components(value: Any) -> Iterator[Any]:
    """Yields the tensors in the value of a field, in order."""
    if is_component(value):
        yield value
    elif isinstance(value, tuple):
        for child in value:
            yield from components(child)
    elif isinstance(value, Mapping):
        for key in sorted(value):
            yield from components(value[key])


def replaced(value: Any, following: Iterator[Any]) -> object:
    """Returns the value of a field in which its tensors are replaced in order."""
    if is_component(value):
        return next(following)
    if type(value) is tuple:
        return tuple([replaced(child, following) for child in value])
    if isinstance(value, Mapping):
        new = {key: replaced(value[key], following) for key in sorted(value)}
        return ImmutableDict((key, new[key]) for key in value)
    return value
