"""Keys such as `x[:n, i]`, in which positions are tensors that a graph computes when it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New
from gradtape._src.declare.unknown_sizes import UnknownRank


class _Between(NamedTuple):
    """A slice whose bounds may be placeholders for unknown positions."""

    start: Any
    stop: Any
    step: Any


_PLACE = object()


class KeyParts:
    """A key with placeholders for positions that are not known yet, and these positions.

    Args:
      items: The parts of the key, with `_PLACE` for each of the positions.
      positions: The positions that are not known yet, in the order of their placeholders.
    """

    def __init__(self, items: Sequence[Any], positions: list[Tensor]) -> None:
        self.items, self.positions = items, positions

    def filled(self, positions: Sequence[Any]) -> tuple[Any, ...]:
        """Returns the key with these positions."""
        following = iter(positions)
        return tuple([_filled(item, following) for item in self.items])


def _filled(item: Any, positions: Iterator[Any]) -> Any:
    if type(item) is _Between:
        return slice(*[_filled(bound, positions) for bound in item])
    return next(positions) if item is _PLACE else item


def key_parts(key: Any, is_unknown: Callable[[Any], bool]) -> KeyParts:
    """Splits a key into its known parts and the positions that are not known yet.

    Args:
      key: The key, which a program writes between the brackets.
      is_unknown: A function that returns whether a position is not known yet.
    """
    positions: list[Tensor] = []

    def parted(item: Any) -> Any:
        if type(item) is slice:
            return _Between(parted(item.start), parted(item.stop), parted(item.step))
        if not is_unknown(item):
            return item
        positions.append(item)
        return _PLACE

    items = key if isinstance(key, (tuple, list)) else (key,)
    return KeyParts([parted(item) for item in items], positions)


def taken_result(new: New, x: Tensor, parts: KeyParts, positions: Sequence[Tensor]) -> Tensor:
    """Returns the result of an index whose positions are known only when the graph runs."""
    shape, dtype = shape_of(x), x._value.dtype
    if type(shape) is UnknownRank:
        return new(None, dtype)
    items = list(parts.items)
    rest = len(shape) - sum(item is not None and item is not Ellipsis for item in items)
    if Ellipsis not in items:
        items.append(Ellipsis)
    lengths: list[Any] = []
    axis = 0
    for item in items:
        if item is Ellipsis:
            lengths += shape[axis : axis + rest]
            axis += rest
        elif item is None:
            lengths.append(1)
        else:
            if type(item) is _Between:
                lengths.append(_length_between(item, shape[axis]))
            axis += 1
    return new(lengths, dtype)


def _length_between(item: _Between, n: Any) -> Any:
    """Returns the length of a slice of an axis, or None if it is known only when the graph runs."""
    if all(bound is None for bound in item):
        return n
    known = all(bound is None or type(bound) is int for bound in item)
    return len(range(n)[slice(*item)]) if known and type(n) is int else None
