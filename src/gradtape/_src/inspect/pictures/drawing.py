"""The parts of a picture as SVG: boxes with lines of text, and edges between them."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from itertools import pairwise

from gradtape._src.inspect.pictures.layout import Layout

FONT = "ui-sans-serif,system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif"
COLORS = {  # fill, border, text: text has its own background, which suits light and dark pages
    "variable": ("#dbeafe", "#3b82f6", "#1e3a8a"),
    "watched": ("#ccfbf1", "#14b8a6", "#134e4a"),
    "input": ("#ccfbf1", "#14b8a6", "#134e4a"),
    "operation": ("#f1f5f9", "#94a3b8", "#0f172a"),
    "layer": ("#ede9fe", "#8b5cf6", "#4c1d95"),
    "loop": ("#fae8ff", "#c026d3", "#701a75"),
    "piece": ("#e2e8f0", "#64748b", "#0f172a"),
    "target": ("#dcfce7", "#22c55e", "#14532d"),
    "side": ("#f8fafc", "#cbd5e1", "#64748b"),
    "none": ("#fef3c7", "#d97706", "#78350f"),
    "cut": ("#ffedd5", "#ea580c", "#7c2d12"),
    "nonfinite": ("#fee2e2", "#dc2626", "#7f1d1d"),
    "guilty": ("#dc2626", "#7f1d1d", "#ffffff"),
    "port": ("none", "none", "#64748b"),
}
MEANINGS = {
    "variable": "variable",
    "watched": "watched tensor",
    "input": "input",
    "layer": "layer or function",
    "loop": "loop",
    "piece": "consecutive operations",
    "target": "target",
    "side": "not used by the target",
    "none": "gradient is None",
    "cut": "the gradient stops here",
    "nonfinite": "gradient not finite",
    "guilty": "where NaN or infinity begins",
}
"""The legend for the colours of boxes; other colours need no legend."""
EDGE = "#8b95a5"
QUIET = "#7c8798"
PAD = 14.0
HEAD = 26.0  # the height of an open box's title
ARROW = (
    '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    f'orient="auto"><path d="M0,0.5 L8,4 L0,7.5 z" fill="{EDGE}"/></marker></defs>'
)
_ROUND = ("variable", "watched", "input")
_DASHED = ("none", "cut")


@dataclass(eq=False, repr=False)
class Shape:
    """One node of the picture.

    Attributes:
      kind: The kind of node, which decides its colours.
      title: The text at its top.
      lines: The lines below.
      tip: The tooltip.
      times: For a loop, the number of iterations.
      opens: Whether the box contains boxes.
    """

    kind: str
    title: str
    lines: list[str] = field(default_factory=list)
    tip: str = ""
    times: int = 1
    opens: bool = False


def readable(count: float) -> str:
    """Formats a number of bytes."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def typed(shape: tuple[int, ...] | None, dtype: str) -> str:
    """Formats a shape and a dtype; unknown parts are left out."""
    if shape is None:
        return dtype
    extents = "\u00d7".join(map(str, shape)) or "scalar"
    return f"{extents} {dtype}".rstrip()


def size_of(s: Shape) -> tuple[float, float]:
    """Returns the width and height that the text needs."""
    if s.kind == "port":
        return 6.0 * len(s.title) + 12, 18.0
    widest = max([8.0 * len(s.title) + (16 if s.opens else 0), *(6.3 * len(t) for t in s.lines)])
    return max(72.0, widest + 24), 26.0 + 15 * len(s.lines)


