"""Objects with named parts, which checkpoints save and restore.

A checkpoint may be restored before all parts of an object exist. The saved values of a missing part
wait in the object (in `__deferred_parts__`) until a part of that name is added. Checkpoints of
TensorFlow 1, whose values are found by variables' names, wait for parts of any name.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Protocol, Self, TypeVar, overload

from gradtape._src.base.export import export

T = TypeVar("T")
# Keras saves the attributes that it finds, except names with two underscores.
CHILDREN = "__tracked_children__"
DEFERRED = "__deferred_parts__"
ANY_PART = "__deferred_for_any_part__"


class Restoring(Protocol):
    """A checkpoint that is being restored."""

    def arrived(self, node: int, part: Any) -> None:
        """Restores a part that was added after the restore, from a node of the checkpoint."""


class Expecting:
    """An object whose parts may be added after the checkpoint that holds them was restored."""

    __deferred_parts__: dict[str, list[tuple[Restoring, int]]]
    __deferred_for_any_part__: list[Restoring]

    def _defer(self, name: str, restoring: Restoring, node: int) -> None:
        """Lets a node of a checkpoint wait until a part called `name` is added."""
        waiting = self.__dict__.setdefault("__deferred_parts__", {})
        waiting.setdefault(name, []).append((restoring, node))

    def _defer_any(self, restoring: Restoring) -> None:
        """Lets a checkpoint wait for all parts that are added, whatever they are called."""
        self.__dict__.setdefault("__deferred_for_any_part__", []).append(restoring)

    def _announce(self, name: str, part: Any) -> None:
        """Restores an added part from the nodes that wait for it; a later checkpoint wins."""
        waiting = self.__dict__.get(DEFERRED)
        if waiting and is_trackable(part):
            for restoring, node in waiting.pop(name, ()):
                restoring.arrived(node, part)
        for restoring in self.__dict__.get(ANY_PART, ()):
            if is_trackable(part):
                restoring.arrived(0, part)


class NoDependency:
    """Marks a value that is assigned to an attribute as not tracked."""

    def __init__(self, value: Any) -> None:
        self.value = value


@export("__internal__.tracking.Trackable")
class Trackable(Expecting):
    """An object that a checkpoint can hold; its parts are tracked by hand.

    A class with state other than variables saves it by `_serialize_to_tensors` and restores it by
    `_restore_from_tensors`.
    """

    __tracked_children__: dict[str, Any]

    def _no_dependency(self, value: Any) -> Any:
        """Returns a value for an attribute that is stored unchanged and is not tracked."""
        return NoDependency(value)

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Makes an object a part of this one.

        Args:
          trackable: The part.
          name: Its name here.
          overwrite: Whether another part of that name may be replaced.

        Raises:
          TypeError: The part can't be tracked.
          ValueError: There is another part of that name.
        """
        if not is_trackable(trackable):
            raise TypeError(
                f"Trackable._track_trackable() can only be used to track objects of type "
                f"Trackable. Got type {type(trackable)}."
            )
        children = self.__dict__.setdefault("__tracked_children__", {})
        if not overwrite and children.get(name, trackable) is not trackable:
            raise ValueError(
                f"Called Trackable._track_trackable() with name={name!r}, but a Trackable with "
                "this name is already declared as a dependency. Names must be unique "
                "(or overwrite=True)."
            )
        children[name] = trackable
        self._announce(name, trackable)
        return trackable

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Returns the parts of this object by name."""
        return dict(self.__dict__.get(CHILDREN, {}))

    def _lookup_dependency(self, name: str) -> Any:
        """Returns the part of that name, or None."""
        return self._trackable_children().get(name)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """Returns the state of this object that is not in its parts, as tensors by name."""
        raise NotImplementedError

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Restores the tensors of `_serialize_to_tensors`."""
        raise NotImplementedError


