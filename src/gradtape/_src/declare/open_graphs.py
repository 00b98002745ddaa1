"""TensorFlow 1 graphs, which stay open for more operations."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

from gradtape._src.base import nest
from gradtape._src.base.name_scope import AROUND
from gradtape._src.core.operators import VariableMethods, register_method
from gradtape._src.core.recorder import STACK, active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.graph_operations import deferral, has_symbols

if TYPE_CHECKING:
    from gradtape._src.declare.registered import Operation


F = TypeVar("F", bound=Callable[..., Any])
S = TypeVar("S")


class OpenGraph(Protocol):
    """A TensorFlow 1 graph.

    Attributes:
      tracer: The tracer that makes it.
    """

    tracer: Any

    def constant(self, x: Tensor, name: str | None = None) -> Tensor:
        """Converts a tensor to a constant of the graph."""
        ...

    def group(self, inputs: Sequence[Any], name: str) -> Operation:
        """Returns an operation that does nothing itself and runs after others."""
        ...

    def control_dependencies(self, control_inputs: Any) -> AbstractContextManager[None]:
        """Returns a block whose operations run after others."""
        ...

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Appends a value to a collection."""
        ...

    def derivatives(self) -> Any:
        """Returns the derivatives of its values; see `graph.symbolic_gradients`."""
        ...


def open_graph() -> OpenGraph | None:
    """Returns the current TensorFlow 1 graph; None outside of such graphs."""
    if active_tapes() is not None:
        return None
    recorders = STACK.recorders
    return recorders[0].open_graph if recorders else None


running_session: ContextVar[Any] = ContextVar("running_session", default=None)
"""The session that runs a TensorFlow 1 graph in this thread, or None."""
_lock = threading.RLock()


class PerSession(Generic[S]):
    """State of which each session has its own, if the state is made for a TensorFlow 1 graph.

    Args:
      make: Returns the initial state.
    """

    def __init__(self, make: Callable[[], S]) -> None:
        self._make, self._own = make, make()
        in_graph = open_graph() is not None
        self._of: WeakKeyDictionary[Any, S] | None = WeakKeyDictionary() if in_graph else None

    def now(self) -> S:
        """Returns the state of the running session; outside of sessions, the common state."""
        session = None if self._of is None else running_session.get()
        if session is None or self._of is None:
            return self._own
        with _lock:
            if session not in self._of:
                self._of[session] = self._make()
            return self._of[session]


def ordered(x: Tensor, label: str | None, kind: str | None = None) -> Tensor:
    """Returns a known result as the graph that is being made has it.

    In a TensorFlow 1 graph, it is a constant if operations made now wait for others. In a traced
    function, it gets a name.

    Args:
      x: A tensor that was made without an operation.
      label: The name of its operation.
      kind: TensorFlow's name of the operation, if the graph lists it.
    """
    recorders = STACK.recorders
    if not recorders or active_tapes() is not None:
        return x
    note = getattr(recorders[0], "known_made", None)
    made: Tensor = x if note is None else note(x, label, kind)
    return made


def when_run(function: Callable[..., Tensor], *args: Any) -> Tensor:
    """Returns the result of a function that needs a number of axes or a value of the run.

    Called by a handler of `NeedsRank`. In a TensorFlow 1 graph, the call becomes one operation. In
    a traced function, the error is raised again, and its outer handler makes the call an operation.

    Args:
      function: The function.
      args: Its arguments, in structures of any kind.

    Raises:
      NeedsRank: The program being traced is not such a graph.
    """
    graph = open_graph()
    if graph is None or graph.tracer.is_deferring:
        raise  # noqa: PLE0704 (in the handler of who calls this)
    with graph.tracer.deferring():
        made: Tensor = deferral.get()(function)(*args)
    return made


def with_fed_values(plain: F) -> F:
    """Makes a function that needs values one operation of a TensorFlow 1 graph; a decorator.

    Functions that converted code calls don't need this decorator.
    """

    @functools.wraps(plain)
    def run(*args: Any, **kwargs: Any) -> Any:
        graph = open_graph()
        if graph is None or graph.tracer.is_deferring or not has_symbols(*args, **kwargs):
            return plain(*args, **kwargs)
        args, kwargs = nest.map_structure(_read, (args, kwargs))
        with graph.tracer.deferring():
            return deferral.get()(plain)(*args, **kwargs)

    return run  # type: ignore[return-value]


AROUND.add(f"{with_fed_values.__qualname__}.<locals>.run")


def new_variable(cls: Any, *_: Any, **__: Any) -> object:
    """Returns `Variable.__new__`: in a TensorFlow 1 graph, makes a variable of the graph."""
    if cls is Variable and (recorders := STACK.recorders) and recorders[0].variable_type:
        cls = recorders[0].variable_type
    return object.__new__(cls)


register_method(VariableMethods, "__new__", new_variable)


def _read(x: Any) -> Any:
    return x._read() if isinstance(x, Variable) else x


def is_part_of_open_graph(tracer: Any) -> bool:
    """Whether a tracer makes a TensorFlow 1 graph, or a branch or loop in one."""
    while tracer is not None and tracer.open_graph is None:
        tracer = tracer.outer
    return tracer is not None
