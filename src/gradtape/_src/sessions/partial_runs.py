"""Partial runs: a session computes some fetches of a run, and others when more is fed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.graph.ir.graph import Node, Symbol
from gradtape._src.sessions.fetches import Fetches
from gradtape._src.sessions.handles import Kept, handle_p
from gradtape._src.sessions.programs import Program, wanted_nodes


class PartialRun:
    """A run in several parts, in which each operation runs at most once.

    Args:
      graph: The graph.
      fetches: The fetches of all parts.
      feeds: The values that will be fed.
    """

    def __init__(self, graph: Any, fetches: Fetches, feeds: Iterable[Symbol]) -> None:
        self._graph = graph
        self._fetches = {*fetches.symbols, *fetches.nodes}
        self._feeds = set(feeds)
        self._known: dict[Symbol, Any] = {}
        self._done: set[Node] = set()

    def run(
        self, asked: Fetches, fed: dict[Symbol, Any], kept_of: Callable[[Any], Kept]
    ) -> dict[Symbol, Any]:
        """Returns the values that are known after the next part.

        Args:
          asked: The fetches of this part.
          fed: The values that are fed in it.
          kept_of: A function that returns the session's state of a variable.

        Raises:
          InvalidArgumentError: A value was fed before, or was not announced.
        """
        for symbol in fed:
            if symbol not in self._feeds:
                what = "has already been fed" if symbol in self._known else "was not set up"
                raise _invalid(f"The tensor {symbol.tensor_name} {what}")
        for fetch in (*asked.symbols, *asked.nodes):
            if fetch not in self._fetches:
                raise _invalid(
                    f"The fetch {getattr(fetch, 'tensor_name', '')} has already been fetched or "
                    "was not set up to be fetched"
                )
        self._feeds -= fed.keys()
        self._fetches -= {*asked.symbols, *asked.nodes}
        self._known.update(fed)
        tracer = self._graph.tracer
        known = tuple(self._known)
        nodes = wanted_nodes(tracer, asked.symbols, asked.nodes, known, self._done)
        nodes = {node for node in nodes if node.primitive is not handle_p}
        made = [y for node in nodes for y in node.outputs]
        program = Program(self._graph, made, list(nodes), known, self._done)
        self._known.update(zip(made, program.run([*self._known.values()], kept_of), strict=True))
        self._done |= nodes
        return self._known


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)
