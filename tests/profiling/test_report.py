"""The tables of a profile, and the files that it is written to."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

import gradtape as tf
from gradtape._src.profiling.recording import Recording
from gradtape._src.profiling.report import Table, place_of, seconds


@pytest.fixture(scope="module")
def report():
    x = tf.Variable(tf.eye(3))
    with Recording() as recording:
        for _ in range(3):
            with tf.GradientTape() as tape, tf.name_scope("dense"):
                y = tf.reduce_sum(tf.matmul(x, x))
            tape.gradient(y, x)
    return recording.report


def test_the_parts_of_the_time_add_up(report):
    assert sum(report.phases.values()) == pytest.approx(report.wall)
    operations = sum(t for name, t in report.phases.items() if name.startswith("operations"))
    for rows in (report.operations, report.layers, report.lines):
        assert sum(row.forward + row.backward for row in rows) == pytest.approx(operations)


def test_those_that_took_longest_come_first(report):
    for rows in (report.operations, report.layers, report.lines):
        times = [row.seconds for row in rows]
        assert times == sorted(times, reverse=True)


def test_it_prints_as_tables(report):
    text = str(report)
    assert text.startswith(report.caption)
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("operation "))
    assert lines[head].split() == ["operation", "calls", "forward", "backward", "share", "made"]
    assert set(lines[head + 1]) == {"-"}
    assert "MatMul" in text
    assert "test_report.py:" in text
    assert repr(report) == text == report.plain()


def test_a_table_has_columns():
    table = Table(("name", "n"), [("a", "1"), ("long", "20")])
    assert table.plain().splitlines() == ["name   n", "--------", "a      1", "long  20"]
    console = Console(width=40, record=True, file=io.StringIO())
    console.print(table)
    assert console.export_text().count("long") == 1


@pytest.mark.parametrize(
    ("t", "text"), [(12.345, "12.35 s"), (0.0123, "12.30 ms"), (1.2e-5, "12 µs"), (0.0, "0")]
)
def test_times_have_a_unit_that_suits_them(t, text):
    assert seconds(t) == text


def test_a_line_that_is_not_known():
    assert place_of(None) == "(unknown)"
    assert place_of(("a.py", 3, "f")) == "a.py:3"


def test_the_ending_says_in_which_form_to_write(report, tmp_path):
    report.save(tmp_path / "a.html")
    report.save(str(tmp_path / "a.json"))
    report.save(tmp_path / "a.txt")
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads((tmp_path / "a.json").read_text())["traceEvents"]
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == f"{report.plain()}\n"


def test_another_ending_is_refused_and_nothing_written(report, tmp_path):
    with pytest.raises(ValueError, match=r"must end in one of .html, .json, .txt"):
        report.save(tmp_path / "a.svg")
    with pytest.raises(tf.errors.NotFoundError):
        report.save(tmp_path / "none" / "a.html")
    assert list(tmp_path.iterdir()) == []


def test_steps_have_a_row():
    with Recording() as recording:
        for _ in range(3):
            with tf.profiler.experimental.Trace("train"):
                tf.square(2.0)
    (row,) = recording.report.steps
    assert (row.name, row.calls) == ("train", 3)
    assert 0 < row.shortest <= row.mean <= row.longest
    assert "longest" in recording.report.plain()
