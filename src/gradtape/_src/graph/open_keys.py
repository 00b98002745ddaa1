"""Keys of calls whose tensors have other shapes: which trace with unknown lengths serves a call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gradtape._src.declare.unknown_sizes import Decisions


def is_tensor_key(key: Any) -> bool:
    """Whether part of a key stands for a tensor."""
    return (
        type(key) is tuple and len(key) == 2 and type(key[0]) is tuple and hasattr(key[1], "kind")
    )


def with_shapes(key: Any, shapes: Iterator[Any] | None) -> object:
    """A key with other shapes for its tensors; with their ranks alone if these are None."""
    if is_tensor_key(key):
        return (len(key[0]) if shapes is None else next(shapes), key[1])
    return tuple([with_shapes(x, shapes) for x in key]) if type(key) is tuple else key


def shapes_of(key: Any) -> list[Any]:
    """The shapes of the tensors in a key."""
    if is_tensor_key(key):
        return [key[0]]
    return [s for x in key for s in shapes_of(x)] if type(key) is tuple else []


def is_open(key: Any) -> bool:
    """Whether a key has an unknown length."""
    return any(None in shape for shape in shapes_of(key))


def serves(general: Any, key: Any) -> bool:
    """Whether a trace of a key with unknown lengths is for calls of another key, too."""
    if is_tensor_key(general):
        return (
            is_tensor_key(key)
            and general[1] == key[1]
            and len(general[0]) == len(key[0])
            and all(n is None or n == m for n, m in zip(general[0], key[0], strict=True))
        )
    if type(general) is not tuple or type(key) is not tuple or len(general) != len(key):
        return bool(general == key)
    return all(map(serves, general, key))


def openness(key: Any) -> int:
    """Returns the number of unknown lengths in a key."""
    return sum(shape.count(None) for shape in shapes_of(key))


def merged(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, ...]:
    """A shape that two shapes of one rank are special cases of."""
    return tuple([x if x == y else None for x, y in zip(a, b, strict=True)])


def unknown_specs(
    specs: Sequence[Any], shapes: Sequence[Any], decisions: Decisions
) -> tuple[list[Any], list[tuple[str, int, int]]]:
    """Specs with unknown lengths, and by which name each of them goes, of which leaf and axis."""
    made, named = [], []
    for leaf, ((_, dtype), shape) in enumerate(zip(specs, shapes, strict=True)):
        own: list[Any] = list(shape)
        for axis, n in enumerate(shape):
            if n is None:
                own[axis] = decisions.new()
                named.append((own[axis].code, leaf, axis))
        made.append((tuple(own), dtype))
    return made, named
