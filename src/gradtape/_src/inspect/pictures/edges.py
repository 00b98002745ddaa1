"""The edges in each box of a picture.

An edge between operations of two boxes is drawn between these boxes, in the smallest box around
both. If one of the two is open, the edge ends inside it at a port, a node that names the other end.
A value that a loop carries to its next iteration comes from a port "the previous iteration".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from gradtape._src.inspect.pictures.boxes import Box
from gradtape._src.inspect.records import Operation, Value

BEFORE, NEXT = "the previous iteration", "the next iteration"


class _Ports:
    """The ports of one box, by the node at the other end."""

    def __init__(self) -> None:
        self.into: dict[str, Box] = {}
        self.out: dict[str, Box] = {}


class Wiring:
    """Finds the edges of all boxes.

    Args:
      root: The box around all others.
      values: The variables and watched tensors, by id.
    """

    def __init__(self, root: Box, values: dict[int, Value]) -> None:
        self._root = root
        self._values = values
        self._ports: defaultdict[Box, _Ports] = defaultdict(_Ports)
        self._found: defaultdict[Box, dict[tuple[Box, Box], bool]] = defaultdict(dict)
        # The chain of boxes from the root to an operation's own box, by the operation's number.
        self._chains: dict[int, list[Box]] = {}
        self._walk(root, [])

    def _walk(self, box: Box, around: list[Box]) -> None:
        chain = [*around, box]
        if box.leaf:
            self._chains.update(dict.fromkeys((op.number for op in box.operations), chain))
        for part in box.parts:
            self._walk(part, chain)

    def connect(self) -> None:
        """Sets `values`, `inside` and `edges` of every box that has parts."""
        maker: dict[int, Operation] = {}
        users: defaultdict[int, list[Operation]] = defaultdict(list)
        for op in self._root.operations:
            for i in dict.fromkeys(op.inputs):
                if i in maker:
                    self._edge(maker[i], op)
                elif i in self._values:
                    users[i].append(op)
            maker.update((o, op) for o in op.outputs if o)
        for i, value in self._values.items():
            self._place(value, users[i])
        for box in self._root.every():
            if not box.leaf:
                ports = self._ports[box]
                sources = [*ports.into.values(), *box.values]
                box.inside = [*sources, *box.parts, *ports.out.values()]
                box.edges = list(self._found[box])
                box.stopped = {ends for ends, live in self._found[box].items() if not live}

    def _place(self, value: Value, users: Sequence[Operation]) -> None:
        """Puts a value into the smallest box around all operations that use it."""
        node = Box(value.name, "value", value=value)
        chains = [self._chains[op.number] for op in users]
        home, depth = self._root, 0
        for level in zip(*chains, strict=False):
            if any(box is not level[0] for box in level) or level[0].leaf:
                break
            home = level[0]
            depth += 1
        home.values.append(node)
        depth = max(depth, 1)
        for chain in chains:
            self._add(home, node, chain[depth], live=True)
            self._into(chain, depth, value.name, live=True)

    def _edge(self, a: Operation, b: Operation) -> None:
        """Records that an operation uses the result of another one."""
        above, below = self._chains[a.number], self._chains[b.number]
        depth, live = 0, a.number >= 0  # no gradient flows back to a value that is on no tape
        while above[depth] is below[depth]:
            around = above[depth]
            if around.iterations and _carried(around, a, b):
                self._out(above, depth, NEXT, live=live)
                self._into(below, depth, BEFORE, live=live)
                return
            depth += 1
            if depth == min(len(above), len(below)):
                return
        self._add(above[depth - 1], above[depth], below[depth], live=live)
        self._into(below, depth, above[depth].title or "the loop", live=live)
        self._out(above, depth, below[depth].title or "the loop", live=live)

    def _add(self, around: Box, a: Box, b: Box, *, live: bool) -> None:
        edges = self._found[around]
        edges[a, b] = live or edges.get((a, b), False)

    def _into(self, chain: list[Box], depth: int, title: str, *, live: bool) -> None:
        """Continues an edge inside the boxes of a chain, from a depth on."""
        for box, part in zip(chain[depth:], chain[depth + 1 :], strict=False):
            port = self._ports[box].into.setdefault(title, Box(f"from {title}", "port"))
            self._add(box, port, part, live=live)

    def _out(self, chain: list[Box], depth: int, title: str, *, live: bool) -> None:
        for box, part in zip(chain[depth:], chain[depth + 1 :], strict=False):
            port = self._ports[box].out.setdefault(title, Box(f"to {title}", "port"))
            self._add(box, part, port, live=live)


def _carried(loop: Box, a: Operation, b: Operation) -> bool:
    """Whether two operations ran in different iterations of a loop."""
    return loop.iterations[a.number] != loop.iterations[b.number]
