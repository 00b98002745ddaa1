"""Graphs that are written for TensorBoard."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

import gradtape as tf
from gradtape._src.files.event_files import summary_iterator
from gradtape._src.graph.trace import RECEIVERS


def _events(folder: Path) -> list[Any]:
    return [event for path in folder.iterdir() for event in summary_iterator(str(path))]


def _graphs(folder: Path) -> list[Any]:
    """The graphs of the one trace in a folder."""
    (value,) = [v for event in _events(folder) for v in event.summary.value]
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata_graph"
    (held,) = value.tensor.string_val
    run = tf.compat.v1.RunMetadata.FromString(held)
    return [graphs.pre_optimization_graph for graphs in run.function_graphs]


@pytest.fixture(autouse=True)
def _off() -> Any:
    yield
    tf.summary.trace_off()


def test_a_trace_has_the_graphs_of_the_functions_that_were_called(tmp_path: Path) -> None:
    @tf.function
    def before(x: Any) -> Any:
        return tf.exp(x)

    @tf.function
    def known(x: Any) -> Any:
        with tf.name_scope("layer"):
            return tf.tanh(x) * 2.0

    @tf.function
    def new(x: Any) -> Any:
        return tf.sin(x)

    before(tf.constant(1.0))
    known(tf.constant(1.0))
    tf.summary.trace_on(graph=True)
    known(tf.constant(1.0))
    new(tf.constant([1.0, 2.0]))
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        tf.summary.trace_export("step", 3)
    writer.close()
    first, second = _graphs(tmp_path)
    assert [n.name for n in first.node] == [
        "x",
        "layer/Tanh",
        "layer/mul/y",
        "layer/mul",
        "Identity",
    ]
    assert [n.op for n in second.node] == ["Placeholder", "Sin", "Identity"]
    (shape,) = second.node[1].attr["_output_shapes"].list.shape
    assert [dim.size for dim in shape.dim] == [2]
    (event,) = [e for e in _events(tmp_path) if e.summary.value]
    assert (event.step, event.summary.value[0].tag) == (3, "step")


def test_a_trace_needs_to_be_on_and_ends_with_its_export(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    with pytest.raises(ValueError, match="Must enable trace before export"):
        tf.summary.trace_export("a", 0)
    tf.summary.trace_off()
    tf.summary.trace_on()
    tf.summary.trace_on()
    with writer.as_default():
        tf.summary.trace_export("nothing was called", 0)
        with pytest.raises(ValueError, match="Must enable trace before export"):
            tf.summary.trace_export("again", 0)
    assert not [v for event in _events(tmp_path) for v in event.summary.value]


def test_functions_that_no_longer_exist_are_written(tmp_path: Path) -> None:
    tf.summary.trace_on()
    tf.function(tf.sin)(tf.constant(1.0))
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        tf.summary.trace_export("step", 0)
    tf.function(tf.cos)(tf.constant(1.0))
    assert RECEIVERS == []
    writer.close()
    assert [[n.op for n in g.node] for g in _graphs(tmp_path)] == [
        ["Placeholder", "Sin", "Identity"]
    ]


def test_an_export_needs_a_step_and_does_nothing_without_a_writer(tmp_path: Path) -> None:
    @tf.function
    def f(x: Any) -> Any:
        return x * x

    tf.summary.trace_on()
    f(tf.constant(1.0))
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(), pytest.raises(ValueError, match="No step set"):
        tf.summary.trace_export("a")
    tf.summary.trace_export("a", 1)
    with pytest.raises(ValueError, match="Must enable"):
        tf.summary.trace_export("a", 1)


def test_a_profile_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    tf.summary.trace_on(graph=False, profiler=True, profiler_outdir=str(tmp_path))
    tf.matmul(tf.eye(2), tf.eye(2))
    tf.summary.trace_export("a", 1)
    (page,) = tmp_path.glob("plugins/profile/*/profile.html")
    assert "MatMul" in page.read_text(encoding="utf-8")
    assert len(list(tmp_path.glob("plugins/profile/*/*.xplane.pb"))) == 1


def test_a_profile_is_not_written_without_a_place_or_an_export(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tf.summary.trace_on(profiler=True)
    assert "Profiler won't be enabled" in caplog.text
    tf.summary.trace_off()
    tf.summary.trace_on(profiler=True, profiler_outdir=str(tmp_path))
    tf.summary.trace_off()
    assert list(tmp_path.iterdir()) == []
    tf.profiler.experimental.start(str(tmp_path))  # none runs any more
    tf.profiler.experimental.stop(save=False)


def test_nothing_happens_inside_of_functions() -> None:
    @tf.function
    def f(x: Any) -> Any:
        tf.summary.trace_on()
        tf.summary.trace_export("a", 1)
        return x

    f(tf.constant(1.0))
    with pytest.raises(ValueError, match="Must enable"):
        tf.summary.trace_export("a", 1)


def test_functions_that_other_threads_call_are_in_a_trace(tmp_path: Path) -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.cos(x)

    tf.summary.trace_on()
    thread = threading.Thread(target=f, args=(tf.constant(1.0),))
    thread.start()
    thread.join()
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=1):
        tf.summary.trace_export("a")
    (graph,) = _graphs(tmp_path)
    assert "Cos" in [n.op for n in graph.node]


def test_a_graph_is_written_as_a_graph(tmp_path: Path) -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.exp(x)

    graph = f.get_concrete_function(tf.TensorSpec([2])).graph
    assert not tf.summary.graph(graph).numpy()
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        assert tf.summary.graph(graph).numpy()
        assert tf.summary.graph(graph.as_graph_def()).numpy()
        with pytest.raises(ValueError, match="Argument 'graph_data' is not"):
            tf.summary.graph(3)
    held = [e.graph_def for e in _events(tmp_path) if e.graph_def]
    found = [tf.compat.v1.GraphDef.FromString(h) for h in held]
    assert [[n.name for n in g.node] for g in found] == [["x", "Exp", "Identity"]] * 2


def test_a_definition_of_another_librarys_class(tmp_path: Path) -> None:
    described = FileDescriptorProto(name="g.proto", package="tensorboard", syntax="proto3")
    described.message_type.add(name="GraphDef")
    described.message_type.add(name="Another")
    pool = DescriptorPool()
    pool.Add(described)
    foreign, another = (
        GetMessageClass(pool.FindMessageTypeByName(f"tensorboard.{name}"))
        for name in ("GraphDef", "Another")
    )
    data = tf.compat.v1.GraphDef(node=[{"name": "x", "op": "NoOp"}]).SerializeToString()
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=0):
        assert tf.summary.graph(foreign.FromString(data))
        with pytest.raises(ValueError, match="of type Another"):
            tf.summary.graph(another())
    writer.close()
    assert data in [event.graph_def for event in _events(tmp_path)]
