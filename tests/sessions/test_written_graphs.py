"""Graphs that programs with sessions write out are imported again, and run as before.

TensorFlow imports them too if `GRADTAPE_TENSORFLOW` names a Python that has it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from graph.probing import programs
from sessions.written_graphs import Written, difference, written

import gradtape as tf

v1 = tf.compat.v1
PROGRAMS = {p.name: p for p in programs() if p.name.startswith("sessions")}
TENSORFLOW = os.environ.get("GRADTAPE_TENSORFLOW")

KNOWN = {
    **dict.fromkeys(
        ("sessions_feeds.ragged_tensors_are_fed", "sessions_feeds.operations_on_fed_rows"),
        "operations on fed ragged tensors have no counterpart in TensorFlow",
    ),
    **dict.fromkeys(
        (
            "sessions_flow.a_queue",
            "sessions_programs.a_regression_fed_by_queues",
            "sessions_flow.batches_from_producers",
            "sessions_programs.batches_of_a_data_set",
            "sessions_flow.data_from_python",
            "sessions_older.datasets_initialized_again",
            "sessions_older.datasets_once",
            "sessions_feeds.fetches_that_are_refused",
            "sessions_programs.functions_of_python_in_a_graph",
            "sessions_flow.iterators_of_a_structure",
            "sessions_flow.iterators_that_are_initialized",
            "sessions_older.python_functions",
            "sessions_flow.queues_of_several_kinds",
            "sessions_flow.shuffled_batches",
            "sessions_flow.threads_fill_a_queue",
        ),
        "the state is a Python object: a queue, an iterator or a function",
    ),
    **dict.fromkeys(
        (
            "sessions_programs.a_recurrence_written_by_hand",
            "sessions_older.checks",
            "sessions_programs.clicks_in_sparse_rows",
        ),
        "an operation has no rule",
    ),
}
"""The programs whose graphs are not run again, and why."""

IN_TENSORFLOW = {
    **dict.fromkeys(
        (
            "sessions_training.a_monitored_session",
            "sessions_training.a_session_that_saves",
            "sessions_training.logging_and_counting_hooks",
        ),
        "TensorFlow reads a variable after an assignment in the same run",
    ),
    **dict.fromkeys(
        ("sessions_files.summaries_are_merged", "sessions_programs.followed_by_summaries"),
        "TensorFlow compresses pictures in another way",
    ),
    "sessions_variables.slices_are_assigned": "updates are not as many as the indices",
}
"""More programs whose graphs TensorFlow does not run again as they ran here."""


@cache
def graphs_of(name: str) -> list[Written]:
    return written(PROGRAMS[name], tf)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_graphs_are_imported_and_run_again(name: str) -> None:
    found = [fault for each in graphs_of(name) if (fault := difference(tf, each)) is not None]
    assert bool(found) == (name in KNOWN), found


@pytest.mark.slow
@pytest.mark.skipif(TENSORFLOW is None, reason="GRADTAPE_TENSORFLOW names no Python")
def test_tensorflow_imports_and_runs_the_graphs(tmp_path: Path) -> None:
    made = {
        name: [(x.message, [*map(tuple, x.runs)]) for x in graphs_of(name)] for name in PROGRAMS
    }
    path = tmp_path / "graphs"
    path.write_bytes(pickle.dumps(made))
    command = [str(TENSORFLOW), "-m", "sessions.written_graphs", str(path)]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("sessions")]
    allowed = {*KNOWN, *IN_TENSORFLOW}
    assert [x for x in lines if x.partition(" ")[0] not in allowed] == []


def again(given: Any, fetch: Any, feeds: dict[Any, Any]) -> tuple[Any, Any]:
    """The value of a tensor, and its value after the graph is written out and imported."""
    with v1.Session(graph=given) as session:
        first = session.run(fetch, feeds)
    names = {x.name: value for x, value in feeds.items()}
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(given.as_graph_def(), name="")
        with v1.Session(graph=graph) as session:
            return first, session.run(fetch.name, names)


GRADIENTS = {
    "sum": lambda x: tf.reduce_sum(x * x),
    "sum that keeps its axes": lambda x: tf.reduce_sum(x * x, 1, keepdims=True),
    "reshaped": lambda x: tf.reshape(x * x, [3, 2]) * [[1.0, 2.0]],
}


@pytest.mark.parametrize("what", GRADIENTS)
def test_gradients_of_unknown_rank_are_written(what: str) -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32)
        (found,) = tf.gradients(GRADIENTS[what](x), x)
    one, other = again(graph, found, {x: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]})
    assert one.tolist() == other.tolist()


def test_gradients_of_segments_of_a_fed_number_are_written() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x, ids = v1.placeholder(tf.float32, [None, 2], "x"), v1.placeholder(tf.int64, [None], "ids")
        count = v1.placeholder(tf.int64, [], "count")
        y = tf.math.unsorted_segment_sum(x, ids, count)
        (slope,) = tf.gradients(y * y, x)
        feed = {"x:0": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "ids:0": [1, -1, 1], "count:0": 3}
        assert session.run(slope, feed).tolist() == [[12.0, 16.0], [0.0, 0.0], [12.0, 16.0]]
        message, name = graph.as_graph_def(), slope.name
    for node in message.node:
        assert node.op != "UnsortedSegmentSum" or "Tindices" in node.attr
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(message, name="")
        assert session.run(name, feed).tolist() == [[12.0, 16.0], [0.0, 0.0], [12.0, 16.0]]


def test_loops_count_their_iterations() -> None:
    """TensorFlow's gradient of a loop needs the count and the greatest number of iterations."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [], "x")
        tf.while_loop(lambda i, _: i < 4, lambda i, y: (i + 1, y * x), (tf.constant(0), x))
        nodes = {node.name: node for node in graph.as_graph_def().node}
    (loop,) = [node for node in nodes.values() if node.op == "StatelessWhile"]
    first = [tf.make_ndarray(nodes[name].attr["value"].tensor).item() for name in loop.input[:2]]
    assert first == [0, -1]


