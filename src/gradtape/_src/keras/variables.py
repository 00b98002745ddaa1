"""Keras' variables: reads, updates, and their registration with gradtape."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.device_values import state_lock
from gradtape._src.core.convert import readers, tensor
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.distribute.context import replica_context
from gradtape._src.keras.arithmetic import as_tensor
from gradtape._src.keras.dtypes_and_structures import LEAVES


def assign_as_a_whole(original: Any, module: Any) -> Callable[..., Any]:
    """Makes Keras' updates, a read and an assignment, atomic between threads."""

    @functools.wraps(original)
    def update(self: Any, value: Any) -> Any:
        given = as_tensor(value)
        if replica_context() is not None:  # replicas wait for each other here, so without the lock
            return original(self, given)
        with state_lock:
            return original(self, given)

    return update


_COUNTS = (np.int32, np.int64)
_MOST = 1 << 31


def add_as_a_whole(original: Any, module: Any) -> Callable[..., Any]:
    """Makes `assign_add` atomic, and adds a number to a count, such as that of steps, directly."""
    general = assign_as_a_whole(original, module)
    state, assign = module.global_state, module.Variable.assign

    @functools.wraps(original)
    def update(self: Any, value: Any) -> Any:
        own = self._value
        if (
            type(value) is not int
            or not -_MOST < value < _MOST
            or type(own) is not Variable
            or type(self).assign is not assign  # a program's own
            or active_tapes() != ()
            or replica_context() is not None
            or state.GLOBAL_STATE_TRACKER.__dict__.get("stateless_scope") is not None
            or own.dtype.as_numpy_dtype not in _COUNTS
        ):
            return general(self, value)
        with state_lock, np.errstate(all="ignore"):
            total = own._value + own._value.dtype.type(value)
            own._store(total, read_value=False)
        return Tensor(total)

    return update


def value(original: Any, module: Any) -> property:
    """Reads a variable directly if no scope affects it."""
    general = original.fget
    state = module.global_state  # `clear_session` replaces its tracker

    def value(self: Any) -> Any:
        scopes = state.GLOBAL_STATE_TRACKER.__dict__  # this thread's tracker
        found = self._value
        if (
            found is None
            or scopes.get("stateless_scope") is not None
            or scopes.get("autocast_scope") is not None
        ):
            return general(self)
        return found

    return property(value, doc=general.__doc__)


def known_to_gradtape(original: Any, module: Any) -> type[Any]:
    """Returns the class unchanged, and registers how gradtape reads Keras variables."""
    LEAVES.add(original)
    readers[original] = lambda x: tensor(x.value)
    kind: type[Any] = original
    return kind
