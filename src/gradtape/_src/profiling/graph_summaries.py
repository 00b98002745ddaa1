"""Graphs for TensorBoard: `tf.summary.trace_on`, `trace_export` and `graph`."""

from __future__ import annotations

import logging
import os
import threading
import time
from typing import Any

import numpy as np

from gradtape._src.autodiff.tape_tools import RunningProfile
from gradtape._src.autodiff.tape_tools import profiler as profiles
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.files.event_files import put, recording, step_number
from gradtape._src.files.tensors import make_tensor_proto
from gradtape._src.graph.trace import ALIVE, RECEIVERS, Trace
from gradtape._src.messages import protos

_log = logging.getLogger("tensorflow")
_PLUGIN = "graph_run_metadata_graph"
"""The part of TensorBoard that shows the graphs of a run."""
_VERSION = b"1"


class _Calls:
    """Records the functions that are called.

    Args:
      graph: Whether graphs are wanted.
    """

    def __init__(self, graph: bool) -> None:
        self._before = [(t, t.count()) for t in list(ALIVE.values())] if graph else []
        self._new: list[Trace] = []
        if graph:
            RECEIVERS.append(self._new)

    def traces(self) -> list[Trace]:
        """Returns the graphs that were called, the oldest first."""
        return [
            t for t, calls in [*self._before, *[(t, 0) for t in self._new]] if t.count() > calls
        ]

    def stop(self) -> None:
        """Receives no more functions."""
        RECEIVERS[:] = [received for received in RECEIVERS if received is not self._new]


_lock = threading.Lock()
_calls: list[_Calls] = []  # one element while the trace is on
_profiles: list[tuple[RunningProfile, str]] = []  # and the profile, if it was requested


@export("summary.trace_on")
def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Starts to record which functions are called, for `trace_export`.

    Args:
      graph: Whether to record their graphs.
      profiler: Whether to profile the program, too, until `trace_export` or `trace_off`.
      profiler_outdir: The directory below which `trace_export` writes the profile, as
        `tf.profiler.experimental.stop` does; without one there is a warning and no profile.

    Raises:
      AlreadyExistsError: Another profile runs.
    """
    if _inside("trace_on"):
        return
    with _lock:
        if _calls:
            _log.warning("Trace already enabled")
            return
        if profiler and profiler_outdir is None:
            _log.warning("No `profiler_outdir` passed to trace_on(). Profiler won't be enabled.")
        elif profiler:
            _profiles.append((profiles.get().start(), os.fspath(profiler_outdir)))
        _calls.append(_Calls(graph))


@export("summary.trace_off")
def trace_off() -> None:
    """Stops the recording of `trace_on`, and discards it."""
    with _lock:
        for calls in _calls:
            calls.stop()
        _calls.clear()
        for profile, _ in _profiles:
            profile.stop()
        _profiles.clear()


@export("summary.trace_export")
def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Writes the graphs of the functions that were called since `trace_on`, and stops.

    TensorBoard shows them in its tab for graphs. A profile is written, too, if one was begun.

    Args:
      name: The tag.
      step: The step. Defaults to the step of `set_step`.
      profiler_outdir: Accepted for compatibility.

    Raises:
      ValueError: `trace_on` was not called, or there is no step.
    """
    if _inside("trace_export"):
        return
    with _lock:
        found = list(_calls)
    if not found:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    writer = recording()
    traces = found[0].traces()
    if writer is not None and traces:
        number = step_number(step)
        graphs = [trace.view.as_graph_def(add_shapes=True) for trace in traces]
        run = protos.RunMetadata()
        run.function_graphs.extend(
            [protos.RunMetadata.FunctionGraphs(pre_optimization_graph=g) for g in graphs]
        )
        value = protos.Summary.Value(tag=name)
        value.tensor.CopyFrom(make_tensor_proto(run.SerializeToString()))
        plugin = protos.SummaryMetadata.PluginData(plugin_name=_PLUGIN, content=_VERSION)
        value.metadata.CopyFrom(protos.SummaryMetadata(plugin_data=plugin))
        put(writer, protos.Summary(value=[value]), number)
    for profile, folder in _profiles:
        profile.stop()
        profile.write(folder)
    trace_off()


@export("summary.graph")
def graph(graph_data: Any) -> Tensor:
    """Writes a graph to the default writer, for TensorBoard's tab for graphs.

    Args:
      graph_data: The graph of a concrete function, or a `GraphDef` message.

    Returns:
      Whether it was written. It is not written without a default writer or if `record_if` forbids
      it.

    Raises:
      ValueError: `graph_data` is not a graph.
    """
    writer = recording()
    if writer is None:
        return Tensor(np.bool_(False))
    defined = getattr(graph_data, "as_graph_def", None)
    message = graph_data if defined is None else defined(add_shapes=True)
    kind = getattr(message, "DESCRIPTOR", None)  # also messages of TensorFlow or TensorBoard
    if kind is None or kind.name != "GraphDef":
        raise ValueError(
            "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received "
            f"graph_data={graph_data} of type {type(graph_data).__name__}. (Pass the `graph` of a "
            "concrete function.)"
        )
    writer.write_event(protos.Event(wall_time=time.time(), graph_def=message.SerializeToString()))
    return Tensor(np.bool_(True))


def _inside(name: str) -> bool:
    """Whether a function is being traced; warns that the call then has no effect."""
    if active_compiler() is None:
        return False
    _log.warning("Cannot call tf.summary.%s inside a tf.function: it does nothing there", name)
    return True
