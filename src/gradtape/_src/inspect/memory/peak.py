"""The memory that a tape's gradient takes at most, predicted from the tape's records.

The prediction follows the backward pass of `autodiff.walk`, but keeps only the sizes of cotangents.
Each derivative rule runs on zeros, once for each combination of shapes, to find out what it
allocates.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.primitive import Record
from gradtape._src.core.recorder import replaced
from gradtape._src.inspect.records import outputs

ndarray = np.ndarray
_PYTHON = 1 << 16  # the bytes at most of Python's own objects while a rule runs
_CODE = 1 << 20  # the bytes at most of code that is written when a rule runs for the first time
_HALF, _WIDE = 2, 4  # the bytes of elements in 16-bit cotangents, and in sums of them


class _Memory:
    """The arrays that are alive, counted once each.

    Attributes:
      current, peak: Bytes.
    """

    def __init__(self) -> None:
        self.current = self.peak = 0
        self._holders: dict[Any, list[int]] = {}  # the holders of a buffer, and its bytes

    def hold(self, buffer: Any, size: int) -> None:
        """Adds a holder of a buffer."""
        entry = self._holders.setdefault(buffer, [0, size])
        if not entry[0]:
            self.current += size
            self.peak = max(self.peak, self.current)
        entry[0] += 1

    def release(self, buffer: Any) -> None:
        """Removes a holder of a buffer; the buffer is freed with its last holder."""
        entry = self._holders[buffer]
        entry[0] -= 1
        if not entry[0]:
            self.current -= self._holders.pop(buffer)[1]

    def during(self, size: int) -> None:
        """Records that more bytes were allocated for a while."""
        self.peak = max(self.peak, self.current + size)


@dataclass(eq=False, frozen=True)
class _Cotangent:
    """A cotangent without its values.

    Attributes:
      shape, dtype, strides: Those of its array.
      buffer: The memory in which the array lies.
      size: The bytes of that memory.
      rows: The shape of the values if the cotangent is an `IndexedSlices`.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strides: tuple[int, ...]
    buffer: Any
    size: int
    rows: tuple[int, ...] | None = None

    @property
    def key(self) -> Any:
        """The attributes on which the result of a rule depends."""
        return self.shape, self.dtype, self.strides, self.rows

    def _zeros(self) -> Any:
        """Returns a cotangent of zeros with this layout."""
        if self.rows is not None:
            values, indices = np.zeros(self.rows, self.dtype), np.zeros(self.rows[0], np.int64)
            return IndexedSlices(values, indices, np.array(self.shape))
        if not self.shape:
            return np.zeros((), self.dtype)[()]
        if min(self.strides) < 0 or 0 in self.shape:
            return np.zeros(self.shape, self.dtype)
        places = zip(self.shape, self.strides, strict=True)
        zeros = np.zeros(1 + sum((n - 1) * s for n, s in places) // self.dtype.itemsize, self.dtype)
        return as_strided(zeros, self.shape, self.strides)


@dataclass(eq=False)
class _Result:
    """Holds what a rule returned: for each input, None or the layout of a cotangent.

    The buffer of each cotangent is the index of an incoming one ("g", i), of a kept tensor
    ("saved", i), or a new array ("new", i).

    Attributes:
      extra: The bytes that the rule allocated at most, including its results.
    """

    cotangents: list[_Cotangent | None] = field(default_factory=list)
    extra: int = 0


def gradient_peak(tape: GradientTape, facts: Mapping[int, Any]) -> int | None:
    """Returns the bytes that the gradient of a tape's last result will hold at most.

    This is the gradient by all that the tape watches: kept tensors, cotangents and the temporary
    arrays of rules, without the values of variables and watched tensors. Functions with custom
    gradients are called.

    Args:
      tape: The tape.
      facts: The known shapes and dtypes of values, by id.

    Returns:
      None if a rule fails.
    """
    with replaced(()), np.errstate(all="ignore"), _tracing(), suppress(Exception):
        return _Walk(tape).run(tape.records, facts)
    return None


@contextmanager
def _tracing() -> Iterator[None]:
    """Lets Python count what NumPy allocates."""
    if tracemalloc.is_tracing():
        yield
        return
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


class _Walk:
    """A backward pass without values.

    Args:
      tape: The tape.
    """

    def __init__(self, tape: GradientTape) -> None:
        self.persistent = tape._persistent
        self.roots = tape._roots
        self.memory = _Memory()
        self.free = {id(_root(v._value)) for v in tape._variables.values()}  # not counted
        self.live: dict[int, _Cotangent] = {}
        self.last: _Cotangent | None = None
        self.sums: set[int] = set()  # ids whose cotangents are sums in memory of their own
        self.rounded: set[int] = set()  # ids whose cotangents are wide sums, rounded at the end
        self.known: dict[Any, list[tuple[Any, _Result]]] = {}

    def run(self, records: Sequence[Record], facts: Mapping[int, Any]) -> int:
        """Returns the peak in bytes."""
        if not records:
            return 0
        for record in records:
            self.free.update(id(_root(x._value)) for x in record[3] if x._id in self.roots)
        for record in records:
            self._keep(record)
        last = records[-1]
        names = [facts[i][1] for i in (*outputs(last), *last[2]) if i in facts]
        dtype = next((name for name in names if name), "float32")
        for o in outputs(last):
            shape = facts.get(o, ((), dtype))[0] or ()
            self.live[o] = seed = _dense(tuple(shape), np.dtype(as_dtype(dtype).as_numpy_dtype))
            self.memory.hold(seed.buffer, seed.size)
        for record in reversed(records):
            self._step(record)
            if not self.persistent:
                for buffer in self._kept(record):
                    self.memory.release(buffer)
        return self.memory.peak

    def _kept(self, record: Record) -> list[Any]:
        roots = (_root(x._value) for x in record[3])
        return [id(root) for root in roots if id(root) not in self.free]

    def _keep(self, record: Record) -> None:
        for x in record[3]:
            root = _root(x._value)
            if id(root) not in self.free:
                self.memory.hold(id(root), int(root.nbytes))

    def _step(self, record: Record) -> None:
        """Handles one record: runs its rule, and adds up the cotangents."""
        plan, _, ids, saved, _ = record
        outs = outputs(record)
        taken = [self._taken(o, plan.sparse) for o in outs]
        if all(g is None for g in taken):
            return
        result = self._result(record, taken)
        self.memory.during(result.extra)
        buffers: dict[Any, Any] = {}
        made = []
        for i, d in zip(ids, result.cotangents, strict=False):
            if i and d is not None:
                made.append((i, self._placed(d, taken, saved, buffers)))
        for _, d in made:
            self.memory.hold(d.buffer, d.size)
        self._last(made[-1][1] if result.cotangents[-1:] != [None] and made else None)
        for i, d in made:
            self._add(i, d)
        for o, g in zip(outs, taken, strict=True):
            if g is not None and o not in self.roots:
                self.memory.release(g.buffer)

    def _last(self, d: _Cotangent | None) -> None:
        """Keeps a rule's last cotangent until the next rule has run, as a loop's variable does."""
        if d is not None:
            self.memory.hold(d.buffer, d.size)
        if self.last is not None:
            self.memory.release(self.last.buffer)
        self.last = d

    def _taken(self, i: int, sparse: bool) -> _Cotangent | None:
        """Removes the cotangent of a record's output, and makes it dense if its rule needs that."""
        g = self.live.pop(i, None)
        if g is None or (i not in self.rounded and (g.rows is None or sparse)):
            return g
        dense = _dense(g.shape, g.dtype)
        self.memory.hold(dense.buffer, dense.size)
        self.memory.release(g.buffer)
        return dense

    def _placed(
        self, d: _Cotangent, taken: Sequence[Any], saved: Sequence[Any], buffers: dict[Any, Any]
    ) -> _Cotangent:
        """Returns a cotangent of a rule with the memory that it has in this walk."""
        kind, i = d.buffer
        size = d.size
        if kind == "g":
            buffer, size = (taken[i].buffer, taken[i].size) if taken[i] else (object(), 0)
        elif kind == "saved":
            buffer = id(_root(saved[i]._value))
            size = 0 if buffer in self.free else size
        else:
            buffer = buffers.setdefault(i, object())
        return _Cotangent(d.shape, d.dtype, d.strides, buffer, size, d.rows)

    def _add(self, i: int, d: _Cotangent) -> None:
        """Adds a cotangent, whose buffer is held, to the one before."""
        before = self.live.get(i)
        if before is None:
            self.live[i] = d
            return
        if before.rows is not None and d.rows is not None:
            rows = (before.rows[0] + d.rows[0], *d.rows[1:])
            size = before.size + d.size
            self._replace(i, _Cotangent(d.shape, d.dtype, d.strides, object(), size, rows))
        elif d.dtype.itemsize == _HALF:
            total = _dense(d.shape, d.dtype, _WIDE)
            self.memory.during(total.size * (1 if i in self.rounded else 2))  # of wide copies
            self._replace(i, total)
            self.rounded.add(i)
        elif i not in self.sums:
            self._replace(i, _dense(d.shape, d.dtype))
            self.sums.add(i)
        self.memory.release(d.buffer)

    def _replace(self, i: int, total: _Cotangent) -> None:
        self.memory.hold(total.buffer, total.size)
        self.memory.release(self.live[i].buffer)
        self.live[i] = total

    def _result(self, record: Record, taken: Sequence[_Cotangent | None]) -> _Result:
        """Returns what a rule returns, from the last time if the sizes were equal."""
        plan, _, ids, saved, static = record
        key = (
            plan,
            tuple(bool(i) for i in ids),
            tuple((x._value.shape, x._value.dtype) for x in saved),
            tuple(None if g is None else g.key for g in taken),
        )
        earlier = self.known.setdefault(key, [])
        for other, result in earlier:
            with suppress(ValueError):  # of arrays among the parameters
                if other == static:
                    return result
        result = _run(record, taken)
        earlier.append((static, result))
        return result


def _dense(shape: tuple[int, ...], dtype: np.dtype[Any], width: int | None = None) -> _Cotangent:
    """Returns a contiguous cotangent in memory of its own, with elements of `width` bytes."""
    size = prod(shape) * (width or dtype.itemsize) if shape else 0
    return _Cotangent(shape, dtype, _packed(shape, dtype.itemsize), object(), size)


def _packed(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Returns the strides of a contiguous array."""
    return tuple(itemsize * prod(shape[k + 1 :]) for k in range(len(shape)))


def _run(record: Record, taken: Sequence[_Cotangent | None]) -> _Result:
    """Runs a rule on zeros."""
    plan, out, ids, saved, static = record
    given = [None if g is None else g._zeros() for g in taken]

    def run() -> tuple[list[Any], int]:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        found = list(plan.vjp_raw(given if type(out) is tuple else given[0], ids, saved, static))
        return found, tracemalloc.get_traced_memory()[1] - before

    found, extra = run()
    if _PYTHON <= extra < _CODE:  # perhaps for code that the rule needs for the first time
        found, extra = run()
    places = {id(_root(_values(g))): ("g", k) for k, g in enumerate(given)}
    places.update({id(_root(x._value)): ("saved", k) for k, x in enumerate(saved)})
    cotangents: list[_Cotangent | None] = []
    for k, d in enumerate(found):
        if d is None:
            cotangents.append(None)
            continue
        array = _values(d)
        root = _root(array)
        place = places.setdefault(id(root), ("new", k))
        size = int(root.nbytes)
        layout = tuple(d.shape), array.dtype, array.strides
        cotangents.append(
            _Cotangent(*layout, place, size, None if array is d else tuple(array.shape))
        )
    new = {d.buffer: d.size for d in cotangents if d is not None and d.buffer[0] == "new"}
    results = sum(new.values())
    return _Result(cotangents, results if extra - results < _PYTHON else extra)


def _values(d: Any) -> Any:
    return d.values if type(d) is IndexedSlices else d


def _root(x: Any) -> Any:
    """Returns the array that owns the memory of an array."""
    while type(base := getattr(x, "base", None)) is ndarray:
        x = base
    return x
