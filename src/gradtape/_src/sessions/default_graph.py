"""The default graph, which operations are added to if no other graph is open."""

from __future__ import annotations

import sys
import threading
from contextlib import ExitStack
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.base.scope_stacks import around_init_scope
from gradtape._src.core.recorder import STACK
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.graph.named.func_graph import FuncGraph
from gradtape._src.sessions.graph import Graph

_PACKAGE = f"{__name__.partition('.')[0]}."


class _Default:
    """The global default graph, and whether operations are added to it."""

    def __init__(self) -> None:
        self.graph: Graph | None = None
        self.lock = threading.Lock()
        self.entered: ExitStack | None = None


_default = _Default()


def global_graph() -> Graph:
    """Returns the global default graph."""
    with _default.lock:
        if _default.graph is None:
            _default.graph = Graph()
        return _default.graph


@export("compat.v1.get_default_graph")
def get_default_graph() -> FuncGraph:
    """Returns the default graph, which operations are added to.

    Returns:
      The graph of the innermost `with` block or of the function that is being traced; outside of
      these, the global graph of the process.
    """
    around = (active_compiler(), *around_init_scope.get())
    view = next((compiler.view for compiler in around if hasattr(compiler, "view")), None)
    return view if isinstance(view, FuncGraph) else global_graph()


@export("compat.v1.reset_default_graph")
def reset_default_graph() -> None:
    """Replaces the global default graph by a new, empty one.

    Raises:
      AssertionError: The call is inside a `with graph.as_default()` block.
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
    """From now on, operations are added to a graph, which a session runs.

    This applies to the current thread and to all threads that are started later.
    """
    if _default.entered is None:
        entered = ExitStack()
        entered.enter_context(global_graph().as_default())
        _default.entered = entered
        before = threading.getprofile()
        entered.callback(threading.setprofile, before)
        threading.setprofile(_ThreadStart(before))


class _ThreadStart:
    """A trace function that makes a new thread start in the default graph.

    Args:
      following: A trace function, such as a profiler, that gets the thread's subsequent events.
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
    """Returns whether a thread is one of gradtape's worker threads."""
    target = getattr(thread, "_target", None)
    owner = getattr(target, "__self__", target)
    return type(owner).__module__.startswith(_PACKAGE) or str(
        getattr(target, "__module__", "")
    ).startswith(_PACKAGE)


@export("compat.v1.enable_eager_execution")
def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Makes operations run immediately, as they do by default.

    Args:
      config: Accepted for compatibility.
      device_policy: Accepted for compatibility.
      execution_mode: Accepted for compatibility.
    """
    if _default.entered is not None:
        _default.entered.close()
        _default.entered = None
