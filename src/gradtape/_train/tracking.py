"""Objects that know which objects they consist of, by name: what checkpoints walk over."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from gradtape._core.variable import Variable
from gradtape._train.module import Module

_F = TypeVar("_F", bound=Callable[..., Any])
_CHILDREN = "_self_tracked_children"


class Trackable:
    """An object that a checkpoint can hold; its parts are tracked by hand."""

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
        if not isinstance(trackable, TRACKABLE):
            raise TypeError(
                f"Trackable._track_trackable() can only be used to track objects of type "
                f"Trackable. Got type {type(trackable)}."
            )
        children = self.__dict__.setdefault(_CHILDREN, {})
        if not overwrite and children.get(name, trackable) is not trackable:
            raise ValueError(
                f"Called Trackable._track_trackable() with name={name!r}, but a Trackable with "
                "this name is already declared as a dependency. Names must be unique "
                "(or overwrite=True)."
            )
        children[name] = trackable
        return trackable

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The parts of this object by name."""
        return dict(self.__dict__.get(_CHILDREN, {}))


class AutoTrackable(Trackable):
    """An object whose attributes are its parts, where they can be tracked."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, TRACKABLE) and self.__dict__.get("_self_setattr_tracking", True):
            self._track_trackable(value, name, overwrite=True)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__.get(_CHILDREN, {}).pop(name, None)
        super().__delattr__(name)


TRACKABLE = (Trackable, Variable, Module)
"""The classes of objects that can be parts."""


def no_automatic_dependency_tracking(method: _F) -> _F:
    """Makes a method set attributes without tracking them."""

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = getattr(self, "_self_setattr_tracking", True)
        self._self_setattr_tracking = False
        try:
            return method(self, *args, **kwargs)
        finally:
            self._self_setattr_tracking = before

    return untracked  # type: ignore[return-value]


class ListWrapper(list[Any]):
    """The type of lists that TensorFlow tracks; gradtape leaves lists as they are."""


class DictWrapper(dict[Any, Any]):
    """The type of dictionaries that TensorFlow tracks; gradtape leaves dictionaries as they are."""


_DictWrapper = DictWrapper  # as TensorFlow calls it
