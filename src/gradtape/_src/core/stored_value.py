"""The memory of a variable's value, which is changed in place only if nobody else reads it."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

import numpy as np

from gradtape._src.base.device_values import acting_thread, forget_array, state_lock

Array = np.ndarray[Any, Any]


class _Memory(np.ndarray[Any, Any]):
    """Memory with a type of its own.

    NumPy gives a view of a view the base of the latter, unless that base is of another type. The
    base of every view of an array that was handed out is therefore that array, which lives as long
    as any of them.
    """

    __slots__ = ()


def _nobody() -> None:
    return None


class Buffer:
    """A copy of a value, to be changed in place as long as no reader has it.

    Who has read it is known by a weak reference to what was handed out, never by a count of
    references, which differs from Python to Python.

    Args:
      value: What to copy; not of rank 0.
    """

    __slots__ = ("_handed_out", "_memory")

    def __init__(self, value: Array) -> None:
        self._memory = _Memory(value.shape, value.dtype)
        self._memory[...] = value
        self._handed_out: Any = _nobody

    def read(self) -> Array:
        """The value as an array for readers; nothing may be changed while it or a view lives."""
        array = self._memory.view(np.ndarray)
        self._handed_out = weakref.ref(array)
        return array

    def gave(self, array: Any) -> bool:
        """Whether an array is what `read` gave last."""
        return self._handed_out() is array

    def is_private(self) -> bool:
        """Whether no reader has the value any more."""
        return self._handed_out() is None

    def writable(self) -> Array:
        """Returns the array to change in place, for the owner alone."""
        return self._memory.view(np.ndarray)


class Staged(NamedTuple):
    """The values of a variable while one thread stages a function: for it, and for others."""

    thread: int
    value: Any
    raw: Any


NOT_COPIED = ("_buffer", "_device", "_staged", "_vjps")
"""The attributes that a copy does not get: other places of the value, and who needs it there."""


class Stored:
    """An object with a raw value, which is at hand, in memory of its own, or on a device alone.

    Attributes:
      _value: The value, wherever it was not changed by one of the two others since it was read.
      _buffer: What updates of rows change in place.
      _device: What a compiled function wrote, with the raw value that it is equal to.
      _staged: What it is while a function that uses it is staged.
      _vjps: The pull-backs of compiled functions that need the value, which therefore no program
        may overwrite.
      _replicated: Whether several devices have a value each, as variables of strategies do.
    """

    _value: Any
    _buffer: Buffer
    _device: Any
    _staged: Staged
    _vjps: WeakSet[Any] | None = None
    _replicated = False

    def _missing(self, name: str) -> Any:
        """Returns an attribute that must be fetched from where the value lies."""
        if name == "_value":
            staged = self.__dict__.get("_staged")
            if staged is not None:
                return staged.value if staged.thread == acting_thread() else staged.raw
            with state_lock:  # nobody writes meanwhile
                kept = self.__dict__
                if "_value" in kept:  # another thread was here
                    return kept["_value"]
                if "_buffer" in kept:
                    kept["_value"] = value = kept["_buffer"].read()
                    return value
                if "_device" in kept:
                    array = kept["_device"][0]
                    kept["_value"] = value = np.array(array)[()]
                    kept["_device"] = (array, value)
                    return value
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    if not TYPE_CHECKING:  # to checkers, a name that is not there is an error
        __getattr__ = _missing

    @property
    def _alike(self) -> bool:
        """Whether all replicas have one value."""
        return True

    def _primary(self) -> Any:
        """Returns the raw value, that of the first replica if there are several."""
        return self._value

    def _settle(self) -> None:
        """Forgets what replicas have of their own, because all have one value now."""

    def _in_graphs(self, written: bool = False) -> list[Any]:
        """Returns what graphs hold of it, or of a `written` value: itself, or replicas' shares."""
        return [self]

    def _at_hand(self) -> Any:
        """Returns the raw or staged value; None if it lies elsewhere."""
        kept = self.__dict__
        if "_value" in kept or "_staged" not in kept:
            return kept.get("_value")  # inside of a choice or loop, one of its own
        return kept["_staged"].value

    def _keep_for(self, vjp: Any) -> None:
        """Notes that a pull-back needs the value, for as long as the pull-back lives."""
        with state_lock:
            if self._vjps is None:
                self._vjps = WeakSet()
            self._vjps.add(vjp)

    def _put(self, value: Any) -> None:
        """Makes a raw value the present one; while a function is staged, for its thread alone."""
        kept = self.__dict__
        if "_staged" in kept:
            kept["_staged"] = kept["_staged"]._replace(value=value)
            kept.pop("_value", None)
        else:
            self._value = value

    def _stage(self, value: Any) -> None:
        """Sets a value for this thread, until `_unstage`; other threads go on reading the raw one.

        `state_lock` is held until then, so that nobody else writes.
        """
        self._staged = Staged(acting_thread(), value, self._value)
        del self.__dict__["_value"]

    def _is_staged(self) -> bool:
        """Whether a function that uses it is staged by this thread."""
        staged = self.__dict__.get("_staged")
        return staged is not None and staged.thread == acting_thread()

    def _raw(self) -> Any:
        """Returns the raw value, also while a function is staged."""
        staged = self.__dict__.get("_staged")
        return self._primary() if staged is None else staged.raw

    def _unstage(self) -> Any:
        """Puts the raw value back; answers with what stood in its place."""
        kept, last = self.__dict__, self._value
        kept["_value"] = kept["_staged"].raw
        del kept["_staged"]
        return last

    def _described(self) -> Any:
        """Something of the value's dtype, which is not fetched from a device for it."""
        kept = self.__dict__
        value, device = kept.get("_value"), kept.get("_device")
        if value is not None:
            return value
        return self._value if device is None else device[0]

    def _writable(self) -> Array:
        """Returns the array of the elements, which no reader has; `state_lock` is held."""
        kept, value = self.__dict__, self._value
        buffer = kept.get("_buffer")
        if buffer is None or not buffer.gave(value):
            kept["_buffer"] = buffer = Buffer(value)
        kept.pop("_value", None)  # whoever reads from now on waits for the lock
        forget_array(self)
        del value
        if not buffer.is_private():
            kept["_buffer"] = buffer = Buffer(buffer.writable())
        return buffer.writable()
