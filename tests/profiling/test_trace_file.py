"""The memory in a trace is thinned out, but for its peaks."""

from __future__ import annotations

from gradtape._src.profiling.trace_file import changes


def test_equal_neighbours_are_left_out():
    assert changes([(0.0, 1), (1.0, 1), (2.0, 3), (3.0, 3)]) == [(0.0, 1), (2.0, 3)]


def test_peaks_stay():
    memory = [(float(t), 1 if t != 4321 else 99) for t in range(10_000)]
    memory = [(t, live + int(t) % 2) for t, live in memory]
    kept = changes(memory, 100)
    assert len(kept) <= 101
    assert max(live for _, live in kept) >= 99


def test_they_are_in_order():
    assert changes([(2.0, 5), (1.0, 3)]) == [(1.0, 3), (2.0, 5)]
