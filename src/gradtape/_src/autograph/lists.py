"""The operations on lists in functions converted with `Feature.LISTS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import add, mul, pow, sub, truediv
from typing import Any

from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.scatter import tensor_scatter_nd_update
from gradtape._src.ops.types.tensor_array import TensorArray

_UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "add": add,
    "sub": sub,
    "mult": mul,
    "div": truediv,
    "pow": pow,
}


def new_list(elements: Iterable[Any] = ()) -> list[Any]:
    """Returns a list."""
    return list(elements)


def list_append(target: Any, element: Any) -> object:
    """Appends to a list, or writes after the last element of a `TensorArray`."""
    if isinstance(target, TensorArray):
        return target.write(target.size(), element)
    target.append(element)
    return target


def list_pop(target: Any, index: Any, *, opts: object) -> tuple[object, object]:
    """Removes an element from a list; returns the list and the element."""
    return target, (target.pop() if index is None else target.pop(index))


def list_stack(target: Any, opts: Any) -> object:
    """Stacks a `TensorArray`, or calls the function that the program passed."""
    return target.stack() if isinstance(target, TensorArray) else opts["original_call"](target)


def get_item(target: Any, index: Any, *, opts: object) -> object:
    """Returns an item of a list, or an element of a `TensorArray`."""
    return target.read(index) if isinstance(target, TensorArray) else target[index]


def set_item(target: Any, index: Any, value: Any) -> object:
    """Assigns an item; returns the container, which is a new one if it is a tensor."""
    if isinstance(target, TensorArray):
        return target.write(index, value)
    if isinstance(target, Tensor) and not isinstance(index, slice):
        return tensor_scatter_nd_update(target, [[index]], [value])
    target[index] = value
    return target


def update_item_with_op(target: Any, index: Any, value: Any, op: str) -> object:
    """Updates an item with an operator; returns the container."""
    before = get_item(target, index, opts=None)
    return set_item(target, index, _UPDATES[op](before, value))
