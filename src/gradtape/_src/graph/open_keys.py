"""Keys of calls with unknown lengths, which select the trace for calls with other shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def is_tensor_key(key: Any) -> bool:
    """Whether a part of a key describes a tensor."""
    return (
        type(key) is tuple
        and len(key) == 2
        and (type(key[0]) is tuple or key[0] is None)
        and hasattr(key[1], "kind")
    )


def with_shapes(key: Any, shapes: Iterator[Any] | None) -> object:
    """Returns a key with other shapes for its tensors, or without shapes if they are None."""
    if is_tensor_key(key):
        return (None if shapes is None else next(shapes), key[1])
    return tuple([with_shapes(x, shapes) for x in key]) if type(key) is tuple else key


def shapes_of(key: Any) -> list[Any]:
    """Returns the shapes of the tensors in a key; None for an unknown rank."""
    if is_tensor_key(key):
        return [key[0]]
    return [s for x in key for s in shapes_of(x)] if type(key) is tuple else []


def is_open(key: Any) -> bool:
    """Whether a key has an unknown length or rank."""
    return any(map(is_open_shape, shapes_of(key)))


def is_open_shape(shape: Any) -> bool:
    """Whether a shape has an unknown length or rank."""
    return shape is None or None in shape


def serves(general: Any, key: Any) -> bool:
    """Whether the trace of a key with unknown lengths can be used for calls of another key."""
    if is_tensor_key(general):
        return (
            is_tensor_key(key)
            and general[1] == key[1]
            and (general[0] is None or _is_special(general[0], key[0]))
        )
    if type(general) is not tuple or type(key) is not tuple or len(general) != len(key):
        return bool(general == key)
    return all(map(serves, general, key))


def _is_special(general: Any, shape: Any) -> bool:
    """Whether a shape is a special case of another one of known rank."""
    if shape is None or len(general) != len(shape):
        return False
    return all(n is None or n == m for n, m in zip(general, shape, strict=True))


def openness(key: Any) -> int:
    """Returns the number of unknown lengths in a key; an unknown rank counts as many."""
    return sum(_MANY if shape is None else shape.count(None) for shape in shapes_of(key))


_MANY = 100


def merged(a: Sequence[Any], b: Sequence[Any] | None) -> tuple[Any, ...] | None:
    """Returns the most specific shape that covers two shapes; None stands for an unknown rank."""
    if b is None or len(a) != len(b):
        return None
    return tuple([x if x == y else None for x, y in zip(a, b, strict=True)])
