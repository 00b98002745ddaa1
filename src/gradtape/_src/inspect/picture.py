"""`tape.graph()`: a picture of what a tape recorded, as SVG, DOT and Mermaid."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.autodiff.arguments import inner_leaf
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base import nest
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.inspect.cotangents import pulled_back
from gradtape._src.inspect.fold import folded
from gradtape._src.inspect.layout import Layout, layout
from gradtape._src.inspect.records import Operation, Recording, read
from gradtape._src.inspect.source_lines import name_in, user_frame

_FONT = "ui-sans-serif,system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif"
_COLORS = {  # fill, border, text: text has its own background, which suits light and dark pages
    "variable": ("#dbeafe", "#3b82f6", "#1e3a8a"),
    "watched": ("#ccfbf1", "#14b8a6", "#134e4a"),
    "operation": ("#f1f5f9", "#94a3b8", "#0f172a"),
    "folded": ("#ede9fe", "#8b5cf6", "#4c1d95"),
    "target": ("#dcfce7", "#22c55e", "#14532d"),
    "none": ("#fef3c7", "#d97706", "#78350f"),
    "nonfinite": ("#fee2e2", "#dc2626", "#7f1d1d"),
}
_EDGE = "#8b95a5"
_QUIET = "#7c8798"
_PAD = 14.0
_ARROW = (
    '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    f'orient="auto"><path d="M0,0.5 L8,4 L0,7.5 z" fill="{_EDGE}"/></marker></defs>'
)


@dataclass(eq=False, repr=False)
class Shape:
    """One node of the picture: its kind, a title and lines below it."""

    kind: str
    title: str
    lines: list[str]
    tip: str = ""


def graph(tape: GradientTape, target: Any = None, max_nodes: int = 60) -> Graph:
    """Does the work of `GradientTape.graph`."""
    if max_nodes < 1:
        raise ValueError(f"graph: max_nodes must be at least 1, got {max_nodes}")
    frame = user_frame()
    recording = read(tape)
    for value in recording.values.values():
        if value.kind == "watched":
            value.name = _name_of(frame, value.id) or value.name
    names = {}
    if target is not None:
        leaves = [inner_leaf(y) for y in nest.flatten(target)]
        targets = [y for y in leaves if y is not None]
        if len(targets) < len(leaves):
            raise TypeError(f"graph: target must be a tensor or tensors, got {target!r}")
        names = {y._id: name_in(frame, y) or "" for y in targets}
        _differentiate(tape, recording, targets)
    return Graph(recording, names, max_nodes)


def _name_of(frame: Any, i: int) -> str | None:
    for space in () if frame is None else (frame.f_locals, frame.f_globals):
        for name, held in list(space.items()):
            if getattr(held, "_id", 0) == i and not name.startswith("_"):
                return str(name)
    return None


def _differentiate(tape: GradientTape, recording: Recording, targets: Sequence[Any]) -> None:
    """Pulls back from the targets, and records norms of values and operations."""
    recording.targets = tuple(y._id for y in targets)
    found = pulled_back(tape.records, targets).cotangents
    for op in recording.operations:
        arrived = [found[o] for o in op.outputs if o in found]
        op.norm, op.state = _measure(arrived)
        if arrived and op.shape is None:
            op.shape, op.dtype = arrived[0].shape, arrived[0].dtype.name
    for i, value in recording.values.items():
        value.norm, value.state = _measure([found[i]] if i in found else [])


def _measure(gradients: Sequence[Any]) -> tuple[float | None, str]:
    """Returns the norm of gradients, and a word for gradients that are None or non-finite."""
    if not gradients:
        return None, "none"
    total = 0.0
    for g in gradients:
        array = np.asarray(g.values if isinstance(g, IndexedSlices) else g)
        wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
        total += float(np.sum(np.abs(wide) ** 2))
    return float(np.sqrt(total)), "" if np.isfinite(total) else "nonfinite"


def readable(count: float) -> str:
    """Formats a number of bytes."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


