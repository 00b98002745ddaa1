"""A profile as one HTML page, which needs no other file and no network."""

from __future__ import annotations

import html
import json
import linecache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradtape._src.inspect.pictures.drawing import readable
from gradtape._src.profiling.collector import OVERHEAD, PYTHON, Flame
from gradtape._src.profiling.trace_file import changes

if TYPE_CHECKING:
    from gradtape._src.profiling.report import Report, Table

_LEAST = 2e-4  # the smallest share of the time that is drawn
_MOST_LINES = 40
_LEAST_SHARE = 5e-4  # of a hot line; smaller shares would be shown as 0.0%
_WIDTH, _HEIGHT = 1000, 160  # the size of the picture of the memory
_POINTS = 1500


def page(report: Report) -> str:
    """Returns the HTML page of a profile."""
    parts = [
        ("Where the time goes", _bar(report)),
        ("Flame graph", '<div id="flame"></div><p id="shown">Click a box to enlarge it.</p>'),
        ("Memory over time", _memory(report)),
        ("Hot lines", _hot_lines(report)),
        ("Tables", tables_of(report)),
    ]
    if report.picture:
        parts.append(("The first tape", f'<div class="tape">{report.picture}</div>'))
    body = "".join(
        [f"<section><h2>{html.escape(title)}</h2>{text}</section>" for title, text in parts]
    )
    data = json.dumps(flame_tree(report)).replace("<", "\\u003c")
    return (
        _PAGE.replace("{caption}", html.escape(report.caption))
        .replace("{body}", body)
        .replace("{flame}", data)
    )


def tables_of(report: Report) -> str:
    """Returns the tables of a profile as HTML."""
    return "".join([_table(table) for table in report.tables(30) if table.rows])


def _table(table: Table) -> str:
    def line(cells: Any, tag: str) -> str:
        return "<tr>" + "".join([f"<{tag}>{html.escape(c)}</{tag}>" for c in cells]) + "</tr>"

    rows = "".join([line(row, "td") for row in table.rows])
    return f"<table><thead>{line(table.head, 'th')}</thead><tbody>{rows}</tbody></table>"


def _bar(report: Report) -> str:
    """Returns a bar whose segments are the parts of the time."""
    shown = sorted(report.phases.items(), key=lambda item: -item[1])
    boxes, legend = [], []
    for k, (name, t) in enumerate(shown):
        share = t / report.wall if report.wall else 0.0
        if not t:
            continue
        color = _color(name, k)
        text = html.escape(f"{name}: {share:.1%}")
        boxes.append(f'<i style="width:{share:.4%};background:{color}" title="{text}"></i>')
        legend.append(f'<span><b style="background:{color}"></b>{text}</span>')
    return f'<div class="bar">{"".join(boxes)}</div><p class="legend">{"".join(legend)}</p>'


def _color(name: str, k: int) -> str:
    if name == "Python outside of operations":
        return "#9aa0a6"
    if name == "the profiler itself":
        return "#d0d4d8"
    return _COLORS[k % len(_COLORS)]


_COLORS = (
    "#d9822b",
    "#2a6f97",
    "#7a9e3f",
    "#8e5572",
    "#4c956c",
    "#bc4b51",
    "#5b8e7d",
    "#f4a259",
    "#6d597a",
    "#b5838d",
)


def flame_tree(report: Report) -> dict[str, Any]:
    """Returns the flame graph as nested boxes: `n` is the name, `v` nanoseconds, `c` the children.

    Args:
      report: The profile. Name scopes are boxes around the operations in them.
    """
    whole = int(report.wall * 1e9)
    tree = _Box("all")
    _add(tree, report.flame, "")
    for name, phase in (
        (PYTHON, "Python outside of operations"),
        (OVERHEAD, "the profiler itself"),
    ):
        tree.inside[name] = _Box(name, int(report.phases.get(phase, 0.0) * 1e9))
    return tree.to_json(max(whole * _LEAST, 1.0))


class _Box:
    def __init__(self, name: str, own: int = 0) -> None:
        self.name, self.own, self.calls = name, own, 0
        self.inside: dict[str, _Box] = {}

    def child(self, name: str) -> _Box:
        return self.inside.setdefault(name, _Box(name))

    @property
    def total(self) -> int:
        return self.own + sum([box.total for box in self.inside.values()])

    def to_json(self, least: float) -> dict[str, Any]:
        boxes = sorted(self.inside.values(), key=lambda box: -box.total)
        children = [box.to_json(least) for box in boxes if box.total >= least]
        return {"n": self.name, "v": self.total, "k": self.calls, "c": children}


def _add(box: _Box, flame: Flame, around: str) -> None:
    for (layer, name), inside in flame.inside.items():
        place = box
        own = layer.removeprefix(around) if layer.startswith(around) else layer
        for part in filter(None, own.split("/")):
            place = place.child(part)
        place = place.child(name)
        place.own += inside.own
        place.calls += inside.calls
        _add(place, inside, layer)


