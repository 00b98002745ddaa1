"""`tf.variable_creator_scope`: functions that control how variables are made."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from gradtape._src.base.dispatch import shorten_errors
from gradtape._src.base.export import export
from gradtape._src.base.scope_stacks import Scope

Made = TypeVar("Made")


class _Creators(threading.local):
    def __init__(self) -> None:
        self.stack: tuple[Callable[..., Any], ...] = ()


_creators = _Creators()


class VariableMetaclass(type):
    """The metaclass of variables: scopes make the instances of classes with `_asks_creators`."""

    if not TYPE_CHECKING:  # For type checkers, a call of the class returns an instance.

        @shorten_errors
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if _creators.stack and "_asks_creators" in cls.__dict__:
                return _made(cls, args, kwargs)
            return type.__call__(cls, *args, **kwargs)


def _made(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns the creators' variable; each creator gets the next one and all arguments by name."""
    init: Any = cls.__init__  # type: ignore[misc]
    bound = inspect.signature(init).bind(None, *args, **kwargs)
    bound.apply_defaults()
    given = dict(bound.arguments)
    given.pop("self")
    return by_creators(partial(type.__call__, cls), given)


def by_creators(make: Callable[..., Made], given: dict[str, Any]) -> Made:
    """Returns the variable that the functions of the current scopes make.

    Args:
      make: The function that makes it if there are no scopes.
      given: The arguments.
    """
    for creator in _creators.stack:
        make = partial(creator, make)
    return make(**given)


@export("variable_creator_scope", "compat.v1.variable_creator_scope")
class variable_creator_scope(Scope):  # noqa: N801 (TensorFlow's name)
    """Enters a `with` block in which a function controls how variables are made.

    Args:
      variable_creator: Called as `variable_creator(next_creator, **kwargs)` with the arguments of
        `tf.Variable`, and returns the variable: what `next_creator(**kwargs)` returns, or another
        object. The innermost scope's function is called first.

    >>> def never_trained(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, "trainable": False})
    >>> with tf.variable_creator_scope(never_trained):
    ...     v = tf.Variable(1.0)
    >>> v.trainable
    False
    """

    def __init__(self, variable_creator: Callable[..., Any]) -> None:
        super().__init__()
        self._creator = variable_creator

    def _now(self) -> tuple[Callable[..., Any], ...]:
        return _creators.stack

    def _chosen(self) -> tuple[Callable[..., Any], ...]:
        return (*_creators.stack, self._creator)

    def _put(self, there: tuple[Callable[..., Any], ...]) -> None:
        _creators.stack = there
