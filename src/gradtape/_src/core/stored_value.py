"""The memory of a variable's value, which is changed in place only if it has no other readers."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np

from gradtape._src.base.composite_tensor import Described
from gradtape._src.base.device_values import acting_thread, fetch_missing, forget_array, state_lock

Array = np.ndarray[Any, Any]


class _Memory(np.ndarray[Any, Any]):
    """An array class for private memory.

    In NumPy, a view of a view has the original array as its base, unless the types differ. The
    base of every view of a returned array is therefore that array, which lives as long as any of
    them.
    """

    __slots__ = ()


def _nobody() -> None:
    return None


class Buffer:
    """A copy of a value that may be changed in place as long as no reader has it.

    A weak reference to the returned array shows whether a reader is left. Reference counts would
    differ between versions of Python.

    Args:
      value: The value to copy, of rank 1 or more.
    """

    __slots__ = ("_handed_out", "_memory")

    def __init__(self, value: Array) -> None:
        self._memory = _Memory(value.shape, value.dtype)
        self._memory[...] = value
        self._handed_out: Any = _nobody

    def read(self) -> Array:
        """Returns an array for readers, unchanged as long as it or a view of it lives."""
        array = self._memory.view(np.ndarray)
        self._handed_out = weakref.ref(array)
        return array

    def gave(self, array: Any) -> bool:
        """Whether the last call of `read` returned this array."""
        return self._handed_out() is array

    def is_private(self) -> bool:
        """Whether no reader has the value any more."""
        return self._handed_out() is None

    def writable(self) -> Array:
        """Returns the array to change in place, for the owner alone."""
        return self._memory.view(np.ndarray)


class TracedValue(NamedTuple):
    """The values of a variable while a thread traces a function: one for it, one for all others."""

    thread: int
    value: Any
    raw: Any

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of both values."""
        dtype: np.dtype[Any] = self.raw.dtype
        return dtype


NOT_COPIED = ("_buffer", "_device", "_traced_value", "_vjps")
"""The attributes that are not copied: other stores of the value, and references to its users."""
WRITES = [0]
"""The number of assignments to variables; simultaneous ones of threads may count as one."""


class Stored(Described):
    """An object whose raw value is an array, a private buffer, or only on a device.

    Attributes:
      _value: The value, unless the buffer or a device holds a newer one.
      _buffer: The memory that row updates change in place.
      _device: The array that a compiled function wrote, with the raw value that it equals.
      _traced_value: The value while a function that uses it is traced.
      _vjps: The vjps of compiled functions that need the value, which no program may overwrite.
      _replicated: Whether each of several devices has a value, as for variables of strategies.
      _of_replica: Whether it is one replica's component of such a variable.
    """

    _value: Any
    _buffer: Buffer
    _device: Any
    _traced_value: TracedValue
    _vjps: WeakSet[Any] | None = None
    _replicated = False
    _of_replica = False

    def _missing(self, name: str) -> Any:
        """Returns an attribute that must be fetched from the device of the value."""
        if name == "_value":
            traced = self.__dict__.get("_traced_value")
            if traced is not None:
                return traced.value if traced.thread == acting_thread() else traced.raw
            with state_lock:  # prevents concurrent writes
                kept = self.__dict__
                if "_value" in kept:  # another thread has fetched it
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

    @property
    def _alike(self) -> bool:
        """Whether all replicas have the same value."""
        return True

    def _primary(self) -> Any:
        """Returns the raw value, that of the first replica if there are several."""
        return self._value

    def _settle(self) -> None:
        """Drops the values of replicas, because all replicas have one value now."""

    def _in_graphs(self, written: bool = False) -> list[Any]:
        """Returns a value in the form that graphs hold: itself, or the replicas' shares."""
        return [self]

    def _at_hand(self) -> Any:
        """Returns the raw value, or the one of `_begin_tracing`; None if it lies on a device."""
        kept = self.__dict__
        if "_value" in kept or "_traced_value" not in kept:
            return kept.get("_value")  # inside a branch or loop, which has its own value
        return kept["_traced_value"].value

    def _keep_for(self, vjp: Any) -> None:
        """Records that a vjp needs the value as long as the vjp exists."""
        with state_lock:
            if self._vjps is None:
                self._vjps = WeakSet()
            self._vjps.add(vjp)

    def _put(self, value: Any) -> None:
        """Sets the raw value; while a function is traced, only for its thread."""
        kept = self.__dict__
        if "_traced_value" in kept:
            thread, _, raw = kept["_traced_value"]
            kept["_traced_value"] = TracedValue(thread, value, raw)
            kept.pop("_value", None)
        else:
            self._value = value

    def _begin_tracing(self, value: Any) -> None:
        """Sets a value for this thread, until `_end_tracing`; other threads still read the raw one.

        `state_lock` is held until then, to prevent writes.
        """
        fetch_missing(Stored, Stored._missing)
        self._traced_value = TracedValue(acting_thread(), value, self._value)
        del self.__dict__["_value"]

    def _is_traced(self) -> bool:
        """Whether this thread traces a function that uses the variable."""
        traced = self.__dict__.get("_traced_value")
        return traced is not None and traced.thread == acting_thread()

    def _raw(self) -> Any:
        """Returns the raw value, also while a function is traced."""
        traced = self.__dict__.get("_traced_value")
        return self._primary() if traced is None else traced.raw

    def _end_tracing(self) -> Any:
        """Restores the raw value; returns the one that the trace set last."""
        last, kept = self._at_hand(), self.__dict__
        kept["_value"] = kept.pop("_traced_value").raw
        return last

    def _described(self) -> Any:
        """Returns an array of the value's dtype, without fetching the value from a device."""
        kept = self.__dict__
        value, device = kept.get("_value"), kept.get("_device")
        if value is not None:
            return value
        return self._value if device is None else device[0]

    def _writable(self) -> Array:
        """Returns the array, which no reader has; `state_lock` must be held."""
        fetch_missing(Stored, Stored._missing)
        kept, value = self.__dict__, self._value
        buffer = kept.get("_buffer")
        if buffer is None or not buffer.gave(value):
            kept["_buffer"] = buffer = Buffer(value)
        kept.pop("_value", None)  # later readers wait for the lock
        forget_array(self)
        del value
        if not buffer.is_private():
            kept["_buffer"] = buffer = Buffer(buffer.writable())
        return buffer.writable()
