"""The nodes of a graph that belong to tensors, operations and variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradtape._src.base import nest
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.ir.graph import Node, Symbol
from gradtape._src.graph.named.operations import Operation
from gradtape._src.sessions.graph_variable import GraphVariable


class GraphOperation(Operation):
    """An operation of a `tf.Graph`."""

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that run before this one, in addition to those that compute its inputs."""
        graph: Any = self.graph
        found: list[Operation] = [] if self.node is None else graph.controls_of(self)
        return found

    @control_inputs.setter
    def control_inputs(self, value: list[Operation]) -> None:
        """Has no effect: the base class assigns an empty list."""

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs the operation in a session.

        Args:
          feed_dict: Values for tensors, as `tf.compat.v1.Session.run` takes them.
          session: The session. Defaults to the default session.
        """
        graph: Any = self.graph
        graph.session_or_default(session, "execute operation").run(self, feed_dict)


def nodes_of(graph: Any, elements: Iterable[Any]) -> list[Node]:
    """Returns the operations that compute tensors, operations and variables.

    Args:
      graph: The graph.
      elements: Tensors, operations, variables, composite tensors, and None, which is skipped. Known
        values need no operation.

    Raises:
      TypeError: An element is something else.
    """
    found: list[Node] = []
    for element in elements:
        for x in nest.flatten(element, expand_composites=True):
            node = _node_of(graph, x)
            if node is not None:
                found.append(node)
    return list(dict.fromkeys(found))


def _node_of(graph: Any, x: Any) -> Node | None:
    if x is None:
        return None
    if isinstance(x, GraphVariable):
        return x.node()
    element = graph.as_graph_element(x)
    if isinstance(element, Operation):
        return element.node
    value = element._value if type(element) is Tensor else None
    if type(value) is not Symbol:
        return None
    node: Node = graph.tracer.producer(value)
    return node
