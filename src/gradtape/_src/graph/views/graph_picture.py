"""Pictures of functions' graphs."""

from __future__ import annotations

import html
import linecache
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.declare.operation_names import IDENTITY, NO_OP
from gradtape._src.declare.unknown_sizes import Size
from gradtape._src.inspect.pictures.base_picture import Picture
from gradtape._src.inspect.pictures.drawing import Shape, size_of, typed

if TYPE_CHECKING:
    from gradtape._src.graph.ir.func_graph import FuncGraph, Operation
    from gradtape._src.graph.ir.graph import Symbol

_MOST = 60
"""The maximum number of boxes of a graph, if scopes can be folded."""
_GAP = 12.0
# the number of edges into a box above which most are omitted, and the number that is kept
_MANY, _LAST = 6, 2


class GraphPicture(Picture):
    """A picture of a function's graph, with boxes for operations, name scopes and called functions.

    Nested scopes have separate boxes if there are few of them. The box of a conditional or loop
    shows the graphs that it runs.

    Args:
      graph: The graph to draw.
    """

    def __init__(self, graph: FuncGraph) -> None:
        self._shapes, self._edges = {}, []
        self._inner_pictures: dict[Shape, list[tuple[str, GraphPicture]]] = {}
        operations = [op for op in graph if op.type != NO_OP]
        self._count, self._name = len(operations), graph.name
        boxes = _boxes(operations)
        place: dict[str, int] = {}
        for number, (title, box) in enumerate(boxes):
            shape = self._shapes[number] = _shape(title, box)
            parts = [part for op in box for part in op.parts]
            if parts:
                self._inner_pictures[shape] = [(p.label, GraphPicture(p.graph)) for p in parts]
            for op in box:
                sources = [place[source.name] for source, _ in op.sources if source.name in place]
                self._edges += [(i, number) for i in sources if i != number]
                place[op.name] = number
        self._edges = self._readable(list(dict.fromkeys(self._edges)))
        self._boxes = len(boxes)

    def _readable(self, edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Omits most of the edges into boxes with very many inputs, such as gradients.

        Edges from the nearest preceding boxes and from boxes without other edges are kept.
        """
        leaving = Counter(a for a, _ in edges)
        left_out: set[tuple[int, int]] = set()
        for number, shape in self._shapes.items():
            sources = sorted(a for a, b in edges if b == number)
            if len(sources) > _MANY:
                left = [a for a in sources[:-_LAST] if leaving[a] > 1]
                if left:
                    left_out.update((a, number) for a in left)
                    shape.lines.append(f"and of {len(left)} boxes above")
        return [edge for edge in edges if edge not in left_out]

    @property
    def caption(self) -> str:
        """The size of the graph, in one line."""
        fold = "" if self._boxes >= self._count else f", in {self._boxes} boxes"
        return f"{self._name}: {self._count} operations{fold}"

    def to_text(self) -> str:
        """Formats the boxes as text; those in conditionals and loops are indented.

        Returns:
          A line for each box, with the boxes on which it depends.
        """
        lines = [self.caption]
        for number, shape in self._shapes.items():
            sources = [self._shapes[a].title for a, b in self._edges if b == number]
            told = f" ({', '.join(shape.lines)})" if shape.lines else ""
            given = f" of {', '.join(sources)}" if sources else ""
            lines.append(f"  {shape.title}{told}{given}")
            for label, inside in self._inner_pictures.get(shape, ()):
                first, *rest = inside.to_text().split("\n")
                lines.append(f"    {label}: {first}")
                lines += [f"    {line}" for line in rest]
        return "\n".join(lines)

    # Drawing.

    def _extent(self, shape: Shape) -> tuple[float, float]:
        width, height = size_of(shape)
        contents = [inside.drawing() for _, inside in self._inner_pictures.get(shape, ())]
        if not contents:
            return width, height
        across = sum(w for _, w, _ in contents) + _GAP * (len(contents) + 1)
        return max(width, across), height + max(h for _, _, h in contents) + 18 + _GAP

    def _contents(self, shape: Shape, center: tuple[float, float]) -> str:
        contents = self._inner_pictures.get(shape, ())
        (cx, cy), (width, height) = center, self._extent(shape)
        x, y = cx - width / 2 + _GAP, cy - height / 2 + size_of(shape)[1]
        out = []
        for label, inside in contents:
            drawn, w, h = inside.drawing()
            out.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h + 18:.1f}" rx="6" '
                'fill="#ffffff" fill-opacity="0.55" stroke="#94a3b8" stroke-dasharray="3 3"/>'
                f'<text x="{x + 8:.1f}" y="{y + 13:.1f}" font-size="11" fill="#475569">'
                f"{html.escape(label)}</text>"
                f'<g transform="translate({x:.1f},{y + 18:.1f})">{drawn}</g>'
            )
            x += w + _GAP
        return "".join(out)


def _boxes(operations: list[Operation]) -> list[tuple[str, list[Operation]]]:
    """Returns the boxes of a graph: inputs first, then scopes and operations in order."""
    found = [(op.name, [op]) for op in operations if op.type == "Placeholder"]
    others = [op for op in operations if op.type != "Placeholder"]
    groups = _grouped(others, 1)
    for depth in range(2, 1 + max((op.name.count("/") for op in others), default=0)):
        finer = _grouped(others, depth)
        if len(finer) > _MOST:
            break
        groups = finer
    return found + groups


def _grouped(operations: list[Operation], depth: int) -> list[tuple[str, list[Operation]]]:
    def head(op: Operation) -> str:
        return "/".join(op.name.split("/")[:depth]) if not op.parts else op.name

    return [(title, list(box)) for title, box in groupby(operations, key=head)]


def _shape(title: str, box: list[Operation]) -> Shape:
    last = box[-1]
    if last.type == "Placeholder" and last.value is not None:
        variable = last.value
        name = variable.name.rpartition(":")[0] or variable.name
        kind = typed(tuple(variable.shape), variable.dtype.name)
        return Shape("variable", name, [kind], f"variable {name}, {kind}")
    shown = [op for op in box if op.type != "Const"]
    many = len(shown) > 1
    kind = "folded" if many else "operation"
    if last.type == "Placeholder":
        kind = "watched"
    elif last.type == IDENTITY and last.node is None:
        kind = "target"
    named = last.type in ("Placeholder", title.rpartition("/")[2])
    lines = [f"{len(shown)} operations"] if many else [] if named else [last.type]
    lines = _turns(last) if last.parts else [*lines, *map(_described, last.symbols[:1])]
    return Shape(kind, title, lines, "; ".join([*map(_described, last.symbols), *_place(last)]))


def _described(symbol: Symbol) -> str:
    """Formats a shape and a dtype, with a question mark for an unknown length."""
    shape: list[int | str] = ["?" if type(n) is Size else n for n in symbol.shape]
    dtype = as_dtype(symbol.np_dtype).name
    extents = "\u00d7".join(map(str, shape))
    return f"{extents} {dtype}" if shape else typed((), dtype)


def _turns(op: Operation) -> list[str]:
    """Returns the number of iterations of a loop if it is known."""
    of = None if op.node is None else op.node.params.get("of")
    if op.type == "Scan" and op.node is not None:
        rows = op.node.inputs[-1].shape[0]
        return ["a turn for each row" if type(rows) is Size else f"{rows} turns"]
    most = getattr(of, "most", None)
    if most is not None:
        return [f"at most {most} turns"]
    return ["as long as cond holds"] if op.type.endswith("While") else []


def _place(op: Operation) -> list[str]:
    """Returns the line of the program that called an operation."""
    site = op.origin.site
    if site is None:
        return []
    return [f"{op.place}: {linecache.getline(site[0].co_filename, site[1]).strip()}"]
