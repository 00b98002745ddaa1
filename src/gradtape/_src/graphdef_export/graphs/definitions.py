"""Converts graphs to messages; the modules for this are loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradtape._src.graph.named.operations import definitions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradtape._src.graph.ir.graph import Graph
    from gradtape._src.graph.named.func_graph import FuncGraph
    from gradtape._src.graph.named.operations import Operation
    from gradtape._src.messages import protos


class GraphDefinitions:
    """Converts graphs and operations to messages."""

    def graph_def(self, graph: FuncGraph, add_shapes: bool) -> protos.GraphDef:
        """Returns a graph as a message."""
        from gradtape._src.graphdef_export.graphs import graph_definitions

        return graph_definitions.writer_of(graph).graph_def(add_shapes)

    def function_def(
        self, name: str, graph: Graph, attributes: Mapping[str, Any]
    ) -> protos.FunctionDef:
        """Returns a graph as the message of a function."""
        from gradtape._src.graphdef_export.graphs import graph_definitions

        return graph_definitions.function_def(name, graph, attributes)

    def node_def(self, operation: Operation) -> protos.NodeDef:
        """Returns an operation as a message."""
        from gradtape._src.graphdef_export.graphs import graph_definitions

        return graph_definitions.writer_of(operation.graph).node_def(operation)

    def attribute(self, operation: Operation, name: str) -> object:
        """Returns an attribute of an operation's message as a Python value.

        Raises:
          ValueError: The operation has no attribute of this name.
        """
        from gradtape._src.graphdef_export.graphs import graph_definitions

        held = self.node_def(operation).attr
        if name not in held:
            raise ValueError(f"Operation '{operation.name}' has no attr named '{name}'.")
        return graph_definitions.attribute(held[name])


definitions.provide(GraphDefinitions())
