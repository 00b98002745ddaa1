"""Values that are stored on a device, which compiled programs read and write.

A tensor's array never changes. A variable's array is stored together with the raw value that it
equals: assigning another raw value makes it stale, without any notice to this module.

Copies of large arrays can be aligned as XLA requires.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gradtape._src.base.process_settings import lasting

if TYPE_CHECKING:
    import jax

state_lock = lasting(threading.RLock())
"""Held while a variable's value is read, changed and written, by an operation or by a program.

While it is held, only the locks of random numbers may be taken. Reading a raw value needs no lock,
since an array that was read never changes.
"""


class _LockOfGraphs(threading.local):
    """Holds `state_lock` while a graph runs, except while an operation of it may wait for a thread.

    If this thread has also taken the lock otherwise, such as for a critical section, it keeps it.
    """

    _count = 0  # how often the graphs that this thread runs have taken the lock

    def __enter__(self) -> None:
        state_lock.acquire()
        self._count += 1

    def __exit__(self, *error: object) -> None:
        self._count -= 1
        state_lock.release()

    @contextmanager
    def given_back(self) -> Iterator[None]:
        """Returns a context manager in which this thread's graphs don't hold the lock."""
        count, self._count = self._count, 0
        for _ in range(count):
            state_lock.release()
        try:
            yield
        finally:
            for _ in range(count):
                state_lock.acquire()
            self._count = count


lock_of_graphs = _LockOfGraphs()
LOCAL = "/job:localhost/replica:0/task:0"
DEVICE = f"{LOCAL}/device:CPU:0"
"""The name of the device on which NumPy computes."""
_acting: ContextVar[int | None] = ContextVar(
    "the thread on whose behalf this one acts", default=None
)
MISSING: Any = object()
"""Represents the raw value of a variable that was not fetched from its device yet."""


def acting_thread() -> int:
    """Returns the id of the current thread, or of the one on whose behalf it acts."""
    return _acting.get() or threading.get_ident()


def act_for(thread: int) -> None:
    """Lets this thread see variables as another thread does that waits for it."""
    _acting.set(thread)


def give_lock() -> Callable[[], None]:
    """Releases `state_lock`, however often this thread has taken it.

    Returns:
      A function that takes the lock as often again, in the thread that calls it.
    """
    lock: Any = state_lock
    held = lock._release_save()
    return lambda: lock._acquire_restore((held[0], threading.get_ident()))


def fetch_missing(owner: Any, fetch: Callable[[Any, str], Any]) -> None:
    """Makes a function the `__getattr__` of a class; called before its first value is elsewhere.

    Until then, the class has no `__getattr__`, with which Python 3.11 reads every attribute of its
    objects several times more slowly.

    Args:
      owner: The class.
      fetch: Returns an attribute of an object by its name, or raises AttributeError.
    """
    if not hasattr(owner, "__getattr__"):
        owner.__getattr__ = fetch


def device_array(x: Any) -> jax.Array | None:
    """Returns the current value of a tensor or variable as an array on a device, or None."""
    held = getattr(x, "_device", None)
    if type(held) is tuple:
        return held[0] if x.__dict__.get("_value", MISSING) is held[1] else None
    return held


def note_array(x: Any, array: Any) -> None:
    """Records an array on a device that holds a tensor's value."""
    x._device = array


def note_variable(variable: Any, array: Any) -> None:
    """Records an array on a device that holds a variable's value."""
    variable._device = (array, variable.__dict__.get("_value", MISSING))


def move_variable(variable: Any, array: Any) -> None:
    """Makes an array on a device the value of a variable; NumPy's array is fetched when needed."""
    kept = variable.__dict__
    kept.pop("_value", None)
    kept.pop("_buffer", None)
    variable._device = (array, MISSING)


def forget_array(variable: Any) -> None:
    """Records that the array is no longer the variable's value."""
    variable.__dict__.pop("_device", None)


def noted(x: Any) -> jax.Array | tuple[jax.Array, object] | None:
    """Returns the state that `put_back` restores."""
    found: jax.Array | tuple[jax.Array, object] | None = x.__dict__.get("_device")
    return found


def put_back(x: Any, note: Any) -> None:
    """Restores the state that `noted` returned, and the raw value of that moment."""
    if note is not None:
        x._device = note


def device_of(x: Any) -> str:
    """Returns the full name of the device on which a tensor or variable is stored."""
    array = device_array(x)
    if array is None:
        return getattr(getattr(x, "_value", None), "device_in_graph", DEVICE)
    device = next(iter(array.devices()))
    kind = {"cuda": "GPU", "rocm": "GPU"}.get(device.platform, device.platform.upper())
    return f"{LOCAL}/device:{kind}:{device.local_hardware_id if kind == 'GPU' else device.id}"


_LINE = 64  # the alignment in bytes that XLA requires; it copies other arrays


class Copies:
    """Settings for copies of arrays.

    Attributes:
      aligned: Whether copies of large arrays are aligned.
      on_copy: A function that is called with the number of bytes of each copy, or None.
      special: Whether any of these settings is active.
    """

    aligned = False
    on_copy: ClassVar[Callable[[int], None] | None] = None
    special = False


def align_copies(enabled: bool) -> None:
    """Sets whether copies of large arrays are aligned."""
    Copies.aligned = enabled
    Copies.special = enabled or Copies.on_copy is not None


def set_copy_callback(on_copy: Callable[[int], None] | None) -> None:
    """Sets a function that is called with the number of bytes of each copy, or None."""
    Copies.on_copy = on_copy
    Copies.special = Copies.aligned or on_copy is not None


def copied(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns a copy of a NumPy array."""
    if not Copies.special:
        return array.copy()
    if Copies.on_copy is not None:
        Copies.on_copy(array.nbytes)
    if not Copies.aligned or array.nbytes < 1 << 18 or array.dtype.hasobject:
        return array.copy()
    memory = np.empty(array.nbytes + _LINE, np.uint8)
    start = -memory.ctypes.data % _LINE
    out: np.ndarray[Any, Any] = (
        memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    )
    np.copyto(out, array)
    return out
