"""The views of graphs, whose modules are loaded on first use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradtape._src.graph.ir.func_graph import FuncGraph
    from gradtape._src.graph.ir.graph import Graph
    from gradtape._src.graph.views.graph_picture import GraphPicture


def picture(graph: FuncGraph) -> GraphPicture:
    """Returns a graph as a picture."""
    from gradtape._src.graph.views.graph_picture import GraphPicture

    return GraphPicture(graph)


def description(graph: FuncGraph, run: Graph) -> Iterator[str]:
    """Describes the size of a graph.

    Args:
      graph: The graph.
      run: The optimized graph, which may have fewer operations.

    Yields:
      Lines of text: the numbers of operations and results, and the parts of conditionals and loops.
    """
    yield f"{len(run.nodes)} operations, {len(run.outputs)} results"
    for op in graph:
        for part in op.parts:
            count = sum(inner.node is not None for inner in part.graph)
            yield f"{op.name} runs {part.label}: {count} operation{'' if count == 1 else 's'}"
