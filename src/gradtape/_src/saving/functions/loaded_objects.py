"""The objects of a loaded model, and the assignment of their children."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.base.trackable import AutoTrackable, DictWrapper, ListWrapper, Trackable
from gradtape._src.core.variable import Variable
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError

# The limit on the number of elements of all lists; more elements count as damage.
_LONGEST = 1 << 20


class UserObject(AutoTrackable):
    """An object of a loaded model, whose children are attributes."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        called = self.__dict__.get("__call__")
        if called is None:
            raise TypeError(
                "this object of the saved model can't be called: it was saved without `__call__`"
            )
        return called(*args, **kwargs)


class SignatureMap(dict[str, Any], Trackable):
    """The signatures of a loaded model by name."""

    def __repr__(self) -> str:
        return f"_SignatureMap({super().__repr__()})"

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {}


def loaded_objects(
    nodes: Sequence[protos.SavedObject], variables: dict[int, Variable], made: Callable[[int], Any]
) -> list[Any]:
    """Returns the objects of a model, with their children assigned.

    Args:
      nodes: The messages of the objects.
      variables: The variables by number.
      made: A function that makes the function, constant or asset of a node, and returns None for
        other nodes.
    """
    found = [
        variables[number] if number in variables else _object(node, made(number))
        for number, node in enumerate(nodes)
    ]
    if not isinstance(found[0], Trackable):
        raise DecodeError("its root is not an object")
    room = _LONGEST
    for owner, node in zip(found, nodes, strict=True):
        parts = [(part.local_name, part.node_id) for part in node.children]
        if any(not 0 <= n < len(found) for _, n in parts):
            raise DecodeError("an object refers to a missing part")
        _give(owner, {name: found[n] for name, n in parts}, room)
        room -= len(owner) if isinstance(owner, ListWrapper) else 0
    return found


def _give(owner: Any, parts: dict[str, Any], room: int) -> None:
    """Assigns the children of an object; a list may not exceed the limit on elements."""
    if isinstance(owner, ListWrapper):
        numbered = {int(name): part for name, part in parts.items() if name.isdecimal()}
        length = max(numbered, default=-1) + 1
        if length > room:
            raise DecodeError(f"a list has {length} elements, which exceeds the limit")
        owner.extend(numbered.get(place) for place in range(length))
    elif isinstance(owner, dict):
        for name, part in parts.items():
            owner[name] = part
    elif isinstance(owner, UserObject):
        for name, part in parts.items():
            set_part(owner, name, part)


def set_part(owner: Any, name: str, part: Any) -> None:
    """Sets an attribute; a file must not replace special attributes such as `__class__`."""
    if name != "__call__" and hasattr(type(owner), name):
        raise DecodeError(f"an object has a part of the name {name!r}")
    setattr(owner, name, part)


def _object(node: protos.SavedObject, made: Any) -> Any:
    if made is not None:
        return made
    identifier = node.user_object.identifier
    if identifier in ("trackable_list_wrapper", "trackable_tuple_wrapper"):
        return ListWrapper()
    if identifier == "trackable_dict_wrapper":
        return DictWrapper()
    return SignatureMap() if identifier == "signature_map" else UserObject()
