"""The explanation of a gradient that is None, with its parts, and as text."""

from __future__ import annotations

import enum
import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from gradtape._src.base.export import export
from gradtape._src.inspect.source_lines import Place


@export("debugging.Cause")
class Cause(enum.Enum):
    """The cause of a gradient that is None; the value of a member describes the cause."""

    CONNECTED = "it is not None"
    NEVER_WATCHED = "the tape never watched it"
    WATCHED_LATE = "it was watched only after it had been used"
    NOT_TRAINABLE = "the variable is not trainable, and tapes watch only trainable variables"
    NOT_WATCHED_BY_CHOICE = "the tape was made with watch_accessed_variables=False"
    NOT_READ = "the variable was not read while the tape recorded"
    VARIABLE_REPLACED = "a variable was replaced by a tensor"
    MADE_AFTER = "it was made after the target"
    NOT_DIFFERENTIABLE_DTYPE = "a dtype that has no gradient"
    NUMPY = "the computation went through NumPy or Python numbers"
    CONTROL_FLOW = "it only determined which branch Python took"
    STATE = "the computation went through a state"
    NOT_DIFFERENTIABLE_OPERATION = "an operation that has no gradient"
    NO_GRADIENT_REGISTERED = "an operation that has no registered gradient"
    STOP_GRADIENT = "stop_gradient"
    STOP_RECORDING = "the tape's recording was suspended"
    OUTSIDE_TAPE = "an operation ran while the tape did not record"
    TAPE_RESET = "the tape was reset"
    CUSTOM_GRADIENT = "a custom gradient returned None"
    TAPE_NEVER_ENTERED = "the tape was never entered"
    TAPE_USED = "the tape was used before, and released its records"
    NO_PATH = "the target does not depend on it"
    UNKNOWN = "the path is cut where the tape can't see"


class TensorFacts(NamedTuple):
    """The known facts about a tensor: its name in the program, shape and dtype."""

    name: str
    shape: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.name or 'a tensor'}, shape {self.shape}, {self.dtype}"


class Step(NamedTuple):
    """One operation on a path: its name, the name of its result if known, and the line."""

    operation: str
    name: str = ""
    place: Place | None = None

    def __str__(self) -> str:
        at = "" if self.place is None else f" (line {self.place.line})"
        return f"{self.operation}{at}" + (f" = {self.name}" if self.name else "")


@export("debugging.Explanation")
@dataclass(frozen=True, repr=False, eq=False)
class Explanation:
    """Explains why a gradient is None, or states that it is not None.

    Attributes:
      cause: The cause, a `Cause`.
      target, source: The names of target and source in the program.
      message: A description in a sentence or two.
      mend: The way to mend it.
      where: The place in the program where the path was cut, if it is known.
      operation: The operation at which the path was cut.
      tensor: The tensor at which the path was cut.
      path: The path from the source to the cut (or to the target).
      notes: Further facts, such as other cuts, and the sources on which the target depends.
      certain: False if the cause is likely but not proven.
    """

    cause: Cause
    target: str
    source: str
    message: str
    mend: str = ""
    where: Place | None = None
    operation: str = ""
    tensor: TensorFacts | None = None
    path: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    certain: bool = True

    @property
    def is_none(self) -> bool:
        """Whether the gradient is None."""
        return self.cause is not Cause.CONNECTED

    @property
    def headline(self) -> str:
        """The answer in one line."""
        what = f"The gradient of {self.target} with respect to {self.source}"
        if self.cause is Cause.CONNECTED:
            return f"{what} is not None."
        if self.cause is Cause.NO_GRADIENT_REGISTERED:
            return f"{what} is a LookupError: {self.cause.value}."
        if self.cause in (Cause.TAPE_USED, Cause.TAPE_NEVER_ENTERED):
            return f"{what} is unknown: {self.cause.value}."
        likely = "" if self.certain else "most likely "
        return f"{what} is None: {likely}{self.cause.value}."

    @property
    def route(self) -> str:
        """The path in one line."""
        steps = [str(s) for s in self.path]
        if len(steps) > 8:
            steps[4:-3] = [f"... {len(steps) - 7} more ..."]
        return " -> ".join((self.source, *steps))

    def _facts(self) -> Iterator[tuple[str, str]]:
        if self.operation:
            yield "operation", self.operation
        if self.tensor is not None:
            yield "tensor", str(self.tensor)
        if self.path:
            yield "path so far" if self.is_none else "path", self.route

    def __str__(self) -> str:
        lines = [self.headline, ""]
        if self.where is not None:
            lines.append(f"  {self.where}:")
            text, marks = self.where.marked
            lines += [f"    {s}" for s in (text, marks) if s]
        lines += [f"  {name}: {text}" for name, text in self._facts()]
        if lines[-1]:
            lines.append("")
        lines.append(self.message)
        if self.mend:
            lines.append(f"To mend it: {self.mend}")
        lines += [f"Note: {note}" for note in self.notes]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.panel import Panel
        from rich.text import Text

        parts = [Text(self.headline, "bold" if self.is_none else "bold green")]
        if self.where is not None:
            text, marks = self.where.marked
            parts += [Text(f"\n{self.where}", "cyan"), Text(f"  {text}")]
            if marks:
                parts.append(Text(f"  {marks}", "red"))
        parts += [Text(f"{name}: {text}", "dim") for name, text in self._facts()]
        parts.append(Text(f"\n{self.message}"))
        if self.mend:
            parts.append(Text.assemble(("To mend it: ", "bold green"), self.mend))
        parts += [Text(f"Note: {note}", "dim") for note in self.notes]
        return Panel(Group(*parts), title="tape.explain", border_style="red", expand=False)

    def _repr_html_(self) -> str:
        quote = html.escape
        accent = "#d1495b" if self.is_none else "#2e8b57"
        out = [
            f'<div style="border-left:4px solid {accent};padding:.3em .9em;max-width:52em">',
            f"<b>{quote(self.headline)}</b>",
        ]
        if self.where is not None:
            text, marks = (quote(s) for s in self.where.marked)
            line = f'{text}\n<span style="color:{accent}">{marks}</span>' if marks else text
            out.append(
                f'<div style="opacity:.75;margin-top:.5em">{quote(str(self.where))}</div>'
                f'<pre style="margin:.2em 0;background:none">{line}</pre>'
            )
        for name, text in self._facts():
            out.append(f'<div style="opacity:.75">{name}: <code>{quote(text)}</code></div>')
        out.append(f'<p style="margin:.5em 0">{quote(self.message)}</p>')
        if self.mend:
            out.append(f'<div><b style="color:#2e8b57">To mend it:</b> {quote(self.mend)}</div>')
        out += [f'<div style="opacity:.75">Note: {quote(note)}</div>' for note in self.notes]
        return "".join((*out, "</div>"))
