"""TensorFlow's module of tracked data structures, for programs that import it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from gradtape._src.base.export import export
from gradtape._src.base.trackable import AutoTrackable as AutoTrackable
from gradtape._src.base.trackable import DictWrapper as DictWrapper
from gradtape._src.base.trackable import DictWrapper as _DictWrapper  # noqa: F401 (its name there)
from gradtape._src.base.trackable import ListWrapper as ListWrapper
from gradtape._src.base.trackable import NoDependency as NoDependency
from gradtape._src.base.trackable import Trackable as Trackable

_F = TypeVar("_F", bound=Callable[..., Any])


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
        before = getattr(self, "_self_setattr_tracking", True)
        self._self_setattr_tracking = False
        try:
            return method(self, *args, **kwargs)
        finally:
            self._self_setattr_tracking = before

    return untracked  # type: ignore[return-value]
