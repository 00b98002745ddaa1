"""A profile as the message of TensorBoard's profiler."""

from __future__ import annotations

import gradtape as tf
from gradtape._src.profiling.recording import Recording
from gradtape._src.profiling.tensorboard_files import space, write


def test_times_are_those_of_the_events():
    with Recording() as recording:
        tf.matmul(tf.eye(2), tf.eye(2))
    report = recording.report
    message = space(report, 123, "here")
    assert list(message.hostnames) == ["here"]
    (line,) = message.planes[0].lines
    assert line.timestamp_ns == 123
    assert [e.offset_ps for e in line.events] == [e.start * 1000 for e in report.events]
    assert [e.duration_ps for e in line.events] == [e.duration * 1000 for e in report.events]


def test_the_directory_is_named_by_the_time(tmp_path):
    with Recording() as recording:
        pass
    folder = write(recording.report, str(tmp_path), 0)
    assert folder.parent == tmp_path / "plugins" / "profile"
    assert folder.name.startswith(("1970_01_01", "1969_12_31"))
