"""The visible graph of a tracer, with what it shows beside the nodes."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import CONCRETE
from gradtape._src.graph.ir.graph import Node, Symbol
from gradtape._src.graph.named.func_graph import FuncGraph
from gradtape._src.graph.named.known_values import Known, known_value


class ShownBesideNodes:
    """The visible graph of a tracer, and notes for it beside the nodes.

    Attributes:
      known: The known values that the program made.
      devices: The devices that the program chose, each with the number of nodes before the choice.
      tensors: The tensors of inputs, by symbol, as long as they exist.
      constants: Weak references to tensors whose values became a part of the graph.
    """

    nodes: list[Node]
    name: str
    _parts: list[Any]

    def __init__(self) -> None:
        self._own_view: FuncGraph | None = None
        self._view: Callable[[], FuncGraph | None] = lambda: None
        self.known: list[Known] = []
        self.devices: list[tuple[int, str]] = []
        self.tensors: weakref.WeakValueDictionary[Symbol, Tensor] = weakref.WeakValueDictionary()
        self.constants: dict[int, weakref.ref[Tensor]] = {}

    @property
    def view(self) -> FuncGraph:
        """The graph with TensorFlow's names."""
        view = self._view()
        if view is None:
            view = self._own_view = FuncGraph(self, self.name)
            self._view = weakref.ref(view)
        return view

    def known_made(
        self,
        x: Tensor,
        label: str | None = None,
        kind: str | None = None,
        inputs: Sequence[Tensor] = (),
    ) -> Tensor:
        """Gives a tensor of known value a place in the visible graph; see `Known`."""
        value = x._value
        if x._in_graph is None and isinstance(value, CONCRETE):
            known = x._in_graph = known_value(value, self, kind, label, inputs)
            self.known.append(known)
        return x

    def device_of(self, symbol: Symbol) -> str:
        """Returns the device that the program chose for the node of a symbol; empty without one."""
        before = [i for i, node in enumerate(self.nodes) if symbol in node.outputs] or [-1]
        chosen = [device for place, device in self.devices if place <= before[0]]
        return chosen[-1] if chosen else ""

    @property
    def outside(self) -> list[Tensor]:
        """The tensors from outside whose values are part of the graph, as long as they exist."""
        held = [ref() for ref in self.constants.values()]
        # Numbers of the program have the id -1.
        own = [x for x in held if x is not None and x._in_graph is None and x._id != -1]
        return [*own, *[x for part in self._parts for x in part.outside]]
