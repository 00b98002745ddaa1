"""Writes a profile in the format that TensorBoard's profiler reads."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gradtape._src.files.atomic_write import replacing
from gradtape._src.files.paths import translated
from gradtape._src.messages import protos

if TYPE_CHECKING:
    from gradtape._src.profiling.report import Report

_HOST = "/host:CPU"


def space(report: Report, began: int, host: str) -> protos.XSpace:
    """Converts a profile to TensorBoard's message, an `XSpace`.

    Args:
      report: The profile.
      began: The time at which the profile began, in nanoseconds since 1970.
      host: The machine's name.
    """
    plane = protos.XPlane(name=_HOST)
    kinds: dict[str, int] = {}
    facts = {"layer": 1, "source": 2}
    for name, number in facts.items():
        plane.stat_metadata[number].CopyFrom(protos.XStatMetadata(id=number, name=name))
    lines: dict[int, protos.XLine] = {}
    for event in report.events:
        line = lines.get(event.thread)
        if line is None:
            name = "program" if event.thread == 0 else f"thread {event.thread}"
            plane.lines.add(id=event.thread, name=name, timestamp_ns=began)
            line = lines[event.thread] = plane.lines[-1]
        shown = f"{event.name} (gradient)" if event.kind == "gradient" else event.name
        kind = kinds.setdefault(shown, len(kinds) + 1)
        stats = []
        if event.layer:
            stats.append(protos.XStat(metadata_id=1, str_value=event.layer.rstrip("/")))
        if event.line is not None:
            place = f"{event.line[0]}:{event.line[1]}"
            stats.append(protos.XStat(metadata_id=2, str_value=place))
        for name, fact in (event.facts or {}).items():
            number = facts.setdefault(name, len(facts) + 1)
            plane.stat_metadata[number].CopyFrom(protos.XStatMetadata(id=number, name=name))
            whole = isinstance(fact, (bool, int))
            stat = {"int64_value": int(fact)} if whole else {"str_value": str(fact)}
            stats.append(protos.XStat(metadata_id=number, **stat))
        line.events.add(
            metadata_id=kind,
            offset_ps=event.start * 1000,
            duration_ps=event.duration * 1000,
            stats=stats,
        )
    for shown, number in kinds.items():
        plane.event_metadata[number].CopyFrom(protos.XEventMetadata(id=number, name=shown))
    return protos.XSpace(planes=[plane], hostnames=[host])


def write(report: Report, logdir: str, began: int) -> Path:
    """Writes a profile below a directory of logs; returns the directory of the profile.

    Args:
      report: The profile.
      logdir: The directory that TensorBoard reads.
      began: The time at which the profile began, in nanoseconds since 1970.

    Raises:
      OpError: The files can't be written.
    """
    name = time.strftime("%Y_%m_%d_%H_%M_%S", time.localtime(began / 1e9))
    folder = Path(logdir) / "plugins" / "profile" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise translated(error, str(folder)) from None
    host = socket.gethostname()
    message = space(report, began, host)
    with replacing(str(folder / f"{host}.xplane.pb")) as file:
        file.write(message.SerializeToString())
    for ending in (".html", ".json", ".txt"):
        report.save(folder / f"profile{ending}")
    return folder
