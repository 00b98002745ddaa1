"""Measures the time of nested sections, and adds up their own times.

A section's own time is its duration without the sections inside it. The own times of all sections
add up to the total time: the program's Python code and the profiler itself are sections, too.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

now = time.perf_counter_ns
MOST_EVENTS = 400_000
"""As many events are kept one by one; further ones only count in the sums."""

Line = tuple[str, int, str]
"""A place in the program: file, line, function."""
PYTHON, OVERHEAD = "Python", "the profiler"
PYTHON_KINDS = frozenset({"step"})
"""The kinds of sections whose own time is that of the program's Python."""


class Event(NamedTuple):
    """A finished section.

    Attributes:
      name: The name of the operation or function.
      kind: "operation", "node" (an operation of a graph), "gradient" (of an operation), "walk"
        (through a tape's records), "function", "trace", "compile", "assign", "data", "copy",
        "optimizer", "import" or "step".
      start: The time of its beginning, in nanoseconds since the profile began.
      duration: Its duration in nanoseconds, including the sections inside it.
      line: The place in the program.
      layer: The name scope, which Keras' layers open.
      live: The bytes of arrays from operations of the profile that were alive at its end.
      thread: 0 for the thread that is profiled; others count from 1.
      facts: The facts that the program gives for a step, by name.
    """

    name: str
    kind: str
    start: int
    duration: int
    line: Line | None
    layer: str
    live: int
    thread: int
    facts: dict[str, Any] | None = None


class Key(NamedTuple):
    """Identifies the sections whose times are added up together."""

    name: str
    kind: str
    backward: bool
    line: Line | None
    layer: str


class Sums:
    """The number of sections, their total own nanoseconds, and the bytes of their results."""

    __slots__ = ("bytes", "calls", "own")

    def __init__(self) -> None:
        self.calls = self.own = self.bytes = 0


class Flame:
    """A section in the flame graph: its own time, and the sections that ran inside, by name."""

    __slots__ = ("calls", "inside", "own")

    def __init__(self) -> None:
        self.own = self.calls = 0
        self.inside: dict[tuple[str, str], Flame] = {}

    def child(self, name: str, layer: str) -> Flame:
        """Returns the section with a name and layer inside this one, which is made if missing."""
        found = self.inside.get((layer, name))
        if found is None:
            found = self.inside[layer, name] = Flame()
        return found


class Section:
    """A running section."""

    __slots__ = (
        *("backward", "covered", "entered", "flame", "kind", "layer", "line", "name", "owner"),
        "start",
    )

    name: str
    kind: str
    line: Line | None
    layer: str
    backward: bool
    owner: Key | None  # the key of operations inside a gradient
    flame: Flame
    entered: int
    start: int
    covered: int  # nanoseconds in the sections inside


class _Thread(threading.local):
    """The running sections of a thread, the innermost one last."""

    def __init__(self) -> None:
        self.stack: list[Section] = []
        self.number = -1


