"""Telling calls apart: what of the arguments a traced function depends on, and what changed."""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.graph.composite_arguments import (
    SHAPES,
    VALUES,
    Specialization,
    StaticValue,
    is_composite,
    is_small,
    parts_of,
    stand_in,
)
from gradtape._src.graph.replica_hooks import SplitPlaceholder

PLAIN = frozenset({int, float, bool, complex, str, bytes, type(None)})
"""Types of Python values that calls are told apart by."""


class IdentityKey:
    """An object as part of a key, which doesn't keep it alive if possible.

    It is equal to itself, and to what it says itself that it is equal to.
    """

    __slots__ = ("_hash", "_ref", "_strong")

    def __init__(self, value: Any) -> None:
        try:
            self._hash = hash(value)  # of its address, unless it says otherwise
        except TypeError:  # no hash
            self._hash = id(value)
        self._strong = None
        try:
            self._ref: Any = weakref.ref(value)
        except TypeError:
            self._ref, self._strong = None, value

    @property
    def value(self) -> object:
        return self._ref() if self._ref is not None else self._strong

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IdentityKey) or self._hash != other._hash:
            return False
        mine, its = self.value, other.value
        if mine is None or its is None or mine is its:
            return mine is its and mine is not None
        return type(mine) is type(its) and (mine == its) is True

    def __repr__(self) -> str:
        value = self.value
        name = getattr(value, "name", None) or getattr(value, "__name__", None)
        return f"the {type(value).__name__}{f' {name!r}' if isinstance(name, str) else ''}"


def tensor_key(x: Tensor) -> tuple[Any, Any]:
    """The shape and dtype of a tensor argument."""
    held = x._device
    if held is None:
        return x._value.shape, x._value.dtype
    key = x._key = (held.shape, held.dtype)  # which JAX takes its time to tell
    return key


def _is_tensor_key(key: Any) -> bool:
    return type(key) is tuple and type(key[0]) is tuple


def describe(value: Any, leaves: list[Tensor], level: Specialization = SHAPES) -> Hashable:
    """The part of a key that stands for an argument; its tensors are appended to `leaves`.

    Args:
      value: The argument.
      leaves: Where its tensors go, in order.
      level: What is part of the key besides shapes and dtypes.
    """
    kind = type(value)
    if kind is Tensor:
        if level is VALUES and is_small(value):
            return StaticValue(value._numpy())
        leaves.append(value)
        return tensor_key(value)
    if kind in PLAIN:
        plain = value and value == value  # 0.0 is not -0.0, and NaN is not itself  # noqa: PLR0124
        return kind, value if plain else repr(value)
    if kind is tuple or kind is list:
        return (kind, *[describe(x, leaves, level) for x in value])
    if hasattr(kind, "_described_parts"):
        known: Hashable = value._described_parts(leaves, level)
        return known
    if isinstance(value, (np.ndarray, np.generic)):
        return describe(convert_to_tensor(value), leaves, level)
    if isinstance(value, Variable):
        return Variable, IdentityKey(value)
    if nest.is_nested(value):
        children = nest.children_of(value)
        return (kind, *_static(value), *[describe(x, leaves, level) for x in children])
    if is_composite(kind):
        said = getattr(value, "_static_fields", ())
        parts = parts_of(value, level)
        return (
            kind,
            *said,
            *[x if type(x) is StaticValue else describe(x, leaves, level) for x in parts],
        )
    return kind, _object(value)


def _static(container: Any) -> Sequence[Any]:
    """Returns the parts of a container that its elements do not say."""
    if hasattr(container, "__tf_flatten__"):
        return [describe(x, []) for x in container.__tf_flatten__()[0]]
    return sorted(container) if isinstance(container, dict) else ()