def test_functions_of_fed_lengths_are_written() -> None:
    with tf.Graph().as_default() as graph:
        shape, depth = v1.placeholder(tf.int32, [None]), v1.placeholder(tf.int32, [])
        made = tf.ones(shape) + tf.reduce_sum(tf.one_hot([1, 0], depth, 2.0, 0.5))
    one, other = again(graph, made, {shape: [2, 3], depth: 4})
    assert one.tolist() == other.tolist() == [[8.0] * 3] * 2


def test_names_of_uninitialized_variables_are_written() -> None:
    with tf.Graph().as_default() as graph:
        tf.Variable(1.0, name="one")
        names = v1.report_uninitialized_variables()
    one, other = again(graph, names, {})
    assert one.tolist() == other.tolist() == [b"one"]


def test_tags_of_summaries_are_written() -> None:
    with tf.Graph().as_default() as graph:
        v1.summary.scalar("loss", tf.constant(1.0))
        v1.summary.histogram("all", tf.constant([1.0]))
        nodes = {node.name: node for node in graph.as_graph_def().node}
    assert {"ScalarSummary", "HistogramSummary"} <= {node.op for node in nodes.values()}
    for name in ("loss", "all"):
        tag = nodes[nodes[name].input[0]]
        assert tf.make_ndarray(tag.attr["value"].tensor).item() == name.encode()


def test_tables_are_filled_by_their_initializer() -> None:
    with tf.Graph().as_default() as graph:
        first = v1.tables_initializer()
        words = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
        found = tf.lookup.StaticHashTable(words, -1).lookup(tf.constant(["b", "c"]))
        nodes = {node.name: node for node in graph.as_graph_def().node}
    fills = [node.name for node in nodes.values() if node.op == "LookupTableImportV2"]
    assert [f"^{name}" for name in fills] == nodes[first.name].input
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(graph.as_graph_def(), name="")
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(found.name)
        session.run(first.name)
        assert session.run(found.name).tolist() == [2, -1]


def test_a_count_stops_at_its_limit() -> None:
    with tf.Graph().as_default() as graph:
        v = v1.get_variable("v", initializer=1)
        count = v1.count_up_to(v, 2)
        first = v1.global_variables_initializer()
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(graph.as_graph_def(), name="")
        session.run(first.name)
        assert session.run(count.name) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="Reached the limit"):
            session.run(count.name)


def test_gradients_of_losses_of_samples_are_written() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 2])
        sampled = tf.constant([0, 3], tf.int64), tf.ones([1, 1]) * 0.5, tf.constant([0.5, 0.25])
        table, labels = tf.reshape(tf.range(8.0), [4, 2]) / 8, v1.placeholder(tf.int64, [None, 1])
        loss = tf.nn.nce_loss(table, tf.zeros([4]), labels, x, 2, 4, 1, sampled)
        (slope,) = tf.gradients(loss, x)
    one, other = again(graph, slope, {x: [[0.5, -1.0], [1.0, 2.0]], labels: [[1], [2]]})
    assert one.shape == (2, 2)
    assert abs(one - other).max() < 1e-6


def test_a_print_is_written(capfd: Any) -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32)
        y = v1.Print(x, [x], "x is ") * 2.0
    one, other = again(graph, y, {x: [1.0, 2.0]})
    assert one.tolist() == other.tolist()
    assert capfd.readouterr().err.count("x is [1 2]") == 2


def test_variables_of_any_shape_are_written() -> None:
    with tf.Graph().as_default() as graph:
        tf.Variable([1.0], shape=tf.TensorShape(None), name="v")
        nodes = {node.name: node for node in graph.as_graph_def().node}
    assert nodes["v"].attr["shape"].shape.unknown_rank


def test_add_n_of_shapes_that_may_differ() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = v1.placeholder(tf.float32, [None, None]), v1.placeholder(tf.float32, [None, 3])
        total = tf.add_n([a, b])
        assert session.run(total, {a: [[1, 2, 3]], b: [[1, 1, 1]]}).tolist() == [[2, 3, 4]]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(total, {a: [[1, 2]], b: [[1, 1, 1]]})


@pytest.mark.parametrize(("axis", "shape"), [(-1, (1, 2, 3)), (0, (3, 1, 2)), (1, (1, 3, 2))])
def test_one_hot_of_unknown_rank(axis: int, shape: tuple[int, ...]) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.int32)
        found = session.run(tf.one_hot(x, 3, axis=axis), {x: [[1, 2]]})
        assert found.shape == shape
    assert found.tolist() == tf.one_hot([[1, 2]], 3, axis=axis).numpy().tolist()


@pytest.mark.parametrize("kind", ["all", "log_uniform", "uniform"])
def test_names_of_samplers(kind: str) -> None:
    with tf.Graph().as_default():
        true = v1.placeholder(tf.int64, [None, 1])
        rest = () if kind == "all" else (5,)
        room = tf.nn if kind == "all" else tf.random
        drawn = getattr(room, f"{kind}_candidate_sampler")(true, 1, 3, True, *rest)
        name = "".join(word.title() for word in kind.split("_")) + "CandidateSampler"
        assert [x.name for x in drawn] == [f"{name}:{i}" for i in range(3)]
