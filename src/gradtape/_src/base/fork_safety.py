"""Locks in a process that forks: a child gets them free, and what they guard complete."""

from __future__ import annotations

import os
from typing import Any, TypeVar

_Lock = TypeVar("_Lock", bound=Any)
_locks: list[Any] = []


def lasting(lock: _Lock) -> _Lock:
    """The lock itself, which is taken for the moment of every fork from now on.

    Locks are taken in the order in which they are passed here: first those that are held while
    others are taken.
    """
    _locks.append(lock)
    return lock


def _before() -> None:
    for lock in _locks:
        lock.acquire()


def _after() -> None:
    for lock in reversed(_locks):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