def _memory(report: Report) -> str:
    points = changes(report.memory, _POINTS)
    if len(points) < 2 or not report.peak:
        return "<p>No operation made an array.</p>"
    wide, high = _WIDTH / max(report.wall, 1e-9), _HEIGHT / report.peak
    steps, before = [], float(_HEIGHT)
    for t, live in points:
        x, y = t * wide, _HEIGHT - live * high
        steps.append(f"{x:.1f},{before:.1f} {x:.1f},{y:.1f}")
        before = y
    path = " ".join(steps)
    return (
        f'<svg class="memory" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" '
        f'role="img" aria-label="bytes alive over time"><polygon points="0,{_HEIGHT} {path} '
        f'{points[-1][0] * wide:.1f},{_HEIGHT}"/></svg><p class="axis"><span>0 s</span>'
        f"<span>at most {readable(report.peak)} of results alive</span>"
        f"<span>{report.wall:.2f} s</span></p>"
    )


def _hot_lines(report: Report) -> str:
    known = [row for row in report.lines if ":" in row.name][:_MOST_LINES]
    if not known:
        return "<p>No line of the program took time.</p>"
    most = known[0].seconds or 1.0
    rows = []
    for k, row in enumerate(known):
        if k and row.seconds < _LEAST_SHARE * report.wall:
            break
        file, _, number = row.name.rpartition(":")
        text = linecache.getline(file, int(number)).strip()
        place = (
            f'<span title="{html.escape(row.name)}">{html.escape(Path(file).name)}:{number}</span>'
        )
        share = row.seconds / report.wall if report.wall else 0.0
        heat = f"--heat:{row.seconds / most:.3f}"
        rows.append(
            f'<tr style="{heat}"><td>{share:.1%}</td><td>{place}</td>'
            f"<td><code>{html.escape(text)}</code></td></tr>"
        )
    return f'<table class="lines"><tbody>{"".join(rows)}</tbody></table>'


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>gradtape profile</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2125; --soft: #667; --line: #e2e5e9; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #e8eaed; --soft: #9aa0a6; --line: #30343a; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1100px; padding: 1.5rem;
  background: var(--paper); color: var(--ink); }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { color: var(--soft); margin: .4rem 0; }
.bar { display: flex; height: 1.6rem; border-radius: 4px; overflow: hidden; }
.legend span { display: inline-block; margin-right: 1.2rem; white-space: nowrap; }
.legend b { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px;
  margin-right: .35rem; }
#flame { position: relative; overflow: hidden; }
#flame button { position: absolute; height: 21px; border: 0; border-radius: 2px; padding: 0 4px;
  font: 12px/21px system-ui, sans-serif; text-align: left; overflow: hidden; white-space: nowrap;
  box-shadow: inset 0 0 0 .5px var(--paper); cursor: pointer; color: #1d2125; }
#flame button:hover, #flame button:focus-visible { outline: 2px solid var(--ink);
  outline-offset: -2px; }
.memory { width: 100%; height: 160px; border-bottom: 1px solid var(--line); }
.memory polygon { fill: #2a6f9766; stroke: #2a6f97; vector-effect: non-scaling-stroke; }
.axis { display: flex; justify-content: space-between; font-size: 13px; }
table { border-collapse: collapse; margin: .6rem 0 1.2rem; font-variant-numeric: tabular-nums;
  display: block; overflow-x: auto; }
th, td { text-align: right; padding: .15rem .8rem .15rem 0; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.lines td:nth-child(2) { text-align: left; color: var(--soft); }
.lines td:nth-child(3) { text-align: left; }
.lines tr { background: rgba(217, 130, 43, calc(var(--heat) * .45)); }
.lines code { font-size: 13px; } .lines td { padding-left: .5rem; }
.tape { overflow: auto; background: #fff; border: 1px solid var(--line); border-radius: 4px; }
</style></head><body>
<h1>gradtape profile</h1><p>{caption}</p>
{body}
<script>
const tree = {flame};
const place = document.getElementById("flame"), shown = document.getElementById("shown");
const time = v => v >= 1e9 ? (v / 1e9).toFixed(2) + " s" : v >= 1e6 ? (v / 1e6).toFixed(2) + " ms"
  : (v / 1e3).toFixed(0) + " µs";
function hue(name) {
  let h = 0;
  for (const c of name) h = (h * 31 + c.codePointAt(0)) % 997;
  if (name === "Python" || name === "the profiler") return "#c3c8ce";
  return `hsl(${18 + h % 38} 78% ${62 + h % 14}%)`;
}
function draw(root, path) {
  place.textContent = "";
  let deepest = 0;
  function box(node, left, width, depth, trail) {
    if (width < 0.12) return;
    deepest = Math.max(deepest, depth);
    const b = document.createElement("button"), full = trail.concat([node]);
    b.style.cssText = `left:${left}%;width:${width}%;top:${depth * 22}px;background:${hue(node.n)}`;
    const share = (100 * node.v / tree.v).toFixed(1);
    b.title = `${node.n}: ${time(node.v)}, ${share} %` + (node.k ? `, ${node.k} times` : "");
    b.textContent = width > 1.5 ? node.n : "";
    b.setAttribute("aria-label", b.title);
    b.onclick = () => draw(node === root && trail.length ? trail[trail.length - 1] : node,
      node === root && trail.length ? trail.slice(0, -1) : trail);
    const path = full.map(n => n.n).join(" > ");
    b.onmouseenter = () => { shown.textContent = `${path}: ${b.title}`; };
    place.append(b);
    let at = left;
    for (const c of node.c) {
      const w = width * c.v / node.v;
      box(c, at, w, depth + 1, full);
      at += w;
    }
  }
  box(root, 0, 100, 0, path);
  place.style.height = (deepest + 1) * 22 + "px";
}
draw(tree, []);
</script></body></html>
"""
