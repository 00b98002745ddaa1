"""Programs: the part of a graph that computes a given set of fetches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from gradtape._src.base.errors import InvalidArgumentError, OpError, UnimplementedError
from gradtape._src.core.recorder import replaced
from gradtape._src.declare.unknown_sizes import (
    Lengths,
    NegativeLength,
    UnforeseenLength,
    atoms,
    named_lengths,
    sizes_in,
)
from gradtape._src.graph.ir.graph import Graph as Nodes
from gradtape._src.graph.ir.graph import Node, Symbol
from gradtape._src.graph.nested.graph_call import GraphCall
from gradtape._src.sessions.handles import CHANGES, Kept, handle_p


class Program:
    """The part of a graph that computes some of its values from fed ones.

    Args:
      graph: The graph.
      symbols: The requested values.
      nodes: The requested operations.
      fed: The values that are fed.
      done: The operations that are not to run, since they have run before.
    """

    def __init__(
        self,
        graph: Any,
        symbols: Sequence[Symbol],
        nodes: Sequence[Node],
        fed: Sequence[Symbol],
        done: Collection[Node] = (),
    ) -> None:
        self._tracer = graph.tracer
        self._fed = list(fed)
        wanted = wanted_nodes(self._tracer, symbols, nodes, self._fed, done)
        kept = [node for node in self._tracer.nodes if node in wanted]
        self._handles = [node.outputs[0] for node in kept if node.primitive is handle_p]
        self._variables = [graph.variables_of_handles[x] for x in self._handles]
        left = [node for node in kept if node.primitive is not handle_p]
        self.changes = any(node.primitive in CHANGES for node in left)
        conditions = [self._tracer.conditions.get(node, {}) for node in left]
        self._conditions = {c: held for each in conditions for c, held in each.items()}
        made = Nodes([*self._fed, *self._handles], left, symbols)
        self._call = GraphCall(made, "a session")

    def run(self, values: Sequence[Any], kept: Callable[[Any], Kept]) -> tuple[Any, ...]:
        """Returns the requested values.

        Args:
          values: The raw values that are fed.
          kept: A function that returns the session's state of a variable.

        Raises:
          UnimplementedError: The graph was traced with assumptions about lengths that are false.
        """
        lengths: dict[str, int] = {}
        for x, value in zip(self._fed, values, strict=True):
            if isinstance(x.shape, Lengths):
                lengths.update(named_lengths(x.shape, value.shape))
        self._check(lengths)
        try:
            with replaced(()):
                return self._call.run([*values, *[kept(v) for v in self._variables]])
        except NegativeLength as error:
            raise InvalidArgumentError(None, None, str(error)) from None
        except UnforeseenLength as error:
            raise _unforeseen(str(error)) from None
        except OpError as error:
            self._name_operation(error)
            raise

    def _name_operation(self, error: OpError) -> None:
        """Adds the operation that failed to an error."""
        node, tracer = error.failed_node, self._tracer
        if node is not None and error.op is None and node.outputs:
            made = tracer.producer(node.outputs[0]) if node.outputs[0].owner is tracer else node
            error.op = op = tracer.view.operation_of(made)
            error.node_def = op.node_def
            if op.name not in error.message:
                error.message += f"\n\t [[{{{{node {op.name}}}}}]]"

    def _check(self, lengths: dict[str, int]) -> None:
        """Raises UnimplementedError if lengths that were assumed to be equal are not."""
        for condition, held in self._conditions.items():
            about = atoms(condition)
            if len(about) > 1 and lengths.keys() >= set(about):
                holds = bool(eval(condition, {"__builtins__": {}}, lengths))  # noqa: S307 (made here)
                if holds is not held:
                    raise _unforeseen(condition)


def wanted_nodes(
    tracer: Any,
    symbols: Sequence[Symbol],
    nodes: Sequence[Node],
    fed: Sequence[Symbol],
    done: Collection[Node] = (),
) -> set[Node]:
    """Returns the nodes on which symbols and nodes depend.

    Args:
      tracer: The tracer that makes the graph.
      symbols: The values that are asked for.
      nodes: The operations that are to run.
      fed: The values that are given.
      done: The operations that have run before.
    """
    given = set(fed)
    sources = _sources_of_lengths(tracer.nodes)
    known = {size.code for x in fed for size in sizes_in(x.shape)}
    found: set[Node] = set()
    left = [*nodes, *[tracer.producer(x) for x in symbols if x not in given]]
    while left:
        node = left.pop()
        if node in found or node in done:
            continue
        found.add(node)
        left += [x for x in tracer.controls_of(node) if not given.issuperset(x.outputs or (x,))]
        needed = [x for x in node.inputs if type(x) is Symbol]
        for size in sizes_in([*node.params.values()]):
            names = [n for n in atoms(size.code) if n not in known]
            needed += [sources[n] for n in names if n in sources]
        left += [tracer.producer(x) for x in needed if x not in given]
    return found


def _sources_of_lengths(nodes: Sequence[Node]) -> dict[str, Symbol]:
    """Maps the name of each unknown length to the first value whose shape contains it."""
    found: dict[str, Symbol] = {}
    for node in nodes:
        for y in node.outputs:
            if isinstance(y.shape, Lengths):
                for size in sizes_in(y.shape):
                    found.setdefault(size.code, y)
    return found


def _unforeseen(condition: str) -> UnimplementedError:
    return UnimplementedError(
        None,
        None,
        "The graph was made for other lengths than those that are fed: it decided about the "
        f"condition {condition}. Give the placeholder the length that it is fed with.",
    )
