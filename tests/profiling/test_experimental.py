"""`tf.profiler.experimental` writes what TensorBoard reads, and raises what TensorFlow raises."""

from __future__ import annotations

import json

import pytest

import gradtape as tf
from gradtape._src.messages import protos
from gradtape._src.profiling.recording import running

experimental = tf.profiler.experimental


def test_files_lie_where_tensorboard_looks(tmp_path):
    with experimental.Profile(str(tmp_path)) as profile:
        tf.matmul(tf.eye(2), tf.eye(2))
    (folder,) = (tmp_path / "plugins" / "profile").iterdir()
    endings = sorted("".join(file.suffixes[-1:]) for file in folder.iterdir())
    assert endings == [".html", ".json", ".pb", ".txt"]
    assert "MatMul" in (folder / "profile.txt").read_text()
    assert [row.name for row in profile.report.operations if row.name == "MatMul"] == ["MatMul"]


def test_the_file_of_tensorboard_holds_the_events(tmp_path):
    experimental.start(tmp_path)
    with experimental.Trace("train", step_num=1), tf.name_scope("dense"):
        tf.matmul(tf.eye(2), tf.eye(2))
    experimental.stop()
    (file,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    (plane,) = protos.XSpace.FromString(file.read_bytes()).planes
    names = {number: kind.name for number, kind in plane.event_metadata.items()}
    (line,) = plane.lines
    by_name = {names[event.metadata_id]: event for event in line.events}
    train, product = by_name["train"], by_name["MatMul"]
    assert train.offset_ps <= product.offset_ps
    assert product.duration_ps <= train.duration_ps
    facts = {plane.stat_metadata[s.metadata_id].name: s.str_value for s in product.stats}
    assert facts["layer"] == "dense"
    assert __file__ in facts["source"]


def test_errors_are_tensorflows(tmp_path):
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        experimental.stop()
    experimental.start(str(tmp_path))
    with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
        experimental.start(str(tmp_path))
    experimental.stop(save=False)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(TypeError):
        experimental.start(3)
    assert running() is None


def test_a_directory_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.OpError), experimental.Profile(str(tmp_path / "file")):
        tf.matmul(tf.eye(2), tf.eye(2))
    assert running() is None


def test_a_trace_without_a_profile_does_nothing():
    with experimental.Trace("train", step_num=3) as trace:
        trace.set_metadata(loss=1.0)
    with pytest.raises(TypeError, match="`name` must be a string"):
        experimental.Trace(3)


def test_options_have_tensorflows_defaults():
    assert repr(experimental.ProfilerOptions()) == (
        "ProfilerOptions(host_tracer_level=2, python_tracer_level=0, device_tracer_level=1, "
        "delay_ms=None)"
    )


def test_the_trace_for_perfetto(tmp_path):
    with experimental.Profile(tmp_path), experimental.Trace("train"):
        v = tf.Variable(tf.eye(3))
        with tf.GradientTape() as tape:
            y = tf.matmul(v, v)
        tape.gradient(y, v)
    (file,) = tmp_path.glob("plugins/profile/*/profile.json")
    trace = json.loads(file.read_text())
    spans = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert {"train", "MatMul", "MatMul (gradient)", "tape.gradient"} <= {e["name"] for e in spans}
    train = next(e for e in spans if e["name"] == "train")
    for span in spans:
        assert span["ts"] >= train["ts"]
        assert span["ts"] + span["dur"] <= train["ts"] + train["dur"] + 1e-3
    assert any(e["ph"] == "C" and e["args"]["bytes"] > 0 for e in trace["traceEvents"])