@export("saved_model.experimental.TrackableResource")
class TrackableResource(Trackable):
    """A base class for objects that hold a resource other than variables, such as a table.

    Args:
      device: Accepted for compatibility.
    """

    def __init__(self, device: str = "") -> None:
        self._resource_device = device
        self._resource_handle: Any = None

    def _create_resource(self) -> Any:
        """Creates the resource."""
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> None:
        """Initializes the resource after its creation."""

    @property
    def resource_handle(self) -> object:
        """The resource, which is created at the first access."""
        if self._resource_handle is None:
            self._resource_handle = self._create_resource()
        return self._resource_handle


@export("__internal__.tracking.AutoTrackable")
class AutoTrackable(Trackable):
    """An object whose attributes are its parts, if they can be tracked."""

    def __setattr__(self, name: str, value: Any) -> None:
        if type(value) is NoDependency:
            super().__setattr__(name, value.value)
        elif is_trackable(value) and self.__dict__.get("_self_setattr_tracking", True):
            value = wrapped(value)
            super().__setattr__(name, value)
            self._track_trackable(value, name, overwrite=True)
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__.get(CHILDREN, {}).pop(name, None)
        super().__delattr__(name)


class ListWrapper(Expecting, list[Any]):
    """A list in an attribute, which tracks the objects that are put into it."""

    def __init__(self, values: Any = ()) -> None:
        super().__init__(map(wrapped, values))

    def append(self, value: Any) -> None:
        super().append(wrapped(value))
        self._announce_all()

    def extend(self, values: Any) -> None:
        super().extend(map(wrapped, values))
        self._announce_all()

    def insert(self, index: Any, value: Any) -> None:
        super().insert(index, wrapped(value))
        self._announce_all()

    def __iadd__(self, values: Any) -> Self:  # type: ignore[misc]
        self.extend(values)
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        self._announce_all()

    def _announce_all(self) -> None:
        if ANY_PART in self.__dict__:
            for i, part in enumerate(self):
                self._announce(str(i), part)
        for name in [n for n in self.__dict__.get(DEFERRED, ()) if int(n) < len(self)]:
            self._announce(name, self[int(name)])


class DictWrapper(Expecting, dict[Any, Any]):
    """A dictionary in an attribute, which tracks the objects that are put into it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__({k: wrapped(v) for k, v in dict(*args, **kwargs).items()})

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, wrapped(value))
        self._announce(key, self[key])

    def update(self, *args: Any, **kwargs: Any) -> None:
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def __ior__(self, other: Any) -> Self:  # type: ignore[misc]
        self.update(other)
        return self


DictWrapper.__name__ = DictWrapper.__qualname__ = "_DictWrapper"  # its name in messages
_DictWrapper = DictWrapper  # pickle looks the class up by this name


@overload
def wrapped(value: list[Any]) -> ListWrapper: ...
@overload
def wrapped(value: dict[Any, Any]) -> DictWrapper: ...
@overload
def wrapped(value: T) -> T: ...
def wrapped(value: object) -> object:
    """Wraps lists and dictionaries so that objects put into them are tracked."""
    if type(value) is list:
        return ListWrapper(value)
    return DictWrapper(value) if type(value) is dict else value


_CONTAINERS = frozenset({list, dict, OrderedDict, ListWrapper, DictWrapper})


def is_trackable(value: Any) -> bool:
    """Whether a value can be a part: containers are, tuples if they hold a part."""
    if isinstance(value, Trackable) or type(value) in _CONTAINERS:
        return True
    return isinstance(value, tuple) and any(map(is_trackable, value))


def parts_of(owner: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
    """Returns the parts of an object or container by name.

    Raises:
      ValueError: A dictionary has a part under a key that is not a string.
    """
    if isinstance(owner, Trackable):
        children = owner._trackable_children(save_type, **kwargs)
        return {name: part for name, part in children.items() if is_trackable(part)}
    if isinstance(owner, dict):
        parts = {key: part for key, part in owner.items() if is_trackable(part)}
        if odd := [key for key in parts if not isinstance(key, str)]:
            raise ValueError(
                f"Unable to save the object {owner!r}: the dictionary holds a trackable object "
                f"under the key {odd[0]!r}, which is not a string. Use strings as keys."
            )
        return parts
    if isinstance(owner, (list, tuple)):
        return {str(i): part for i, part in enumerate(owner) if is_trackable(part)}
    return {}
