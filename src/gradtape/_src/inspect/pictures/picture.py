"""`tape.graph()`: a picture of what a tape recorded, as SVG, HTML, DOT and Mermaid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.autodiff.arguments import inner_leaf
from gradtape._src.autodiff.tape import _SPENT, GradientTape
from gradtape._src.base import nest
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.inspect.cotangents import pulled_back
from gradtape._src.inspect.pictures.base_picture import Picture
from gradtape._src.inspect.pictures.boxes import Box, tree
from gradtape._src.inspect.pictures.cuts import add_cuts
from gradtape._src.inspect.pictures.descriptions import Descriptions
from gradtape._src.inspect.pictures.drawing import (
    HEAD,
    PAD,
    Shape,
    edge,
    node,
    open_box,
    readable,
    size_of,
)  # fmt: skip
from gradtape._src.inspect.pictures.edges import Wiring
from gradtape._src.inspect.pictures.faults import blame_backward, blame_forward
from gradtape._src.inspect.pictures.layout import Rows, arranged, placed
from gradtape._src.inspect.pictures.page import part_of_page, whole_page
from gradtape._src.inspect.records import Recording, read
from gradtape._src.inspect.source_lines import name_in, user_frame

_FEW = 5  # the number of boxes below which the box with most operations is opened, too
_ALL = 24  # the number of boxes up to which all are open


def graph(
    tape: GradientTape, target: Any = None, max_nodes: int = 30, depth: int | None = None
) -> TapeGraph:
    """Implements the method `GradientTape.graph`."""
    if max_nodes < 1:
        raise ValueError(f"graph: max_nodes must be at least 1, got {max_nodes}")
    if depth is not None and depth < 0:
        raise ValueError(f"graph: depth must not be negative, got {depth}")
    frame = user_frame()
    recording = read(tape)
    for value in recording.values.values():
        if value.kind == "watched":
            value.name = _name_of(frame, value.id) or value.name
    names, remarks = {}, []
    if target is not None:
        leaves = [inner_leaf(y) for y in nest.flatten(target)]
        targets = [y for y in leaves if y is not None]
        if len(targets) < len(leaves):
            raise TypeError(f"graph: target must be a tensor or tensors, got {target!r}")
        names = {y._id: name_in(frame, y) or "" for y in targets if y._id}
        name = next((name_in(frame, y) or "" for y in targets), "") or "target"
        _differentiate(tape, recording, targets)
        remarks = list(add_cuts(tape, recording, targets, name))
        _mark_side_branches(recording)
    return TapeGraph(tape._state is _SPENT, recording, names, max_nodes, depth, remarks)


def _name_of(frame: Any, i: int) -> str | None:
    for space in () if frame is None else (frame.f_locals, frame.f_globals):
        for name, held in list(space.items()):
            if getattr(held, "_id", 0) == i and not name.startswith("_"):
                return str(name)
    return None


def _differentiate(tape: GradientTape, recording: Recording, targets: Sequence[Any]) -> None:
    """Computes cotangents from the targets, and stores the norms of values and operations."""
    recording.targets = tuple(y._id for y in targets)
    pulled = pulled_back(tape.records, targets, origins=True)
    found = pulled.cotangents
    for op in recording.operations:
        arrived = [found[o] for o in op.outputs if o in found]
        op.norm, op.state = _measure(arrived)
        if arrived:
            op.shape, op.dtype = arrived[0].shape, arrived[0].dtype.name
    for i, value in recording.values.items():
        value.norm, value.state = _measure([found[i]] if i in found else [])
    refusing = {id(record) for record, _ in pulled.refused if record[0].always}
    for record, op in zip(tape.records, recording.operations, strict=True):
        if id(record) in refusing:
            op.cut = "its own gradient is None"
        elif pulled.error is not None and record is pulled.error[1]:
            op.cut = f"its gradient raises {type(pulled.error[0]).__name__}"
    blame_backward(recording, tape.records, pulled.origins or [])
    blame_forward(recording, tape.records, list(tape._variables.values()), targets)


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


def _mark_side_branches(recording: Recording) -> None:
    """Marks the operations on which no target depends, such as moving averages."""
    wanted = set(recording.targets)
    for op in reversed(recording.shown):
        leads_on = not wanted.isdisjoint(op.outputs) or not op.outputs
        if leads_on:
            wanted.update(op.inputs)
        elif op.state == "none":
            op.state = "side"


class Graph(Picture):
    """A picture of operations and of the values that they use.

    Args:
      recording: The values and operations that are shown.
      names: The names of targets in the program, by id.
      most: The maximum number of boxes in a box.
      depth: The number of levels that are open; None chooses as many as are readable.
      remarks: Sentences for the caption.
    """

    def __init__(
        self,
        recording: Recording,
        names: dict[int, str],
        most: int = 30,
        depth: int | None = None,
        remarks: Sequence[str] = (),
    ) -> None:
        self.recording = recording
        self.root = tree(recording.shown, most)
        Wiring(self.root, recording.values).connect()
        self._remarks = tuple(remarks)
        self._descriptions = Descriptions(recording, names)
        self._opened = self._to_open(most, depth)
        self.numbers = {box: k for k, box in enumerate(self._all_boxes())}
        self._rows: dict[Box, Rows] = {}
        self._flatten()

    def _all_boxes(self) -> list[Box]:
        found = []
        for box in self.root.every():
            found += [box, *(b for b in box.inside if b.kind in ("value", "port"))]
        return found

    def _to_open(self, most: int, depth: int | None) -> set[Box]:
        """Returns the boxes that are open at first."""
        if depth is not None:
            return set(_down_to(self.root, depth))
        whole = [b for b in self.root.every() if not b.leaf]
        if sum(b.leaf for b in self.root.every()) <= min(_ALL, most):
            return set(whole)
        opened, shown = {self.root}, list(self.root.parts)
        while len(shown) < _FEW:
            largest = max(shown, key=lambda b: len(b.operations))
            if largest.leaf or 2 * len(largest.operations) < len(self.root.operations):
                break
            opened.add(largest)
            shown = [*(b for b in shown if b is not largest), *largest.parts]
        return opened

    def is_open(self, box: Box) -> bool:
        """Whether a box shows its contents."""
        return box in self._opened

    def _flatten(self) -> None:
        """Sets the boxes and edges for DOT and Mermaid, whose pictures have no surrounding box."""
        self._shapes, self._edges = {}, []
        place: dict[int, int] = {}  # by an operation's number, the number of the box that shows it
        self._visit(self.root, place)
        made: dict[int, int] = {}
        edges: dict[tuple[int, int], None] = {}
        for box in self._boxes_shown():
            if box.value is not None:
                made[box.value.id] = self.numbers[box]
        for op in self.recording.shown:
            here = place[op.number]
            edges.update(dict.fromkeys((made[i], here) for i in op.inputs if i in made))
            made.update((o, here) for o in op.outputs if o)
        self._edges = [(a, b) for a, b in edges if a != b]

    def _boxes_shown(self) -> list[Box]:
        return [b for box in self._opened for b in box.inside]

    def _visit(self, box: Box, place: dict[int, int]) -> None:
        for part in box.inside:
            if part.kind == "port":
                continue
            if self.is_open(part):
                self._visit(part, place)
            else:
                number = self.numbers[part]
                self._shapes[number] = self.shape(part)
                place.update((op.number, number) for op in part.operations)

    def _nested(self) -> list[Any]:
        return self._groups(self.root)

    def _groups(self, box: Box) -> list[Any]:
        """Returns the numbers of boxes, and for open ones the number, title and contents."""
        found: list[Any] = []
        for part in box.inside:
            if self.is_open(part):
                title = self._descriptions.open(part).title
                found.append((self.numbers[part], title, self._groups(part)))
            elif part.kind != "port":
                found.append(self.numbers[part])
        return found

    def shape(self, box: Box) -> Shape:
        """Returns the shape of a box."""
        return self._descriptions.of(box)

    def own_kind(self, box: Box) -> str:
        """Returns the kind of an open box, which does not depend on its contents."""
        return self._descriptions.open(box).kind

    @property
    def caption(self) -> str:
        """The size of the picture, in one line."""
        return "; ".join((self._size(), *self._remarks))

    def _size(self) -> str:
        n = len(self.recording.operations)
        shown = [b for b in self._boxes_shown() if b.operations and not self.is_open(b)]
        folded = f", folded to {len(shown)}" if len(shown) < n else ""
        return f"{n} operation{'' if n == 1 else 's'}{folded}"

    def rows(self, box: Box) -> Rows:
        """Returns the nodes in a box, in rows from top to bottom."""
        if box not in self._rows:
            numbers = [self.numbers[b] for b in box.inside]
            edges = [(self.numbers[a], self.numbers[b]) for a, b in box.edges]
            self._rows[box] = arranged(numbers, edges)
        return self._rows[box]

    def _drawn(self) -> tuple[str, float, float]:
        return self._inside(self.root)

    def _inside(self, box: Box) -> tuple[str, float, float]:
        """Draws the contents of an open box, and returns their SVG, width and height."""
        inner = {b: self._inside(b) for b in box.inside if self.is_open(b)}
        sizes = {}
        for b in box.inside:
            width, height = size_of(self.shape(b))
            if b in inner:
                title = 8.0 * len(self.shape(b).title) + 30
                width, height = max(inner[b][1], title), inner[b][2] + HEAD
            sizes[self.numbers[b]] = width, height
        found = placed(self.rows(box), sizes)
        out = [f'<g transform="translate({PAD},{PAD})">']
        for a, b in box.edges:
            stopped = (a, b) in box.stopped
            out.append(edge(self.numbers[a], self.numbers[b], found, sizes, stopped=stopped))
        for b in box.inside:
            number = self.numbers[b]
            center, size = found.centers[number], sizes[number]
            if b in inner:
                drawn, width, _ = inner[b]
                shift = (size[0] - width) / 2
                drawn = f'<g transform="translate({shift:.1f},0)">{drawn}</g>'
                out.append(open_box(self._descriptions.open(b), center, size, drawn))
            else:
                out.append(node(self.shape(b), center, size))
        text = "\n".join((*out, "</g>"))
        return text, found.width + 2 * PAD, found.height + 2 * PAD

    # HTML pages and notebooks.

    def to_html(self) -> str:
        """Returns a self-contained page in which boxes can be opened."""
        return whole_page(self)

    def _repr_html_(self) -> str:
        return part_of_page(self)

    def _writers(self) -> dict[str, Callable[[], str]]:
        return {**super()._writers(), ".html": self.to_html}


class TapeGraph(Graph):
    """A picture of what a tape recorded; see `graph`.

    Args:
      released: Whether the tape has released its records, since its gradient was taken.
      *rest: See `Graph`.
    """

    def __init__(self, released: bool, *rest: Any) -> None:
        self._released = released
        super().__init__(*rest)

    def _size(self) -> str:
        if not self.recording.operations and self._released:
            return "nothing is left: a tape that is not persistent releases what it recorded"
        if not self.recording.operations:
            return "nothing was recorded"
        return f"{super()._size()}, holding {readable(self.recording.bytes)}"


def _down_to(box: Box, depth: int) -> list[Box]:
    """Returns a box and the boxes in it, down to a depth."""
    if box.leaf:
        return []
    inner = [b for part in box.parts for b in _down_to(part, depth - 1)] if depth > 0 else []
    return [box, *inner]
