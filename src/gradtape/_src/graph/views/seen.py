"""Graphs as they are looked at; what that needs is loaded when somebody asks to see one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradtape._src.graph.ir.func_graph import FuncGraph, Operation
    from gradtape._src.graph.views.graph_picture import GraphPicture
    from gradtape._src.messages import protos


def picture(graph: FuncGraph) -> GraphPicture:
    """A graph as a picture."""
    from gradtape._src.graph.views.graph_picture import GraphPicture

    return GraphPicture(graph)


def graph_def(graph: FuncGraph, add_shapes: bool) -> protos.GraphDef:
    """A graph as a message."""
    from gradtape._src.graph.views import graph_definition

    return graph_definition.graph_def(graph, add_shapes)


def node_def(operation: Operation) -> protos.NodeDef:
    """An operation as a message."""
    from gradtape._src.graph.views import graph_definition

    return graph_definition.node_def(operation)
