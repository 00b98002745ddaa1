"""A profile in the format of Chrome's traces, which Perfetto and `chrome://tracing` open."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from gradtape._src.profiling.collector import Event

if TYPE_CHECKING:
    from gradtape._src.profiling.report import Report

_PROCESS = 1


def chrome_trace(report: Report) -> str:
    """Returns a profile as JSON in the format of Chrome's traces."""
    threads = {event.thread for event in report.events} | {0}
    names: list[dict[str, Any]] = [_named("process_name", 0, "gradtape")]
    names += [
        _named("thread_name", t, "program" if t == 0 else f"thread {t}") for t in sorted(threads)
    ]
    spans = [_span(event) for event in report.events]
    memory = [
        {
            "name": "results alive",
            "ph": "C",
            "ts": t * 1e6,
            "pid": _PROCESS,
            "args": {"bytes": live},
        }
        for t, live in changes(report.memory)
    ]
    facts = {"wall_seconds": report.wall, "events_left_out": report.dropped}
    trace = {"traceEvents": [*names, *spans, *memory], "displayTimeUnit": "ms", "otherData": facts}
    return json.dumps(trace)


def _named(what: str, thread: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": _PROCESS, "tid": thread, "args": {"name": name}}


def _span(event: Event) -> dict[str, Any]:
    args: dict[str, Any] = {}
    if event.line is not None:
        args["line"] = f"{event.line[0]}:{event.line[1]}"
    if event.layer:
        args["layer"] = event.layer.rstrip("/")
    args.update({name: _plain(fact) for name, fact in (event.facts or {}).items()})
    name = f"{event.name} (gradient)" if event.kind == "gradient" else event.name
    return {
        "name": name,
        "cat": event.kind,
        "ph": "X",
        "ts": event.start / 1e3,
        "dur": event.duration / 1e3,
        "pid": _PROCESS,
        "tid": event.thread,
        "args": args,
    }


def _plain(fact: Any) -> Any:
    """Converts a fact to a value that JSON can contain."""
    if isinstance(fact, (bool, int, str)) or (isinstance(fact, float) and math.isfinite(fact)):
        return fact
    return str(fact)


def changes(memory: list[tuple[float, int]], most: int = 20_000) -> list[tuple[float, int]]:
    """Returns the points at which the memory changes, or a selection of them.

    A group of neighbouring points is replaced by the highest of them, so that peaks are kept.

    Args:
      memory: Pairs of a time and bytes.
      most: The approximate number of points to return.
    """
    points = sorted(memory)
    kept = [p for i, p in enumerate(points) if i == 0 or p[1] != points[i - 1][1]]
    if len(kept) <= most:
        return kept
    width = -(-len(kept) // most)
    groups = [kept[i : i + width] for i in range(0, len(kept), width)]
    return [max(group, key=lambda p: p[1]) for group in groups]