def node(s: Shape, center: tuple[float, float], size: tuple[float, float]) -> str:
    """Draws a box that is closed, with its text.

    Args:
      s: The box.
      center: Its middle.
      size: Its width and height.
    """
    fill, border, text = COLORS[s.kind]
    (cx, cy), (w, h) = center, size
    tip = f"<title>{html.escape(s.tip)}</title>" if s.tip else ""
    if s.kind == "port":
        return (
            f'<g>{tip}<text x="{cx:.1f}" y="{cy + 4:.1f}" text-anchor="middle" font-size="11" '
            f'font-style="italic" fill="{text}">{html.escape(s.title)}</text></g>'
        )
    radius = min(h / 2 if s.kind in _ROUND and len(s.lines) < 2 else 8, 18)
    dash = ' stroke-dasharray="5 3"' if s.kind in _DASHED else ""
    x, y = cx - w / 2, cy - h / 2
    out = ["<g>", *_behind(s, x, y, w, h)]
    out.append(
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="{radius:.0f}" '
        f'fill="{fill}" stroke="{border}" stroke-width="1.3"{dash}/>{tip}'
    )
    for i, line in enumerate((s.title, *s.lines)):
        style = 'font-size="13" font-weight="600"' if i == 0 else 'font-size="11" opacity="0.85"'
        out.append(
            f'<text x="{cx:.1f}" y="{y + 18 + 15 * i:.1f}" text-anchor="middle" fill="{text}" '
            f"{style}>{html.escape(line)}</text>"
        )
    return "".join((*out, "</g>"))


def _behind(s: Shape, x: float, y: float, w: float, h: float) -> list[str]:
    """Draws sheets behind a loop's box, to show that it stands for several iterations."""
    border = COLORS[s.kind][1]
    sheets = (6, 3) if s.times > 1 else ()
    return [
        f'<path d="M{x + k + 8:.1f},{y + h + k:.1f} H{x + w + k - 6:.1f} q6,0 6,-6 '
        f'V{y + k + 8:.1f}" fill="none" stroke="{border}" stroke-width="1.1"/>'
        for k in sheets
    ]


def open_box(s: Shape, center: tuple[float, float], size: tuple[float, float], inside: str) -> str:
    """Draws a box that is open.

    Args:
      s: The box.
      center: Its middle.
      size: Its width and height.
      inside: The SVG of its contents, whose origin is the top left corner below the title.
    """
    _, border, text = COLORS[s.kind]
    (cx, cy), (w, h) = center, size
    x, y = cx - w / 2, cy - h / 2
    tip = f"<title>{html.escape(s.tip)}</title>" if s.tip else ""
    return (
        f'<g><rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="10" '
        f'fill="{border}" fill-opacity="0.07" stroke="{border}" stroke-width="1.3"/>'
        f'<rect x="{x + 5:.1f}" y="{y + 5:.1f}" width="{8.0 * len(s.title) + 12:.1f}" height="19" '
        f'rx="6" fill="{COLORS[s.kind][0]}"/>{tip}'
        f'<text x="{x + 11:.1f}" y="{y + 19:.1f}" font-size="13" font-weight="600" '
        f'fill="{text}">{html.escape(s.title)}</text>'
        f'<g transform="translate({x:.1f},{y + HEAD:.1f})">{inside}</g></g>'
    )


def edge(
    a: int,
    b: int,
    layout: Layout,
    sizes: dict[int, tuple[float, float]],
    *,
    stopped: bool = False,
) -> str:
    """Draws a curve from the bottom of one node to the top of another.

    Args:
      a: The upper node.
      b: The lower node.
      layout: The places of the nodes.
      sizes: Their widths and heights.
      stopped: Whether no gradient flows back along it.
    """
    (ax, ay), (bx, by) = layout.centers[a], layout.centers[b]
    start = ax + _port(bx - ax, sizes[a][0]), ay + sizes[a][1] / 2
    end = bx + _port(ax - bx, sizes[b][0]), by - sizes[b][1] / 2 - 1
    points = [start, *layout.routes[a, b], end]
    path = [f"M{start[0]:.1f},{start[1]:.1f}"]
    for (x0, y0), (x1, y1) in pairwise(points):
        bend = (y1 - y0) * 0.5
        path.append(f"C{x0:.1f},{y0 + bend:.1f} {x1:.1f},{y1 - bend:.1f} {x1:.1f},{y1:.1f}")
    style = 'stroke="#ea580c" stroke-dasharray="3 4"' if stopped else f'stroke="{EDGE}"'
    return (
        f'<path d="{" ".join(path)}" fill="none" {style} stroke-width="1.4" marker-end="url(#to)"/>'
    )


def _port(towards: float, width: float) -> float:
    """Returns the distance between the middle of a side and the beginning of an edge."""
    room = max(0.0, width / 2 - 16)
    return max(-room, min(room, towards * 0.12))
