"""The operations of graphs as TensorFlow shows them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare import registered
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.ir.origins import NOWHERE, Origin

if TYPE_CHECKING:
    from gradtape._src.graph.named.func_graph import FuncGraph
    from gradtape._src.messages import protos


class Definitions(Protocol):
    """Writes graphs as messages."""

    def graph_def(self, graph: FuncGraph, add_shapes: bool) -> protos.GraphDef:
        """Returns a graph as a message."""

    def function_def(self, name: str, graph: Graph, attributes: Any) -> protos.FunctionDef:
        """Returns a graph as the message of a function."""

    def node_def(self, operation: Operation) -> protos.NodeDef:
        """Returns an operation as a message."""

    def attribute(self, operation: Operation, name: str) -> object:
        """Returns an attribute of that message as a value of Python."""


definitions: ExtensionPoint[Definitions] = ExtensionPoint("definitions of graphs")
"""Provided by `graphdef_export.graphs`."""


class Operation(registered.Operation):
    """One operation of a graph.

    Args:
      graph: The graph.
      name: Its name.
      kind: TensorFlow's name of the operation, such as "AddV2".
      inputs: Symbols, or operations, each of which stands for its only output.
      node: The node of the graph; None for an operation that only TensorFlow needs.
      value: The value of a constant.

    Attributes:
      definition: For an imported operation, its entry in the imported definition.
      fills_tables: Whether the operation, in the graph's definition, fills the tables.
    """

    def __init__(
        self,
        graph: FuncGraph,
        name: str,
        kind: str,
        inputs: Sequence[Symbol | Operation] = (),
        node: Node | None = None,
        value: Any = None,
    ) -> None:
        self.graph, self.name, self.type = graph, name, kind
        self.node, self.value = node, value
        self.device = ""
        self.control_inputs: list[Operation] = []
        self._inputs = tuple(inputs)
        self.symbols: list[Symbol] = []
        self.definition: protos.NodeDef | None = None
        self.fills_tables = False

    @property
    def inputs(self) -> tuple[Tensor, ...]:  # type: ignore[override]
        """The input tensors."""
        symbols = [x if isinstance(x, Symbol) else x.symbols[0] for x in self._inputs]
        return tuple(map(self.graph.tensor_of, symbols))

    @property
    def outputs(self) -> list[Tensor]:  # type: ignore[override]
        """The output tensors."""
        return [*map(self.graph.tensor_of, self.symbols)]

    def values(self) -> tuple[Tensor, ...]:
        """The output tensors."""
        return tuple(self.outputs)

    @property
    def sources(self) -> list[tuple[Operation, int]]:
        """For each input, the operation that computes it, and the index of its output."""
        return [self.graph.producer(x) if isinstance(x, Symbol) else (x, 0) for x in self._inputs]

    @property
    def node_def(self) -> protos.NodeDef:
        """The operation's entry in the definition of the graph."""
        return definitions.get().node_def(self)

    @functools.cached_property
    def parts(self) -> list[Part]:
        """The graphs that a conditional or loop runs."""
        of = None if self.node is None else self.node.params.get("of")
        graphs: list[Graph] = getattr(of, "graphs", [])
        labels = _PARTS.get(self.type.removeprefix("Stateless"), ())
        found = []
        for i, graph in enumerate(graphs):
            label = labels[i] if len(labels) == len(graphs) else f"part {i + 1}"
            name = f"{self.name}_{label}".replace("/", "_").replace(" ", "_")
            part = self.graph.part(graph, name)
            part.given = self._given_to(of, i, len(graph.inputs))
            part.input_names = [self.sources[k][0].name.rpartition("/")[2] for k in part.given]
            found.append(Part(label, name, part))
        return found

    def _given_to(self, of: Any, i: int, count: int) -> Sequence[int]:
        """Returns which of the operation's inputs are the inputs of a part, if that is known."""
        places: Sequence[int] = range(count)
        if hasattr(of, "places"):
            places = [*range(getattr(of, "carried", 0)), *of.places[i]]
        return places if len(places) == count <= len(self._inputs) else ()

    @property
    def origin(self) -> Origin:
        """The call that made the operation."""
        return NOWHERE if self.node is None or self.node.line is None else self.node.line

    @property
    def place(self) -> str:
        """The file and line of the call, empty if they are unknown."""
        site = self.origin.site
        return "" if site is None else f"{site[0].co_filename}:{site[1]}"

    def get_attr(self, name: str) -> object:
        """Returns an attribute of the operation's entry in the definition of the graph.

        Args:
          name: TensorFlow's name of it.

        Raises:
          ValueError: The operation has no attribute of this name.
        """
        return definitions.get().attribute(self, name)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


class Part(NamedTuple):
    """One of the graphs that a conditional or loop runs.

    Attributes:
      label: Its role, such as a branch or a loop's body.
      name: The name of its function.
      graph: The graph.
    """

    label: str
    name: str
    graph: FuncGraph


_PARTS = {"If": ("true", "false"), "While": ("cond", "body"), "Scan": ("body",)}
