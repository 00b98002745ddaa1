"""Parts of a wrapped graph that run on tensors, so that tapes see their operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import resource
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.graph.ir.graph import Graph as Nodes
from gradtape._src.graph.ir.graph import Node, Symbol
from gradtape._src.graph.tracing.replay import replay, run_node
from gradtape._src.sessions.handles import (
    assign_add_p,
    assign_p,
    assign_sub_p,
    handle_p,
    is_initialized_p,
    no_op_p,
    read_p,
)
from gradtape._src.sessions.placeholders import placeholder_p
from gradtape._src.sessions.programs import wanted_nodes
from gradtape._src.sessions.wrapped.wrapped_graph import WrappedGraph


class _Handle:
    """Represents a variable among the inputs of a part.

    Args:
      variable: The variable.
    """

    shape = ()
    dtype = resource.np_dtype

    def __init__(self, variable: Variable) -> None:
        self.variable = variable


class GraphPart:
    """The operations that compute some tensors of a graph from others.

    Args:
      graph: The graph.
      fed: The symbols that are fed.
      symbols: The symbols that are computed.
      nodes: Additional operations that run.

    Raises:
      ValueError: An operation needs a placeholder that is not given.
      FailedPreconditionError: A variable has no value.
    """

    def __init__(
        self,
        graph: WrappedGraph,
        fed: Sequence[Symbol],
        symbols: Sequence[Symbol],
        nodes: Sequence[Node] = (),
    ) -> None:
        wanted = wanted_nodes(graph.tracer, symbols, nodes, fed)
        kept = [node for node in graph.tracer.nodes if node in wanted]
        handles = [node.outputs[0] for node in kept if node.primitive is handle_p]
        self._handles = [Tensor(_Handle(graph.variable_of(x))) for x in handles]
        left = [node for node in kept if node.primitive is not handle_p]
        for node in left:
            if node.primitive is placeholder_p:
                raise ValueError(
                    f"Unable to compute {[y.tensor_name for y in symbols]}: it depends on "
                    f"the placeholder {node.outputs[0].tensor_name!r}, which "
                    "is not among the feeds."
                )
        self._nodes = Nodes([*fed, *handles], left, symbols)

    def run(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Returns the computed tensors.

        Args:
          tensors: The values of the fed symbols.
        """
        return replay(self._nodes, [*tensors, *self._handles], run=_run)


def _run(node: Node, given: Sequence[Tensor], lengths: dict[str, Any]) -> Any:
    """Runs an operation; operations on variables use the variables outside of the graph."""
    primitive = node.primitive
    if primitive is no_op_p:
        return ()
    held = given[0]._value if given else None
    if not isinstance(held, _Handle):
        return run_node(node, given, lengths)
    if primitive is read_p:
        return held.variable._read()
    if primitive is is_initialized_p:
        return Tensor(np.bool_(True))
    _CHANGES[primitive](held.variable, given[1])
    return ()


_CHANGES: dict[Any, Any] = {
    assign_p: lambda variable, x: variable.assign(x, read_value=False),
    assign_add_p: lambda variable, x: variable.assign_add(x, read_value=False),
    assign_sub_p: lambda variable, x: variable.assign_sub(x, read_value=False),
}
