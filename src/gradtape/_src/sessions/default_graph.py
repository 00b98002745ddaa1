"""The graph that operations are put into where no other is open."""

from __future__ import annotations

import sys
import threading
from contextlib import ExitStack
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.recorder import STACK
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.graph.ir.func_graph import FuncGraph
from gradtape._src.sessions.graph import Graph

_PACKAGE = f"{__name__.partition('.')[0]}."


class _Default:
    """The graph outside of all blocks, and whether operations are put into it."""

    def __init__(self) -> None:
        self.graph: Graph | None = None
        self.lock = threading.Lock()
        self.entered: ExitStack | None = None


_default = _Default()


def global_graph() -> Graph:
    """Returns the graph outside of all blocks."""
    with _default.lock:
        if _default.graph is None:
            _default.graph = Graph()
        return _default.graph


@export("compat.v1.get_default_graph")
def get_default_graph() -> FuncGraph:
    """Returns the graph that operations are put into.

    Returns:
      The graph of the innermost block or of the function that is being traced; outside of these
      a graph of the process's.
    """
    view = getattr(active_compiler(), "view", None)
    return view if isinstance(view, FuncGraph) else global_graph()


@export("compat.v1.reset_default_graph")
def reset_default_graph() -> None:
    """Forgets the graph outside of all blocks, so that a new one takes its place.

    Raises:
      AssertionError: The program is in the block of a graph.
    """
    graph = getattr(STACK.recorders[0], "open_graph", None) if STACK.recorders else None
    if graph is not None and graph is not _default.graph:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    inside = _default.entered
    if inside is not None:
        inside.close()
    _default.graph, _default.entered = None, None
    if inside is not None:
        disable_eager_execution()


@export("compat.v1.disable_eager_execution")
def disable_eager_execution() -> None:
    """Puts operations into a graph from now on, which a session runs.

    That holds for this thread, and for all threads of the program that begin later.
    """
    if _default.entered is None:
        entered = ExitStack()
        entered.enter_context(global_graph().as_default())
        _default.entered = entered
        before = threading.getprofile()
        entered.callback(threading.setprofile, before)
        threading.setprofile(_ThreadStart(before))


class _ThreadStart:
    """Lets a new thread begin in the default graph; is called by its first event.

    Args:
      following: A function that gets the thread's events from then on, such as a profiler.
    """

    def __init__(self, following: Any) -> None:
        self._following = following

    def __call__(self, frame: Any, event: str, arg: Any) -> None:
        sys.setprofile(self._following)
        if _default.entered is not None and not _is_ours(threading.current_thread()):
            _of_thread.entered = ExitStack()
            _of_thread.entered.enter_context(global_graph().as_default())


_of_thread = threading.local()


def _is_ours(thread: threading.Thread) -> bool:
    """Whether a thread is one of gradtape's, which compute."""
    target = getattr(thread, "_target", None)
    owner = getattr(target, "__self__", target)
    return type(owner).__module__.startswith(_PACKAGE) or str(
        getattr(target, "__module__", "")
    ).startswith(_PACKAGE)


@export("compat.v1.enable_eager_execution")
def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Makes operations run at once, as they do by default.

    Args:
      config: Accepted for compatibility.
      device_policy: Accepted for compatibility.
      execution_mode: Accepted for compatibility.
    """
    if _default.entered is not None:
        _default.entered.close()
        _default.entered = None
