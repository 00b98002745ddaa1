"""The base of all pictures: text as SVG, DOT and Mermaid, and files."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gradtape._src.inspect.pictures.drawing import (
    ARROW,
    COLORS,
    EDGE,
    FONT,
    PAD,
    QUIET,
    Shape,
)  # fmt: skip


class Picture(ABC):
    """A picture of boxes and edges."""

    _shapes: dict[int, Shape]
    _edges: list[tuple[int, int]]
    _drawing: tuple[str, float, float] | None = None

    @property
    @abstractmethod
    def caption(self) -> str:
        """A line that states the size of the recording."""

    def _nested(self) -> list[Any]:
        """Returns the boxes as numbers; a box around others is its number, its title and a list."""
        return list(self._shapes)

    def to_dot(self) -> str:
        """Returns the graph in Graphviz' language."""
        lines = ["digraph tape {", '  node [shape=box style="rounded,filled" fontname=Helvetica];']
        lines += self._dot(self._nested(), "  ")
        lines += [f'  n{a} -> n{b} [color="{EDGE}"];' for a, b in self._edges]
        return "\n".join((*lines, "}"))

    def _dot(self, nested: list[Any], indent: str) -> Iterator[str]:
        for n in nested:
            if type(n) is tuple:
                number, title, inside = n
                yield f'{indent}subgraph cluster_{number} {{ label="{_escaped(title)}";'
                yield from self._dot(inside, f"{indent}  ")
                yield f"{indent}}}"
                continue
            s = self._shapes[n]
            fill, border, text = COLORS[s.kind]
            label = "\\n".join(_escaped(t) for t in (s.title, *s.lines))
            colors = f'fillcolor="{fill}" color="{border}" fontcolor="{text}"'
            yield f'{indent}n{n} [label="{label}" {colors}];'

    def to_mermaid(self) -> str:
        """Returns the graph in Mermaid's language, for Markdown pages."""
        lines = ["flowchart TD", *self._mermaid(self._nested(), "  ")]
        lines += [f"  n{a} --> n{b}" for a, b in self._edges]
        for kind in dict.fromkeys(s.kind for s in self._shapes.values()):
            fill, border, text = COLORS[kind]
            lines.append(f"  classDef {kind} fill:{fill},stroke:{border},color:{text}")
        return "\n".join(lines)

    def _mermaid(self, nested: list[Any], indent: str) -> Iterator[str]:
        for n in nested:
            if type(n) is tuple:
                number, title, inside = n
                yield f'{indent}subgraph b{number}["{html.escape(title)}"]'
                yield from self._mermaid(inside, f"{indent}  ")
                yield f"{indent}end"
                continue
            s = self._shapes[n]
            label = "<br/>".join(html.escape(t).replace("|", "#124;") for t in (s.title, *s.lines))
            yield f'{indent}n{n}("{label}"):::{s.kind}'

    def to_svg(self) -> str:
        """Returns the picture, which is readable on light and dark pages."""
        drawn, inner, tall = self.drawing()
        width, height = max(inner, 7.0 * len(self.caption) + 2 * PAD), tall + 22
        shift = (width - inner) / 2
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" role="img">'
        )
        foot = (
            f'<text x="{width / 2:.1f}" y="{height - 8:.1f}" font-size="11" fill="{QUIET}" '
            f'text-anchor="middle">{html.escape(self.caption)}</text></svg>'
        )
        out = [
            head,
            f"<title>{html.escape(self.caption)}</title>",
            ARROW,
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
            self._drawing = self._drawn()
        return self._drawing

    @abstractmethod
    def _drawn(self) -> tuple[str, float, float]:
        """Draws the picture; see `drawing`."""

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _writers(self) -> dict[str, Callable[[], str]]:
        """Returns the functions that make the text of a file, by the ending of its name."""
        return {
            ".svg": self.to_svg, ".dot": self.to_dot, ".gv": self.to_dot,
            ".mmd": self.to_mermaid, ".md": lambda: f"```mermaid\n{self.to_mermaid()}\n```\n",
        }  # fmt: skip

    def save(self, path: str | Path) -> None:
        """Writes the picture to a file.

        The ending determines the format: .svg, .html, .dot, .gv, .mmd or .md.

        Args:
          path: The file.

        Raises:
          ValueError: The ending is not one of these.
        """
        path = Path(path)
        writers = self._writers()
        if path.suffix not in writers:
            raise ValueError(f"graph.save: {path.name} must end in one of {', '.join(writers)}")
        path.write_text(writers[path.suffix](), encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Graph: {self.caption}; a notebook shows it, save('picture.svg') writes it>"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
