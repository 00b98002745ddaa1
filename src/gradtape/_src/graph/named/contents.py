"""The contents of the visible graph of a function that is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from gradtape._src.core.tensor import Tensor
    from gradtape._src.graph.ir.graph import Node, Symbol
    from gradtape._src.graph.named.known_values import Known


class Finished:
    """Replaces the tracer of a complete graph."""

    outer = around = open_graph = None
    finished = True
    tensors: ClassVar[dict[Symbol, Tensor]] = {}


class Contents(NamedTuple):
    """The results of a tracer."""

    nodes: list[Node]
    inputs: list[Symbol]
    captured: list[tuple[Tensor, Symbol]]
    variables: dict[int, Any]
    known: list[Known]
    outside: list[Tensor]