class Graph:
    """A picture of a recording; see `graph`.

    Attributes:
      recording: The values and operations that are shown.
    """

    _drawing: tuple[str, float, float] | None = None

    def __init__(self, recording: Recording, names: dict[int, str], max_nodes: int) -> None:
        self.recording = recording
        self._names = names
        self._shapes: dict[int, Shape] = {}
        self._edges: list[tuple[int, int]] = []
        self._build(max_nodes)

    def _build(self, max_nodes: int) -> None:
        """Makes nodes for values and (folded) operations."""
        recording = self.recording
        node_of: dict[int, int] = {}
        boxes = folded(recording.operations, max_nodes)
        self._boxes = len(boxes)
        hide = len(boxes) < len(recording.operations) and len(recording.values) > max_nodes // 3
        for i, value in recording.values.items():
            if hide and value.kind == "variable" and value.state == "":
                continue
            number = node_of[i] = len(self._shapes)
            lines = [typed(value.shape, value.dtype)] if value.shape is not None else []
            lines += self._gradient(value.norm, value.state)
            kind = value.state or value.kind
            self._shapes[number] = Shape(kind, value.name or value.kind, lines, value.kind)
        for box in boxes:
            number = len(self._shapes)
            self._shapes[number] = self._shape(box.title, box.detail, box.operations)
            for op in box.operations:
                self._edges += [
                    (node_of[i], number) for i in op.inputs if i in node_of and node_of[i] != number
                ]
                node_of.update(dict.fromkeys((o for o in op.outputs if o), number))
        self._edges = list(dict.fromkeys(self._edges))

    def _shape(self, title: str, detail: str, operations: list[Operation]) -> Shape:
        last = operations[-1]
        lines = [detail] if detail else []
        if last.shape is not None:
            lines.append(typed(last.shape, last.dtype))
        held = sum(op.bytes for op in operations)
        states = [op.state for op in operations]
        state = "nonfinite" if "nonfinite" in states else "none" if set(states) == {"none"} else ""
        norm = next((op.norm for op in reversed(operations) if op.norm is not None), None)
        gradient = self._gradient(norm, state)
        lines.append(" \u00b7 ".join([*([f"holds {readable(held)}"] if held else []), *gradient]))
        named = [self._names[o] for op in operations for o in op.outputs if o in self._names]
        if named:
            title = f"{title} = {named[0]}" if named[0] else title
        kind = state or ("target" if named else "folded" if len(operations) > 1 else "operation")
        place = operations[0].place
        tip = "" if place is None else f"{place}: {place.source.strip()}"
        return Shape(kind, title, [s for s in lines if s], tip)

    def _gradient(self, norm: float | None, state: str) -> list[str]:
        if not self.recording.targets:
            return []
        if state == "none":
            return ["gradient None"]
        if state == "nonfinite":
            return ["gradient not finite"]
        return [f"|g| {norm:.3g}"]

    @property
    def caption(self) -> str:
        """The size of the picture, in one line."""
        n = len(self.recording.operations)
        fold = "" if self._boxes >= n else f", folded to {self._boxes}"
        if not n:
            return "nothing recorded (a tape that is not persistent lets go of its records)"
        return f"{n} operations{fold}, holding {readable(self.recording.bytes)}"

    # As text.

    def to_dot(self) -> str:
        """Returns the graph in Graphviz' language."""
        lines = ["digraph tape {", '  node [shape=box style="rounded,filled" fontname=Helvetica];']
        for n, s in self._shapes.items():
            fill, border, text = _COLORS[s.kind]
            label = "\\n".join(_escaped(t) for t in (s.title, *s.lines))
            lines.append(
                f'  n{n} [label="{label}" fillcolor="{fill}" color="{border}" fontcolor="{text}"];'
            )
        lines += [f'  n{a} -> n{b} [color="{_EDGE}"];' for a, b in self._edges]
        return "\n".join((*lines, "}"))

    def to_mermaid(self) -> str:
        """Returns the graph in Mermaid's language, for Markdown pages."""
        lines = ["flowchart TD"]
        for n, s in self._shapes.items():
            label = "<br/>".join(html.escape(t).replace("|", "#124;") for t in (s.title, *s.lines))
            lines.append(f'  n{n}("{label}"):::{s.kind}')
        lines += [f"  n{a} --> n{b}" for a, b in self._edges]
        for kind in dict.fromkeys(s.kind for s in self._shapes.values()):
            fill, border, text = _COLORS[kind]
            lines.append(f"  classDef {kind} fill:{fill},stroke:{border},color:{text}")
        return "\n".join(lines)

    def to_svg(self) -> str:
        """Returns the picture, which is readable on light and dark pages."""
        drawn, inner, tall = self.drawing()
        width, height = max(inner, 7.0 * len(self.caption) + 2 * _PAD), tall + 22
        shift = (width - inner) / 2
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{_FONT}" role="img">'
        )
        foot = (
            f'<text x="{width / 2:.1f}" y="{height - 8:.1f}" font-size="11" fill="{_QUIET}" '
            f'text-anchor="middle">{html.escape(self.caption)}</text></svg>'
        )
        out = [
            head,
            f"<title>{html.escape(self.caption)}</title>",
            _ARROW,
            f'<g transform="translate({shift:.1f},0)">',
            drawn,
            "</g>",
            foot,
        ]
        return "\n".join(out)

    def drawing(self) -> tuple[str, float, float]:
        """Returns the picture without its caption.

        Returns:
          Its SVG, its width and its height.
        """
        if self._drawing is None:
            sizes = {n: self._extent(s) for n, s in self._shapes.items()}
            placed = layout(sizes, self._edges)
            out = [f'<g transform="translate({_PAD},{_PAD})">']
            out += [_edge(a, b, placed, sizes) for a, b in self._edges]
            for n, s in self._shapes.items():
                center = placed.centers[n]
                out += [_node(s, center, sizes[n]), self._contents(s, center)]
            text = "\n".join([*filter(None, out), "</g>"])
            self._drawing = text, placed.width + 2 * _PAD, placed.height + 2 * _PAD
        return self._drawing

    def _extent(self, shape: Shape) -> tuple[float, float]:
        """Width and height of a box."""
        return size_of(shape)

    def _contents(self, shape: Shape, center: tuple[float, float]) -> str:
        """Returns the drawing in a box below its text."""
        return ""

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def save(self, path: str | Path) -> None:
        """Writes the picture to a file, in the format of its ending: .svg, .dot, .gv, .mmd, .md.

        Args:
          path: The file.

        Raises:
          ValueError: The ending is not one of these.
        """
        path = Path(path)
        writers: dict[str, Callable[[], str]] = {
            ".svg": self.to_svg, ".dot": self.to_dot, ".gv": self.to_dot,
            ".mmd": self.to_mermaid, ".md": lambda: f"```mermaid\n{self.to_mermaid()}\n```\n",
        }  # fmt: skip
        if path.suffix not in writers:
            raise ValueError(f"graph.save: {path.name} must end in one of {', '.join(writers)}")
        path.write_text(writers[path.suffix](), encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Graph: {self.caption}; a notebook shows it, save('tape.svg') writes it>"


def typed(shape: tuple[int, ...] | None, dtype: str) -> str:
    """Formats a shape and a dtype, as far as they are known."""
    if shape is None:
        return dtype
    extents = "\u00d7".join(map(str, shape)) or "scalar"
    return f"{extents} {dtype}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


# Drawing.


def size_of(s: Shape) -> tuple[float, float]:
    """Width and height that the text needs."""
    widest = max([8.0 * len(s.title), *(6.3 * len(t) for t in s.lines)])
    return max(72.0, widest + 24), 26.0 + 15 * len(s.lines)


def _node(s: Shape, center: tuple[float, float], size: tuple[float, float]) -> str:
    fill, border, text = _COLORS[s.kind]
    (cx, cy), (w, h) = center, size
    radius = h / 2 if s.kind in ("variable", "watched") and len(s.lines) < 2 else 8
    dash = ' stroke-dasharray="5 3"' if s.kind == "none" else ""
    box = (
        f'<g><rect x="{cx - w / 2:.1f}" y="{cy - h / 2:.1f}" width="{w:.1f}" height="{h:.1f}" '
        f'rx="{min(radius, 18):.0f}" fill="{fill}" stroke="{border}" stroke-width="1.3"{dash}/>'
    )
    out = [box]
    if s.tip:
        out.append(f"<title>{html.escape(s.tip)}</title>")
    y = cy - h / 2 + 18
    for i, line in enumerate((s.title, *s.lines)):
        style = 'font-size="13" font-weight="600"' if i == 0 else 'font-size="11" opacity="0.85"'
        out.append(
            f'<text x="{cx:.1f}" y="{y + 15 * i:.1f}" text-anchor="middle" fill="{text}" {style}>'
            f"{html.escape(line)}</text>"
        )
    return "".join((*out, "</g>"))


def _edge(a: int, b: int, placed: Layout, sizes: dict[int, tuple[float, float]]) -> str:
    """Returns a curve from the bottom of one node to the top of another."""
    (ax, ay), (bx, by) = placed.centers[a], placed.centers[b]
    start = ax + _port(bx - ax, sizes[a][0]), ay + sizes[a][1] / 2
    end = bx + _port(ax - bx, sizes[b][0]), by - sizes[b][1] / 2 - 1
    points = [start, *placed.routes[a, b], end]
    path = [f"M{start[0]:.1f},{start[1]:.1f}"]
    for (x0, y0), (x1, y1) in pairwise(points):
        bend = (y1 - y0) * 0.5
        path.append(f"C{x0:.1f},{y0 + bend:.1f} {x1:.1f},{y1 - bend:.1f} {x1:.1f},{y1:.1f}")
    return (
        f'<path d="{" ".join(path)}" fill="none" stroke="{_EDGE}" stroke-width="1.4" '
        'marker-end="url(#to)"/>'
    )


def _port(towards: float, width: float) -> float:
    """Returns the distance between the middle of a side and the beginning of an edge."""
    room = width / 2 - 16
    return max(-room, min(room, towards * 0.12))
