"""TensorFlow's module of tracked data structures, for programs that import it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from gradtape._src.base.export import export, export_value
from gradtape._src.base.trackable import AutoTrackable as AutoTrackable
from gradtape._src.base.trackable import DictWrapper as DictWrapper
from gradtape._src.base.trackable import DictWrapper as _DictWrapper  # noqa: F401 (its name there)
from gradtape._src.base.trackable import ListWrapper as ListWrapper
from gradtape._src.base.trackable import NoDependency as NoDependency
from gradtape._src.base.trackable import Trackable as Trackable
from gradtape._src.base.trackable import is_trackable
from gradtape._src.base.trackable import wrapped as wrapped

export_value(wrapped, "__internal__.tracking.wrap")
_F = TypeVar("_F", bound=Callable[..., Any])


@contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """Enters a scope in which the attributes that are set do not become parts of an object.

    Args:
      obj: A module or layer.
    """
    before = getattr(obj, "_self_setattr_tracking", True)
    obj._self_setattr_tracking = False
    try:
        yield
    finally:
        obj._self_setattr_tracking = before


@export("__internal__.tracking.no_automatic_dependency_tracking")
def no_automatic_dependency_tracking(method: _F) -> _F:
    """Makes a method set attributes without tracking them.

    Args:
      method: A method of a module or layer.

    Returns:
      The method, during which attributes are not tracked.
    """

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return untracked  # type: ignore[return-value]


@export("__internal__.tracking.TrackableReference")
class TrackableReference(NamedTuple):
    """A part of a trackable object.

    Attributes:
      name: The name of the part.
      ref: The part.
    """

    name: str
    ref: Any


class _IsWrapper(type):
    """The metaclass of a class that exists only for `isinstance`."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, (ListWrapper, DictWrapper))


@export("__internal__.tracking.TrackableDataStructure")
class TrackableDataStructure(metaclass=_IsWrapper):
    """The lists and dictionaries in attributes of modules, for `isinstance`."""


@export("__internal__.tracking.sticky_attribute_assignment")
def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> object:
    """Makes a value a part of an object, for a `__setattr__` that then sets the attribute.

    Args:
      trackable: The object.
      name: The name of the attribute.
      value: The value; `NoDependency(value)` is not tracked.

    Returns:
      The value to set: lists and dictionaries track their parts.
    """
    if isinstance(value, NoDependency):
        return value.value
    kept: object = wrapped(value)
    if is_trackable(kept):
        trackable._track_trackable(kept, name=name, overwrite=True)
    return kept
