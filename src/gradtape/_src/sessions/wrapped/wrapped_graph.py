"""A graph whose variables have their values outside of all sessions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradtape._src.base.device_values import noted, put_back
from gradtape._src.base.errors import FailedPreconditionError, UnimplementedError
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.recorder import replaced
from gradtape._src.core.variable import Variable
from gradtape._src.sessions.graph import Graph
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.open_tracer import OpenTracer
from gradtape._src.sessions.session import Session


class _Tracer(OpenTracer):
    """Records operations, including those that read variables from outside of the graph."""

    open_graph: WrappedGraph

    def hold(self, variable: Variable) -> None:
        if isinstance(variable, GraphVariable):
            super().hold(variable)
        else:
            self.open_graph.take(variable)

    def variable_written(self, variable: Variable) -> None:
        if not isinstance(variable, GraphVariable):
            raise UnimplementedError(
                None,
                None,
                f"A wrapped function can't assign the variable {variable.name!r}, which was made "
                "outside of it: make the variable inside of the function, or use tf.function.",
            )
        super().variable_written(variable)


class WrappedGraph(Graph):
    """The graph of a wrapped function.

    Its own variables are created and initialized when the function is wrapped.
    """

    tracer_type = _Tracer

    def __init__(self) -> None:
        super().__init__()
        self._made: dict[GraphVariable, Variable] = {}
        self._outer: dict[int, tuple[Variable, Any]] = {}

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables outside of the graph that the graph reads and assigns."""
        return tuple(self._made.values())

    def take(self, variable: Variable) -> None:
        """Adds an operation that reads a variable from outside of the graph.

        Args:
          variable: The variable.
        """
        if variable._id in self._outer:
            return
        self._outer[variable._id] = variable, noted(variable)
        with replaced((self.tracer,)):
            name = self.unique_name(variable._shared_name)
            shape = TensorShape(variable.shape)
            inside = GraphVariable.imported(self, name, variable.dtype, shape)
            variable._begin_tracing(inside._read_now())
        self._made[inside] = variable

    @contextmanager
    def filled(self) -> Iterator[None]:
        """Returns a context manager for building the graph; at its end, variables get values.

        Yields:
          Nothing.
        """
        try:
            with self.as_default():
                yield
        finally:
            for variable, note in self._outer.values():
                variable._end_tracing()
                put_back(variable, note)
        self._make_variables()

    def _make_variables(self) -> None:
        """Gives the graph's own variables initial values, in the order in which they were made."""
        found = dict.fromkeys(self.variables_of_handles.values())
        own = [v for v in found if v not in self._made and v._assign_node is not None]
        if not own:
            return
        with Session(graph=self) as session, replaced(()):
            for variable in own:
                session.run(variable.initializer)
                self._made[variable] = Variable(
                    session.run(variable),
                    trainable=variable.trainable,
                    name=variable.name.removesuffix(":0"),
                    dtype=variable.dtype,
                    shape=variable.shape,
                    constraint=variable.constraint,
                )

    def variable_of(self, handle: Any) -> Variable:
        """Returns the variable that a symbol represents.

        Args:
          handle: The symbol.

        Raises:
          FailedPreconditionError: The variable is one of an imported graph, and has no value.
        """
        inside = self.variables_of_handles[handle]
        if inside not in self._made:
            raise FailedPreconditionError(
                None,
                None,
                f"The variable {inside.name!r} of a wrapped graph has no initial value: load its "
                "graph with tf.saved_model.load, or make the variable in the function.",
            )
        return self._made[inside]