def _object(value: Any) -> IdentityKey:
    """The part of a key that stands for an object.

    Raises:
      TypeError: `value` can't be hashed.
    """
    if type(value).__hash__ is None:
        raise TypeError(
            f"an argument of tf.function of the class {type(value).__name__} can't tell one call "
            "from another: it is not a tensor, list, tuple or dictionary, and can't be hashed. "
            "Give the class a __hash__, or pass what it holds"
        )
    return IdentityKey(value)


def template_of(value: Any, level: Specialization = SHAPES) -> object:
    """An argument with placeholders for its tensors; `filled` puts others there."""
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        known = level is VALUES and is_small(value)
        return StaticValue(value).tensor() if known else PLACEHOLDER
    if isinstance(value, Variable):
        return value
    if hasattr(type(value), "_described_parts"):
        return value._placeholder(level)
    if nest.is_nested(value):
        return nest.map_structure(lambda x: template_of(x, level), value)
    if is_composite(type(value)):
        parts = parts_of(value, level)
        return stand_in(
            value, [x.tensor() if type(x) is StaticValue else template_of(x, level) for x in parts]
        )
    return value


def placeholders(template: Any) -> list[Any]:
    """Lists what stands for tensors in a template, in order."""
    flat = nest.flatten(template, True)
    return [x for x in flat if x is PLACEHOLDER or isinstance(x, SplitPlaceholder)]


class _Placeholder:
    def __repr__(self) -> str:
        return "a tensor"


PLACEHOLDER = _Placeholder()


def filled(template: Any, tensors: Sequence[Tensor]) -> Any:
    """A template with tensors in its placeholders, in order."""
    following = iter(tensors)
    flat = [
        next(following)
        if x is PLACEHOLDER
        else x.fill(next(following))
        if isinstance(x, SplitPlaceholder)
        else x
        for x in nest.flatten(template, True)
    ]
    return nest.pack_sequence_as(template, flat, expand_composites=True)


def difference(names: Sequence[str], new: Any, old: Any) -> list[str]:
    """Returns the differences between two keys, argument by argument."""
    said: list[str] = []
    for i, (a, b) in enumerate(zip(new, old, strict=False)):
        if a != b:
            _compare(names[i] if i < len(names) else f"argument {i}", a, b, said)
    if len(new) != len(old):
        said.append(f"{len(new)} arguments in the place of {len(old)}")
    return said


def _compare(name: str, new: Any, old: Any, said: list[str]) -> None:
    if (
        type(new) is type(old) is tuple
        and not _is_tensor_key(new)
        and len(new) == len(old)
        and new[0] is old[0]
        and len(new) > 1
    ):
        if new[0] in PLAIN:
            said.append(f"{name}: the Python value {old[1]!r} became {new[1]!r}")
            return
        if isinstance(new[1], IdentityKey):
            said.append(f"{name}: {new[1]!r} is another object")
            return
        for i, (a, b) in enumerate(zip(new[1:], old[1:], strict=True)):
            if a != b:
                _compare(f"{name}[{i}]", a, b, said)
        return
    if _is_tensor_key(new) and _is_tensor_key(old):
        parts = []
        if new[0] != old[0]:
            parts.append(f"shape {tuple(old[0])} became {tuple(new[0])}")
        if new[1] != old[1]:
            parts.append(f"dtype {old[1]} became {new[1]}")
        said.append(f"{name}: {', '.join(parts)}")
        return
    if type(new) is type(old) is StaticValue:
        said.append(f"{name}: {old!r} became {new!r}")
        return
    said.append(f"{name}: {describe_part(old)} became {describe_part(new)}")


def describe_part(key: Any) -> str:
    """Describes an argument by its part of a key, in a few words."""
    if _is_tensor_key(key):
        return f"a tensor of shape {key[0]} and dtype {key[1]}"
    if type(key) is StaticValue:
        return repr(key)
    if key[0] in PLAIN or isinstance(key[1] if len(key) > 1 else None, IdentityKey):
        return repr(key[1])
    return getattr(key[0], "__name__", str(key[0]))
