"""Graphs of programs with sessions: written out, imported again, and run as they ran before."""

from __future__ import annotations

import io
import pickle
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

RANDOM = ("Random", "Multinomial", "Truncated", "Sampler", "Shuffle", "Stateless", "Dropout")


class Run(NamedTuple):
    """One run of a session: the names of what was fetched and fed, and the values."""

    fetches: list[str]
    operations: list[str]
    fed: dict[str, Any]
    values: list[Any]


class Written(NamedTuple):
    """A graph as a message, and the runs of one session."""

    message: bytes
    runs: list[Run]


@contextmanager
def recorded_runs() -> Any:
    """Gives a dictionary, by session, of the runs that succeed in the block."""
    from gradtape._src.sessions.session import BaseSession

    found: dict[Any, list[Run]] = {}
    computed = BaseSession._computed

    def noted(self: Any, asked: Any, fed: dict[Any, Any]) -> list[Any]:
        values: list[Any] = computed(self, asked, fed)

        def name(symbol: Any) -> str:
            op, i = self.graph.producer(symbol)
            return f"{op.name}:{i}"

        operations = [x.name for x in self.graph.get_operations() if x.node in {*asked.nodes}]
        found.setdefault(self, []).append(
            Run(
                [name(x) for x in asked.symbols],
                operations if asked.nodes else [],
                {name(x): value for x, value in fed.items()},
                values,
            )
        )
        return values

    BaseSession._computed = noted  # type: ignore[method-assign]
    try:
        yield found
    finally:
        BaseSession._computed = computed  # type: ignore[method-assign]


def written(program: Any, tf: Any) -> list[Written]:
    """Runs a program; returns the graphs of its sessions with the runs that can be repeated."""
    from graph.probing import execute

    out = io.StringIO()
    with recorded_runs() as found, redirect_stdout(out), redirect_stderr(out):
        execute(program, tf)
    made = []
    for session, runs in found.items():
        message = session.graph.as_graph_def().SerializeToString()
        waits = any("Dequeue" in op.type for op in session.graph.get_operations())
        many = 0 if waits else repeated(tf, session.graph, runs, random=False)[0]
        made.append(Written(message, runs[:many]))  # other runs need files or former states
    return made


def difference(tf: Any, given: Written) -> str | None:
    """Imports a graph and repeats its runs; says what fails or differs, None if nothing does."""
    v1 = tf.compat.v1
    message = v1.GraphDef()
    message.ParseFromString(given.message)
    nodes = [*message.node, *(n for f in message.library.function for n in f.node_def)]
    random = any(word in node.op for node in nodes for word in RANDOM)
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(message, name="")
        except Exception as error:  # noqa: BLE001 (what fails is fault)
            return f"import: {type(error).__name__}: {error}"
    _, fault = repeated(tf, graph, given.runs, random)
    return fault


def repeated(tf: Any, graph: Any, runs: list[Run], random: bool) -> tuple[int, str | None]:
    """Repeats runs in a new session; returns how many are as they were, and what is not."""
    tables = [x for x in graph.get_operations() if x.name.split("/")[-1] == "init_all_tables"]
    with tf.compat.v1.Session(graph=graph) as session:
        session.run(tables)  # which is not recorded, since gradtape's own tables need no run
        for i, run in enumerate(runs):
            try:
                values, _ = session.run([run.fetches, run.operations], run.fed)
            except Exception as error:  # noqa: BLE001 (what fails is fault)
                return i, f"run of {run.fetches or run.operations}: {type(error).__name__}: {error}"
            for name, one, other in zip(run.fetches, values, run.values, strict=True):
                if not random and not equal(one, other):
                    return i, f"{name} is {one!r}, not {other!r}"
    return len(runs), None


def equal(one: Any, other: Any) -> bool:
    """Whether two values of fetches are equal, up to rounding."""
    a, b = np.asarray(one), np.asarray(other)
    if a.dtype.kind in "OSU" or b.dtype.kind in "OSUV":
        return bool(a.tolist() == b.tolist())
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)


if __name__ == "__main__":  # run by TensorFlow: prints what it can't do
    import tensorflow as tf

    for name, graphs in pickle.loads(Path(sys.argv[1]).read_bytes()).items():
        for i, (message, runs) in enumerate(graphs):
            fault = difference(tf, Written(message, [Run(*run) for run in runs]))
            if fault is not None:
                fault = fault.replace("\n", " ")
                sys.stdout.write(f"{name} {i} {fault}\n")
