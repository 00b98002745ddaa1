"""Runs independent parts of a graph on several threads, where that pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradtape._src.declare.unknown_sizes import sizes_in
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.ir.state import is_read
from gradtape._src.graph.running.numpy_program import Blocks, blocks_p

_LARGE = 1e-4
"""The time in seconds from which an operation counts; waking a thread takes a third of it."""
_WORTH = 3e-4
"""The time in seconds that a block must take for a thread of its own."""
_MOST = 500
"""The maximum number of large operations: fewer of a longer time count in larger graphs."""
_FEW = 0.1
"""The part of the time that may be neither before nor after an operation that separates."""


def with_parallel_blocks(graph: Graph, seconds: Mapping[Symbol, float], threads: int) -> Graph:
    """Returns a graph in which independent blocks of operations are one node, run on threads.

    Between two side effects, an operation that nearly all large ones precede or follow, such as the
    sum of the outputs of two towers, separates what comes before it from what comes after it. What
    is left in between falls into blocks that do not depend on one another.

    Args:
      graph: The graph, whose nodes are in an order in which they can run.
      seconds: The times that operations took, with their first outputs as keys.
      threads: The largest number of blocks in a node.
    """
    nodes: list[Node] = []
    section: list[Node] = []
    used_after = _Uses(graph)

    def end_section() -> None:
        nodes.extend(_divided(section, seconds, threads, used_after))
        section.clear()

    for node in graph.nodes:
        if node.stateful and not is_read(node):
            end_section()
            nodes.append(node)
        else:
            section.append(node)
    end_section()
    return graph.with_nodes(nodes)


class _Uses:
    """The nodes that use each value; the graph itself uses its outputs."""

    def __init__(self, graph: Graph) -> None:
        self._users: dict[Symbol, list[Node | None]] = {}
        for node in graph.nodes:
            for x in node.inputs:
                if type(x) is Symbol:
                    self._users.setdefault(x, []).append(node)
        for y in graph.outputs:
            if type(y) is Symbol:
                self._users.setdefault(y, []).append(None)

    def outside(self, y: Symbol, block: set[Node]) -> bool:
        return any(user not in block for user in self._users.get(y, ()))


def _divided(
    section: Sequence[Node], seconds: Mapping[Symbol, float], threads: int, uses: _Uses
) -> list[Node]:
    """Returns the nodes of a section without side effects, with independent blocks joined."""
    took = {n: seconds.get(n.outputs[0], 0.0) for n in section if n.outputs}
    least = max(_LARGE, sum(took.values()) / _MOST)
    large = [n for n, time in took.items() if time >= least]
    if len(large) < 2:
        return list(section)
    bits = {node: 1 << i for i, node in enumerate(large)}
    before, after = _reached(section, bits)
    first = [n for n in section if is_read(n) or (not before[n] and n not in bits and after[n])]
    chosen = {*first}
    middle = [n for n in section if n not in chosen and (after[n] or n in bits)]
    chosen.update(middle)
    last = [n for n in section if n not in chosen]
    times = [took[n] for n in large]
    everything, few = (1 << len(large)) - 1, _FEW * sum(times)

    def unordered(node: Node) -> float:
        others = everything & ~(before[node] | after[node] | bits.get(node, 0))
        return sum([t for i, t in enumerate(times) if others >> i & 1])

    shared = {n for n in middle if unordered(n) <= few}
    stages: dict[int, tuple[list[Node], list[Node]]] = {}
    stage_of: dict[Symbol, int] = {}
    for node in middle:
        stage = max([stage_of.get(x, 0) for x in node.inputs if type(x) is Symbol], default=0)
        stages.setdefault(stage, ([], []))[node in shared].append(node)
        stage_of.update(dict.fromkeys(node.outputs, stage + (node in shared)))
    found = first
    for stage in sorted(stages):
        own, common = stages[stage]
        found += _joined(own, seconds, threads, uses) + common
    return found + last


def _reached(
    section: Sequence[Node], bits: Mapping[Node, int]
) -> tuple[dict[Node, int], dict[Node, int]]:
    """Returns the large operations that precede each node, and those that follow, as bits."""
    before, after = {}, {}
    made: dict[Any, int] = {}
    for node in section:
        found = 0
        for x in node.inputs:
            if type(x) is Symbol:
                found |= made.get(x, 0)
        before[node] = found
        made.update(dict.fromkeys(node.outputs, found | bits.get(node, 0)))
    needed: dict[Any, int] = {}
    for node in reversed(section):
        found = 0
        for y in node.outputs:
            found |= needed.get(y, 0)
        after[node] = found
        for x in node.inputs:
            if type(x) is Symbol:
                needed[x] = needed.get(x, 0) | found | bits.get(node, 0)
    return before, after


def _joined(
    nodes: list[Node], seconds: Mapping[Symbol, float], threads: int, uses: _Uses
) -> list[Node]:
    """Returns one node for all of these if they make two blocks that are worth a thread each."""
    blocks = _connected(nodes)
    if len(blocks) < 2 or any([*sizes_in([*n.params.values()])] for n in nodes):
        return nodes
    times = [sum([seconds.get(n.outputs[0], 0.0) for n in b if n.outputs]) for b in blocks]
    order = sorted(range(len(blocks)), key=lambda i: -times[i])
    lanes: list[list[Node]] = [[] for _ in range(threads)]
    filled = [0.0] * threads
    for i in order:  # the longest first, each on the thread that is free first
        lane = filled.index(min(filled))
        lanes[lane] += blocks[i]
        filled[lane] += times[i]
    if sorted(filled)[-2] < _WORTH:
        return nodes
    position = {node: i for i, node in enumerate(nodes)}
    parts = [_part(sorted(lane, key=position.__getitem__), uses) for lane in lanes if lane]
    inputs = [x for graph in parts for x in graph.inputs]
    outputs = [y for graph in parts for y in graph.outputs]
    return [Node(blocks_p, inputs, {"blocks": Blocks(parts)}, outputs, True)]


def _connected(nodes: Sequence[Node]) -> list[list[Node]]:
    """Returns the nodes in groups that pass no values to one another."""
    parent: dict[Node, Node] = {}
    maker: dict[Symbol, Node] = {}

    def group(node: Node) -> Node:
        while parent[node] is not node:
            parent[node] = node = parent[parent[node]]
        return node

    for node in nodes:
        parent[node] = node
        for x in node.inputs:
            if type(x) is Symbol and x in maker:
                parent[group(maker[x])] = node
        maker.update(dict.fromkeys(node.outputs, node))
    groups: dict[Node, list[Node]] = {}
    for node in nodes:
        groups.setdefault(group(node), []).append(node)
    return [*groups.values()]


def _part(nodes: Sequence[Node], uses: _Uses) -> Graph:
    """Returns the graph of some nodes, with what they need and what others use."""
    made = {y for n in nodes for y in n.outputs}
    needed = dict.fromkeys(x for n in nodes for x in n.inputs if type(x) is Symbol)
    block = {*nodes}
    kept = [y for n in nodes for y in n.outputs if uses.outside(y, block)]
    return Graph([x for x in needed if x not in made], nodes, kept)
