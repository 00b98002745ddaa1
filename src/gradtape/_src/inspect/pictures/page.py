"""Pictures as self-contained HTML, in which boxes can be opened and the view can be moved."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from gradtape._src.inspect.pictures.drawing import COLORS, MEANINGS, size_of

if TYPE_CHECKING:
    from gradtape._src.inspect.pictures.boxes import Box
    from gradtape._src.inspect.pictures.picture import Graph


def whole_page(graph: Graph) -> str:
    """Returns a page with one picture.

    Args:
      graph: The picture.
    """
    caption = html.escape(graph.caption)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{caption}</title>"
        f'</head><body style="margin:0">{_element(graph, "page")}</body></html>\n'
    )


def part_of_page(graph: Graph) -> str:
    """Returns an element with a picture, for notebooks.

    Args:
      graph: The picture.
    """
    return _element(graph, "part")


def _element(graph: Graph, where: str) -> str:
    data = json.dumps(data_of(graph), separators=(",", ":")).replace("<", "\\u003c")
    style, script = _asset("picture.css"), _asset("picture.js")
    return (
        f'<div class="gradtape-tape" data-where="{where}"><style>{style}</style>'
        f'<div class="gt-view">{graph.to_svg()}</div>'
        f"<script>(() => {{ const picture = {data};\n"
        f"const here = document.currentScript.parentElement;\n{script}\n}})();</script></div>"
    )


@cache
def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def data_of(graph: Graph) -> dict[str, Any]:
    """Returns the data from which the script of a page draws a picture.

    Args:
      graph: The picture.

    Returns:
      The caption, the colours, their legend, and the boxes. Boxes that can be opened have rows of
      nodes, and edges.
    """
    boxes = {str(graph.numbers[box]): entry for box, entry in _boxes(graph, graph.root)}
    root = str(graph.numbers[graph.root])
    used = {entry["kind"] for number, entry in boxes.items() if number != root}
    used |= {entry["own"] for number, entry in boxes.items() if "own" in entry and number != root}
    return {
        "caption": graph.caption,
        "colors": {kind: COLORS[kind] for kind in sorted(used)},
        "legend": [[kind, text] for kind, text in MEANINGS.items() if kind in used],
        "root": graph.numbers[graph.root],
        "boxes": boxes,
    }


def _boxes(graph: Graph, box: Box) -> Iterator[tuple[Box, dict[str, Any]]]:
    """Yields a box and the nodes in it, as data for the page's script."""
    entry: dict[str, Any] = {"title": "", "kind": "layer", "lines": [], "tip": "", "size": [0, 0]}
    if box is not graph.root:
        shape = graph.shape(box)
        width, height = size_of(shape)
        entry = {
            "title": shape.title,
            "kind": shape.kind,
            "lines": shape.lines,
            "tip": shape.tip,
            "size": [round(width, 1), height],
        }
        if shape.times > 1:
            entry["times"] = shape.times
    if not box.leaf:
        rows = graph.rows(box)
        stopped = {(graph.numbers[a], graph.numbers[b]) for a, b in box.stopped}
        entry["rows"] = rows.rows
        entry["edges"] = [
            [*ends, rows.chains[ends], ends in stopped]
            for ends in ((graph.numbers[a], graph.numbers[b]) for a, b in box.edges)
        ]
        entry["open"] = graph.is_open(box)
        entry["own"] = graph.own_kind(box)
    yield box, entry
    for part in box.inside:
        yield from _boxes(graph, part)
