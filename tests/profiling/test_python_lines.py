"""Samples find the lines of the program that run outside of operations."""

from __future__ import annotations

import inspect
import json
import sys
import threading
import time

import pytest

import gradtape as tf
from gradtape._src.profiling.python_lines import Samples, line_of
from gradtape._src.profiling.recording import Recording

_PATIENCE = 20.0  # seconds, on a busy machine


def busy(done):
    """Runs Python code until a condition holds."""
    end = time.perf_counter() + _PATIENCE
    while not done() and time.perf_counter() < end:
        sum(range(1000))


def lines_of(function):
    lines, first = inspect.getsourcelines(function)
    return range(first, first + len(lines))


def test_the_busy_line_is_found():
    samples = Samples([])
    busy(lambda: sum(samples.counts.values()) > 5)
    samples.stop()
    assert {file for file, _, _ in samples.counts} == {__file__}
    assert any(number in lines_of(busy) for _, number, _ in samples.counts)


def test_no_sample_is_taken_while_an_operation_runs():
    class Operation:
        kind = "operation"

    running = [Operation()]
    samples = Samples(running)
    end = time.perf_counter() + 0.05
    busy(lambda: time.perf_counter() > end)
    assert not samples.counts
    running[0].kind = "step"
    busy(lambda: samples.counts)
    samples.stop()
    assert samples.counts


def test_no_thread_is_left():
    before = threading.enumerate()  # those of other tests may end at any time
    samples = Samples([])
    (thread,) = [t for t in threading.enumerate() if t not in before]
    samples.stop()
    samples.stop()
    assert not thread.is_alive()


def test_code_of_libraries_counts_for_the_line_that_calls_it():
    found = []

    class Encoder(json.JSONEncoder):
        def default(self, o):
            found.append(line_of(sys._getframe(1)))
            return 0

    json.dumps(object(), cls=Encoder)
    assert found[0][0] == __file__
    assert found[0][2] == "test_code_of_libraries_counts_for_the_line_that_calls_it"


def test_the_lines_share_the_time_of_python():
    with Recording() as recording:
        busy(lambda: len(recording._samples.counts) > 0)
        tf.matmul(tf.eye(2), tf.eye(2))
    report = recording.report
    python = report.phases["Python outside of operations"]
    assert sum(row.python for row in report.lines) == pytest.approx(python)
    assert report.lines[0].name.startswith(__file__)
