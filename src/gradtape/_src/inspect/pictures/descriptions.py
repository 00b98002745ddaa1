"""The texts of the boxes of a tape's picture: title, lines and tooltip."""

from __future__ import annotations

from collections.abc import Sequence

from gradtape._src.inspect.pictures.boxes import Box, sketch
from gradtape._src.inspect.pictures.drawing import Shape, readable, typed
from gradtape._src.inspect.records import Operation, Recording, Value

_TITLE = 26  # the maximum length of a title made of operations' names
_MOST_NAMES = 2  # the maximum number of variables without a gradient that a closed box names


class Descriptions:
    """Describes boxes as text.

    Args:
      recording: The tape's records.
      names: The names of targets in the program, by id.
    """

    def __init__(self, recording: Recording, names: dict[int, str]) -> None:
        self._recording = recording
        self._names = names
        self._known: dict[tuple[Box, bool], Shape] = {}
        self._watched = {v.id: v for v in recording.values.values()}

    def of(self, box: Box) -> Shape:
        """Returns the shape of a closed box."""
        return self._get(box, opened=False)

    def open(self, box: Box) -> Shape:
        """Returns the shape of an open box, which does not repeat the text of its contents."""
        return self._get(box, opened=True)

    def _get(self, box: Box, *, opened: bool) -> Shape:
        key = box, opened
        if key not in self._known:
            self._known[key] = self._described(box, opened)
        return self._known[key]

    def _described(self, box: Box, opened: bool) -> Shape:
        if box.kind == "port":
            return Shape("port", box.title)
        if box.value is not None:
            return self._of_value(box.value)
        if opened:
            return Shape(box.kind, self._title(box), times=box.times)
        return self._of_operations(box)

    def _of_value(self, value: Value) -> Shape:
        lines = [typed(value.shape, value.dtype)] if value.shape is not None else []
        lines += self._gradient([value.norm], value.state)
        name = value.name or value.kind
        short = name.rpartition("/")[2]
        tip = [f"{value.kind} {name}", *lines]
        if value.state == "none":
            tip.append(
                "No gradient reaches it: the target does not depend on it, or every path is cut."
            )
        return Shape(value.state or value.kind, short, lines, "\n".join(tip))

    def _of_operations(self, box: Box) -> Shape:
        operations = box.operations
        last = operations[-1]
        lines = self._contents(box)
        cuts = [op for op in operations if op.cut]
        if cuts:
            lines.append(cuts[0].cut if box.leaf else f"the gradient stops: {cuts[0].name}")
        if last.shape is not None:
            lines.append(typed(last.shape, last.dtype))
        kind = self._kind(box)
        held = sum(op.bytes for op in operations)
        norms = [op.norm for op in operations] if box.leaf else [_outgoing(operations)]
        state = kind if kind in ("none", "nonfinite") else "side" if last.number < 0 else ""
        gradient = self._gradient(norms, state)
        lines.append(" \u00b7 ".join([*([f"holds {readable(held)}"] if held else []), *gradient]))
        if any(op.fault for op in operations):
            lines.append("not finite from here on")
        lines += self._unreached(box)
        tip = self._tip(box, lines)
        return Shape(kind, self._title(box), [s for s in lines if s], tip, box.times, not box.leaf)

    def _title(self, box: Box) -> str:
        title = box.title
        if box.kind == "loop":
            title = f"{box.times} \u00d7 {title or self._iteration(box)}"
        named = [self._names[o] for op in box.operations for o in op.outputs if o in self._names]
        return f"{title} = {named[0]}" if named and named[0] else title

    def _iteration(self, box: Box) -> str:
        """Returns text: the operations of one iteration of a loop, or their number."""
        names = sketch(box)
        return names if len(names) <= _TITLE else f"{len(box.operations) // box.times} operations"

    def _contents(self, box: Box) -> list[str]:
        """Returns the lines that describe the contents of a box."""
        operations = box.operations
        if box.leaf:
            times = [f"{len(operations)} times"] if len(operations) > 1 else []
            return times if box.title == operations[0].name else [operations[0].name, *times]
        count = len(operations)
        inner = [f"{count} operations"]
        loops = [b for b in box.parts if b.kind == "loop"]
        if box.kind != "loop" and len(loops) == 1:
            inner = [f"{count} operations, {loops[0].times} iterations of a loop"]
        elif box.kind in ("loop", "piece"):
            names = sketch(box)
            return [] if not box.title and len(names) <= _TITLE else [names]
        variables = sum(v.value is not None and v.value.kind == "variable" for b in box.every()
                        for v in b.values)  # fmt: skip
        if variables:
            inner.append(f"{variables} variable{'' if variables == 1 else 's'}")
        return [", ".join(inner)]

    def _unreached(self, box: Box) -> list[str]:
        """Names the variables in a closed box that no gradient reaches."""
        names = [
            v.title.rpartition("/")[2]
            for b in box.every()
            for v in b.values
            if v.value is not None and v.value.state == "none"
        ]
        more = ", \u2026" if len(names) > _MOST_NAMES else ""
        return [f"gradient None: {', '.join(names[:_MOST_NAMES])}{more}"] if names else []

    def _kind(self, box: Box) -> str:
        """Returns the kind of box, which decides its colours."""
        states = {op.state for op in box.operations}
        if any(op.fault for op in box.operations):
            return "guilty"
        if any(op.cut for op in box.operations):
            return "cut"
        if "nonfinite" in states:
            return "nonfinite"
        if states == {"side"}:
            return "side"
        if self._recording.targets and states <= {"side", "none"}:
            return "none"
        if any(o in self._names for op in box.operations for o in op.outputs):
            return "target"
        return box.kind

    def _gradient(self, norms: Sequence[float | None], state: str) -> list[str]:
        if not self._recording.targets or state == "side":
            return []
        if state == "none":
            return ["gradient None"]
        if state == "nonfinite":
            return ["gradient not finite"]
        known = [norm for norm in norms if norm is not None]
        if not known:
            return []
        low, high = min(known), max(known)
        if f"{low:.3g}" == f"{high:.3g}":
            return [f"|g| {low:.3g}"]
        return [f"|g| {low:.3g} to {high:.3g}"]

    def _tip(self, box: Box, lines: list[str]) -> str:
        """Returns the tooltip of a box, with a line for each known fact."""
        op = box.operations[0]
        fault = next((op for op in box.operations if op.fault), None)
        cut = next((op for op in box.operations if op.cut), None)
        shown = fault or cut or op
        path = "/".join(name for name, _ in op.calls)
        tip = [*lines, path if path and path != box.title else ""]
        tip += [f"{b.name}: {b.fault or b.cut}" for b in (fault, cut) if b is not None]
        if shown.place is not None:
            tip.append(f"{shown.place}: {shown.place.source.strip()}")
        elif box.leaf:
            tip.append("to see its line, record the tape inside tf.debugging.explanations()")
        if box.leaf and not op.outputs and op.number < 0:
            tip.append("No operation of the tape leads to it.")
        return "\n".join(dict.fromkeys(s for s in tip if s))


def _outgoing(operations: Sequence[Operation]) -> float | None:
    """Returns the norm of the gradient with respect to the result of a box."""
    return next((op.norm for op in reversed(operations) if op.norm is not None), None)
