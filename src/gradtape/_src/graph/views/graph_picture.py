"""Pictures of functions' graphs."""

from __future__ import annotations

import linecache
from itertools import groupby
from typing import TYPE_CHECKING

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.declare.operation_names import IDENTITY, NO_OP
from gradtape._src.inspect.picture import Graph, Shape, typed

if TYPE_CHECKING:
    from gradtape._src.graph.ir.func_graph import FuncGraph, Operation


class GraphPicture(Graph):
    """A function's graph, with a box for each operation, name scope and function that it calls.

    Args:
      graph: What to draw.
    """

    def __init__(self, graph: FuncGraph) -> None:
        self._shapes, self._edges = {}, []
        operations = [op for op in graph if op.type != NO_OP]
        self._count, self._name = len(operations), graph.name
        boxes = [[op] for op in operations if op.type == "Placeholder"]
        others = [op for op in operations if op.type != "Placeholder"]
        boxes += [list(group) for _, group in groupby(others, key=_head)]
        place: dict[str, int] = {}
        for number, box in enumerate(boxes):
            self._shapes[number] = _shape(box)
            for op in box:
                sources = [place[source.name] for source, _ in op.sources if source.name in place]
                self._edges += [(i, number) for i in sources if i != number]
                place[op.name] = number
        self._edges = list(dict.fromkeys(self._edges))
        self._boxes = len(boxes)

    @property
    def caption(self) -> str:
        """How much there is, in one line."""
        fold = "" if self._boxes >= self._count else f", in {self._boxes} boxes"
        return f"{self._name}: {self._count} operations{fold}"


def _head(op: Operation) -> str:
    return op.name.partition("/")[0]


def _shape(box: list[Operation]) -> Shape:
    last = box[-1]
    shown = [op for op in box if op.type != "Const"]
    many = len(shown) > 1
    lines = [f"{len(shown)} operations"] if many else [last.type] if last.type != last.name else []
    lines += [typed(y.shape, as_dtype(y.np_dtype).name) for y in last.symbols[:1]]
    kind = "folded" if many else "operation"
    if last.type == "Placeholder":
        kind = "watched" if last.value is None else "variable"
    elif last.type == IDENTITY and last.node is None:
        kind = "target"
    site = last.origin.site
    tip = ""
    if site is not None:
        tip = f"{last.place}: {linecache.getline(site[0].co_filename, site[1]).strip()}"
    return Shape(kind, _head(last) if many else last.name, lines, tip)
