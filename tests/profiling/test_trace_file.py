"""Traces are in Chrome's trace event format; their memory is thinned out, but for its peaks."""

from __future__ import annotations

import json
import math
import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.profiling.recording import Recording
from gradtape._src.profiling.trace_file import changes

ROUNDING = 1e-3  # microseconds: times are in nanoseconds, and written as floats


def refused(constant):
    raise AssertionError(f"{constant} is not JSON")


@pytest.fixture(scope="module")
def report():
    """A profile of training steps, a compiled function and a second thread."""
    w = tf.Variable(np.eye(8, dtype=np.float32))

    @tf.function
    def squared(x):
        return tf.reduce_sum(tf.tanh(x @ w) ** 2)

    def step():
        with tf.name_scope("layer"), tf.GradientTape() as tape:
            y = squared(w) + tf.reduce_sum(tf.sin(w))
        w.assign_sub(0.01 * tape.gradient(y, w))

    with Recording() as recording:
        for number in range(3):
            with tf.profiler.experimental.Trace(
                "train", step_num=number, loss=0.5 / (number or np.nan)
            ):
                step()
        worker = threading.Thread(target=step)
        worker.start()
        worker.join()
    return recording.report


@pytest.fixture(scope="module")
def trace(report, tmp_path_factory):
    path = tmp_path_factory.mktemp("trace") / "profile.json"
    report.save(path)
    return json.loads(path.read_text("utf-8"), parse_constant=refused)


def spans(trace):
    return [e for e in trace["traceEvents"] if e["ph"] == "X"]


def test_each_event_has_the_fields_that_its_phase_requires(trace):
    assert isinstance(trace["traceEvents"], list)
    assert trace["displayTimeUnit"] in ("ms", "ns")
    assert {e["ph"] for e in trace["traceEvents"]} == {"M", "X", "C"}
    for event in trace["traceEvents"]:
        assert isinstance(event["name"], str)
        assert isinstance(event["pid"], int)
        assert isinstance(event["args"], dict)
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name")
            assert isinstance(event["args"]["name"], str)
            continue
        assert math.isfinite(event["ts"])
        assert event["ts"] >= 0
        if event["ph"] == "X":
            assert math.isfinite(event["dur"])
            assert event["dur"] >= 0
            assert isinstance(event["cat"], str)
        else:
            assert all(isinstance(v, int) for v in event["args"].values())


def test_spans_of_a_thread_lie_within_or_after_each_other(trace):
    by_thread = {}
    for event in spans(trace):
        by_thread.setdefault(event["tid"], []).append((event["ts"], event["ts"] + event["dur"]))
    deepest = 0
    for times in by_thread.values():
        around = []
        for begin, end in sorted(times, key=lambda t: (t[0], -t[1])):
            while around and around[-1] <= begin + ROUNDING:
                around.pop()
            assert not around or end <= around[-1] + ROUNDING
            around.append(end)
            deepest = max(deepest, len(around))
    assert deepest >= 3


def test_spans_are_those_of_the_profile(trace, report):
    found = spans(trace)
    assert len(found) == len(report.events)
    assert all(e["ts"] + e["dur"] <= report.wall * 1e6 + ROUNDING for e in found)
    names = {e["name"] for e in found}
    assert {"Sin", "Sin (gradient)", "tape.gradient", "train"} <= names
    (layers,) = {e["args"].get("layer") for e in found if e["name"] == "Sin"}
    assert layers == "layer"


def test_steps_have_their_facts(trace):
    steps = [e["args"] for e in spans(trace) if e["name"] == "train"]
    assert [args["step_num"] for args in steps] == [0, 1, 2]
    assert [args["loss"] for args in steps] == ["nan", 0.5, 0.25]  # JSON has no NaN


def test_threads_have_names(trace):
    named = {e["tid"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    assert named == {0} | {e["tid"] for e in spans(trace)}


def test_counters_are_in_the_order_of_time(trace):
    times = [e["ts"] for e in trace["traceEvents"] if e["ph"] == "C"]
    assert times == sorted(times)
    assert len(times) > 3


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
