"""Values that lie on a device, too, or only there: compiled programs read and write them.

A tensor's array never changes. A variable's is noted with the raw value that it is equal to, so
that assigning a new raw value, which nothing here is told of, makes it stale.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from gradtape._src.base.process_settings import lasting

if TYPE_CHECKING:
    import jax

state_lock = lasting(threading.RLock())
"""Held while a variable's value is read, changed and written, by an operation or by a program.

Of other locks, only those of random numbers are taken meanwhile. Reading a value that is there
needs no lock, since arrays that were read never change.
"""
LOCAL = "/job:localhost/replica:0/task:0"
DEVICE = f"{LOCAL}/device:CPU:0"
"""Where NumPy computes."""
_acting: ContextVar[int | None] = ContextVar("the thread for which this one acts", default=None)
MISSING: Any = object()
"""Stands for the raw value of a variable that nobody has fetched from its device."""


def acting_thread() -> int:
    """Returns the number of the thread that runs, or of the one for which it acts."""
    return _acting.get() or threading.get_ident()


def act_for(thread: int) -> None:
    """Lets this thread see variables as another one does that waits for it."""
    _acting.set(thread)


def give_lock() -> Callable[[], None]:
    """Lets go of `state_lock`, however often this thread has taken it.

    Returns:
      What takes it as often, for the thread that calls it.
    """
    lock: Any = state_lock
    held = lock._release_save()
    return lambda: lock._acquire_restore((held[0], threading.get_ident()))


def device_array(x: Any) -> jax.Array | None:
    """The present value of a tensor or variable as an array on a device; None: it isn't there."""
    held = getattr(x, "_device", None)
    if type(held) is tuple:
        return held[0] if x.__dict__.get("_value", MISSING) is held[1] else None
    return held


def note_array(x: Any, array: Any) -> None:
    """Notes that an array is a tensor's value, too."""
    x._device = array


def note_variable(variable: Any, array: Any) -> None:
    """Notes that an array is a variable's value, too."""
    variable._device = (array, variable.__dict__.get("_value", MISSING))


def move_variable(variable: Any, array: Any) -> None:
    """Makes an array the value of a variable; NumPy's is fetched when something asks for it."""
    kept = variable.__dict__
    kept.pop("_value", None)
    kept.pop("_buffer", None)
    variable._device = (array, MISSING)


def forget_array(variable: Any) -> None:
    """Says that the array is no longer the variable's value."""
    variable.__dict__.pop("_device", None)


def noted(x: Any) -> jax.Array | tuple[jax.Array, object] | None:
    """Returns the state that `put_back` puts back."""
    return getattr(x, "_device", None)


def put_back(x: Any, note: Any) -> None:
    """Restores what `noted` gave, beside the raw value that was there then."""
    if note is not None:
        x._device = note


def device_of(x: Any) -> str:
    """Returns the full name of the device that a tensor or variable lies on."""
    array = device_array(x)
    if array is None:
        return DEVICE
    device = next(iter(array.devices()))
    kind = {"cuda": "GPU", "rocm": "GPU"}.get(device.platform, device.platform.upper())
    return f"{LOCAL}/device:{kind}:{device.local_hardware_id if kind == 'GPU' else device.id}"