class Collector:
    """Collects the sections of a profile; see the module's docstring."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.dropped = 0
        self.sums: dict[Key, Sums] = {}
        self.copies: dict[str, Sums] = {}
        self.flame = Flame()
        self.live = self.peak = 0
        self.picture = ""
        self.lines: dict[Line, int] = {}  # samples of Python outside of operations
        self.threads: dict[int, int] = {0: 0}  # the nanoseconds of each thread in sections
        self._refs: dict[int, weakref.ref[Any]] = {}
        self._threads = _Thread()
        self._overhead = 0
        self._lock = threading.Lock()
        self.began = now()
        self.ended: int | None = None
        self._threads.number = 0

    @property
    def wall(self) -> int:
        """The nanoseconds from the beginning to the end of the profile, or until now."""
        return (self.ended or now()) - self.began

    def finish(self) -> None:
        """Ends the profile, with the sections that still run in this thread."""
        if self.ended is None:
            while self._threads.stack:
                self.leave(self._threads.stack[-1])
            self.ended = now()

    def totals(self) -> dict[Key, Sums]:
        """The sums of all sections of the thread, and of the time outside of all sections."""
        found = dict(self.sums)
        for name, own in ((OVERHEAD, self._overhead), (PYTHON, self._time_outside_sections())):
            sums = found[Key(name, name, False, None, "")] = Sums()
            sums.own = own
        return found

    def _time_outside_sections(self) -> int:
        return max(self.wall - self.threads[0], 0)

    def top(self) -> Section | None:
        """The innermost running section of this thread."""
        stack = self._threads.stack
        return stack[-1] if stack else None

    def running(self) -> list[Section]:
        """The running sections of this thread, the innermost one last, in a list that changes."""
        return self._threads.stack

    def enter(
        self,
        name: str,
        kind: str,
        place: Callable[[], tuple[Line | None, str]],
        entered: int,
        owner: Key | None = None,
    ) -> Section:
        """Begins a section.

        Args:
          name: The name of the section.
          kind: The kind, as in `Event`.
          place: A function that returns the line and the layer; not called inside a gradient.
          entered: The time at which the profiler was called.
          owner: For a gradient, the key that counts it and the operations inside it.
        """
        thread = self._threads
        if thread.number < 0:
            with self._lock:
                thread.number = len(self.threads)
                self.threads[thread.number] = 0
        stack = thread.stack
        around = stack[-1] if stack else None
        section = Section.__new__(Section)
        section.name, section.kind = name, kind
        if owner is None and around is not None and kind == "operation":
            owner = around.owner
        section.owner = owner
        section.line, section.layer = (owner.line, owner.layer) if owner is not None else place()
        section.backward = kind in _BACKWARD or (around is not None and around.backward)
        above = self.flame if around is None else around.flame
        section.flame = above.child(name, section.layer)
        section.entered, section.covered = entered, 0
        stack.append(section)
        section.start = now()
        return section

    def leave(
        self, section: Section, result: Any = None, facts: dict[str, Any] | None = None
    ) -> None:
        """Ends a section, and the sections inside it that an exception has left.

        Args:
          section: The section.
          result: Its result, whose bytes are added.
          facts: The facts about it from the program, by name.
        """
        end = now()
        thread = self._threads
        while thread.stack and thread.stack.pop() is not section:
            pass
        own = end - section.start - section.covered
        made = 0 if result is None else self._made(result)
        if thread.number == 0:
            self._add(section, own, made)
        if len(self.events) < MOST_EVENTS:
            self.events.append(
                Event(
                    section.name,
                    section.kind,
                    section.start - self.began,
                    end - section.start,
                    section.line,
                    section.layer,
                    self.live,
                    thread.number,
                    facts,
                )
            )
        else:
            self.dropped += 1
        around = thread.stack[-1] if thread.stack else None
        left = now()
        if thread.number == 0:
            self._overhead += section.start - section.entered + left - end
        if around is None:
            self.threads[thread.number] += left - section.entered
        else:
            around.covered += left - section.entered

    def completed(self, name: str, kind: str, duration: int) -> None:
        """Records a finished section of which only the duration is known.

        Args:
          name: The name of the section.
          kind: The kind, as in `Event`.
          duration: Its nanoseconds.
        """
        around = self.top()
        if around is None or self._threads.number != 0:
            return
        duration = min(duration, now() - around.start - around.covered)
        key = Key(name, kind, False, around.line, around.layer)
        sums = self.sums.setdefault(key, Sums())
        sums.calls += 1
        sums.own += duration
        flame = around.flame.child(f"{kind} {name}", around.layer)
        flame.own += duration
        flame.calls += 1
        start = now() - duration - self.began
        event = Event(
            f"{kind} {name}", kind, start, duration, around.line, around.layer, self.live, 0
        )
        self.events.append(event)
        around.covered += duration

    def _add(self, section: Section, own: int, made: int) -> None:
        owner = section.owner
        if owner is None:
            owner = Key(section.name, section.kind, section.backward, section.line, section.layer)
            counted = True
        else:
            counted = section.kind == "gradient"
        sums = self.sums.get(owner)
        if sums is None:
            sums = self.sums[owner] = Sums()
        sums.calls += counted
        sums.own += own
        sums.bytes += made
        section.flame.own += own
        section.flame.calls += 1

    def _made(self, result: Any) -> int:
        """Returns the bytes of new arrays in a result; they count as live until they are freed."""
        if type(result) in _SEVERAL:
            return sum([self._made(x) for x in result])
        if type(result) is not np.ndarray:
            return 0
        array = result if result.base is None else result.base
        if type(array) is not np.ndarray or id(array) in self._refs:
            return 0
        number, count = id(array), array.nbytes
        self._refs[number] = weakref.ref(array, partial(self._freed, number, count))
        self.live += count
        self.peak = max(self.peak, self.live)
        return count

    def _freed(self, number: int, count: int, _: Any) -> None:
        self._refs.pop(number, None)
        self.live -= count

    def copied(self, how: str, count: int) -> None:
        """Records a copy.

        Args:
          how: The name of the section that copied an array.
          count: The number of bytes that were copied.
        """
        sums = self.copies.setdefault(how, Sums())
        sums.calls += 1
        sums.bytes += count


_BACKWARD = frozenset({"gradient", "walk"})
_SEVERAL = (tuple, list)
