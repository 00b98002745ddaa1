"""Own times of sections add up to the time that passed."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from gradtape._src.profiling import collector as module
from gradtape._src.profiling.collector import OVERHEAD, PYTHON, Collector, Key, now


class Clock:
    """A clock that goes on when a test says so."""

    def __init__(self, monkeypatch):
        self.time = 0
        monkeypatch.setattr(module, "now", lambda: self.time)

    def passes(self, n):
        self.time += n


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def nowhere():
    return None, ""


def own(collector):
    return {key.name: sums.own for key, sums in collector.totals().items()}


def test_a_section_has_the_time_without_the_sections_inside(clock):
    collector = Collector()
    clock.passes(5)
    outer = collector.enter("outer", "step", nowhere, clock.time)
    clock.passes(10)
    inner = collector.enter("inner", "operation", nowhere, clock.time)
    clock.passes(100)
    collector.leave(inner)
    clock.passes(20)
    collector.leave(outer)
    clock.passes(7)
    collector.finish()
    assert own(collector) == {"outer": 30, "inner": 100, PYTHON: 12, OVERHEAD: 0}
    assert collector.wall == 142


def test_what_the_profiler_takes_is_a_row_of_its_own(clock):
    collector = Collector()

    def slow():
        clock.passes(9)
        return None, ""

    section = collector.enter("f", "operation", slow, clock.time)
    clock.passes(4)
    collector.leave(section)
    collector.finish()
    assert own(collector) == {"f": 4, PYTHON: 0, OVERHEAD: 9}


def test_operations_in_a_gradient_count_as_the_operations_gradient(clock):
    collector = Collector()
    key = Key("MatMul", "operation", True, ("a.py", 3, "f"), "dense/")
    gradient = collector.enter("MatMul", "gradient", nowhere, clock.time, key)
    clock.passes(1)
    inside = collector.enter("Transpose", "operation", nowhere, clock.time)
    clock.passes(10)
    collector.leave(inside)
    collector.leave(gradient)
    assert collector.sums.keys() == {key}
    assert (collector.sums[key].own, collector.sums[key].calls) == (11, 1)


def test_sections_that_an_error_left_end_with_the_one_around(clock):
    collector = Collector()
    outer = collector.enter("outer", "step", nowhere, clock.time)
    collector.enter("left", "operation", nowhere, clock.time)
    clock.passes(3)
    collector.leave(outer)
    assert collector.top() is None
    collector.finish()
    assert sum(own(collector).values()) == collector.wall


def test_arrays_count_as_long_as_they_are_alive():
    collector = Collector()
    section = collector.enter("f", "operation", nowhere, now())
    array = np.ones(1000)
    collector.leave(section, (array, array[:5]))
    assert (collector.live, collector.peak) == (8000, 8000)
    del array
    assert (collector.live, collector.peak) == (0, 8000)


def test_other_threads_do_not_count_in_the_sums():
    collector = Collector()

    def run():
        collector.leave(collector.enter("elsewhere", "operation", nowhere, now()))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    collector.finish()
    assert [(e.name, e.thread) for e in collector.events] == [("elsewhere", 1)]
    assert own(collector).keys() == {PYTHON, OVERHEAD}


def test_only_so_many_events_are_kept_and_all_count(monkeypatch):
    monkeypatch.setattr(module, "MOST_EVENTS", 3)
    collector = Collector()
    for _ in range(5):
        collector.leave(collector.enter("f", "operation", nowhere, time.perf_counter_ns()))
    assert (len(collector.events), collector.dropped) == (3, 2)
    assert [sums.calls for sums in collector.sums.values()] == [5]


def test_what_is_told_afterwards_is_taken_from_the_section_around(clock):
    collector = Collector()
    section = collector.enter("f", "function", nowhere, clock.time)
    clock.passes(50)
    collector.completed("f", "compile", 30)
    collector.leave(section)
    found = {key.kind: sums.own for key, sums in collector.sums.items()}
    assert found == {"compile": 30, "function": 20}
