"""`gradtape doctor`: finds names that gradtape lacks, and common mistakes with tapes."""

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum

from gradtape._src.cli.call_checks import lacking_in_calls
from gradtape._src.cli.codes import BY_KIND, Code
from gradtape._src.cli.name_finder import NameFinder, Place, names_in
from gradtape._src.cli.numpy_in_tapes import arrays_in_tapes
from gradtape._src.cli.pitfalls import TAPES, Pitfall, pitfalls
from gradtape._src.cli.program import Program, load
from gradtape._src.compat.alias import install, resolve
from gradtape._src.compat.names import (
    INTERNAL_PACKAGES,
    KERAS,
    first_unknown,
    left_out_name,
    nearest,
    nearest_in_keras,
    now_at,
    old_name,
    plain,
)

_DEEPEST = 100_000  # the recursion limit
_SILENCED = re.compile(r"#\s*noqa(?P<codes>:\s*[A-Z]+\d+(?:[,\s]+[A-Z]+\d+)*)?", re.IGNORECASE)


class State(Enum):
    """The state of a tf name in gradtape; the value of a member describes the state."""

    THERE = "yes"
    NOT_YET = "not yet"
    LEFT_OUT = "left out"
    UNKNOWN = "not a TensorFlow name"
    INSIDE = "inside of TensorFlow, not public"
    EXTRA = "needs an extra"


@dataclass
class Use:
    """A tf name with the places where it is used.

    Attributes:
        path: The name without the leading `tf.`.
        places: The lines where it is used, in order.
        state: Whether gradtape has the name, and if not, whether TensorFlow has it.
        note: A replacement to use or install, if one is known.
    """

    path: str
    places: list[Place] = field(default_factory=list)
    state: State = State.THERE
    note: str = ""

    @property
    def lacking(self) -> bool:
        """Whether a program cannot use the name."""
        return self.state is not State.THERE


@dataclass(frozen=True)
class Finding:
    """A line of the program with a possible fault.

    Attributes:
        place: Its position.
        code: The kind of finding.
        text: The problem, and how to mend it.
    """

    place: Place
    code: Code
    text: str

    @property
    def fails(self) -> bool:
        """Whether the program fails at the line."""
        return self.code.level == "error"


@dataclass
class Findings:
    """The results of reading a program.

    Attributes:
        uses: The tf names that it uses, those that gradtape lacks first.
        traps: The lines with common mistakes.
        lines: All lines with a missing name or a common mistake, in order.
    """

    uses: list[Use]
    traps: list[Pitfall]
    lines: list[Finding] = field(default_factory=list)


def examine(name: str) -> Findings:
    """Reads the program in the file `name`.

    Raises:
        ProgramError: The file cannot be read as a program.
    """
    with warnings.catch_warnings(action="ignore"):  # The compiler's warnings are not findings.
        program = load(name)
    install()
    with _deep_trees():
        names = names_in(program)
        if not names.imports:
            return Findings([], [])
        silenced = _silenced(program)
        judged = (_judged(names, path, places) for path, places in names.uses().items())
        uses = [use for use in judged if _is_heard(silenced, use)]
        uses.sort(key=lambda use: (not use.lacking, use.path))
        traps = [trap for trap in _traps(program, names) if not _hears(silenced, trap)]
        lines = [*_of_names(uses), *map(_of_trap, traps)]
        lines.sort(key=lambda line: (line.place.cell, line.place.line, line.place.column))
        return Findings(uses, traps, lines)


def _traps(program: Program, names: NameFinder) -> list[Pitfall]:
    found = pitfalls(program, names.path)
    if TAPES & names.places.keys():
        found += arrays_in_tapes(program, names.path)
    found += lacking_in_calls(program, names.path, set(names.replaced))
    found += [
        Pitfall(
            "replaced",
            place.cell,
            place.line,
            f"tf.{path} is replaced for every library of this process, and gradtape's own "
            "functions go on with theirs: give the function a name of the program's",
            place.column,
        )
        for path, place in names.replaced.items()
        if not judge(path, []).lacking
    ]
    return sorted(found, key=lambda trap: (trap.cell, trap.line))


def _judged(names: NameFinder, path: str, places: list[Place]) -> Use:
    for assigned in names.replaced:
        if f"{path}.".startswith(f"{assigned}."):
            return Use(path, places, State.THERE, "assigned by the program")
    return judge(path, places)


def _of_names(uses: list[Use]) -> Iterator[Finding]:
    for use in uses:
        if use.lacking:
            note = f": {use.note}" if use.note else ""
            code = BY_KIND[use.state.name.lower()]
            for place in use.places:
                yield Finding(place, code, f"tf.{use.path}: {use.state.value}{note}")


def _of_trap(trap: Pitfall) -> Finding:
    place = Place(trap.cell, trap.line, trap.column)
    return Finding(place, BY_KIND[trap.kind], trap.text)


def _silenced(program: Program) -> dict[Place, str]:
    """Returns the lines with a comment `# noqa`, and the codes that the comment names."""
    return {
        Place(cell.number, number): match["codes"] or ""
        for cell in program.cells
        for number, line in enumerate(cell.source.splitlines(), 1)
        if (match := _SILENCED.search(line))
    }


def _is_silenced(silenced: dict[Place, str], place: Place, code: str) -> bool:
    codes = silenced.get(place)
    return codes is not None and (not codes or code in codes.upper())


def _hears(silenced: dict[Place, str], trap: Pitfall) -> bool:
    return _is_silenced(silenced, Place(trap.cell, trap.line), BY_KIND[trap.kind].code)


def _is_heard(silenced: dict[Place, str], use: Use) -> bool:
    """Whether a name is there, or lacking in a line that is not silenced; drops the others."""
    if use.lacking:
        code = BY_KIND[use.state.name.lower()].code
        use.places = [p for p in use.places if not _is_silenced(silenced, p, code)]
    return bool(use.places)


@contextmanager
def _deep_trees() -> Iterator[None]:
    """Raises the recursion limit, so that visitors can follow any code that Python compiles.

    For example, a sum of a thousand terms is a deep tree. A high limit is safe, since calls between
    Python functions use no C stack.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def judge(path: str, places: list[Place]) -> Use:
    """Looks up `tf.<path>`: whether gradtape has it and, if not, why."""
    try:
        resolve(path)
    except AttributeError:
        return Use(path, places, *_why_lacking(plain(path)))
    except ImportError as error:
        return Use(path, places, State.EXTRA, str(error))
    return Use(path, places)


def _why_lacking(path: str) -> tuple[State, str]:
    if path.partition(".")[0] in INTERNAL_PACKAGES:
        return State.INSIDE, ""
    if omitted := left_out_name(path):
        return State.LEFT_OUT, str(omitted)
    if path.startswith(tuple(f"{name}." for name in KERAS)):
        _, near = nearest_in_keras(path)
        said = f", the nearest: {', '.join(f'tf.{name}' for name in near)}" if near else ""
        return State.UNKNOWN, f"Keras 3 lacks this name{said}"
    unknown = first_unknown(path)
    if not unknown:
        return State.NOT_YET, ""
    if old := old_name(unknown):
        now = f" or tf.{new}" if (new := now_at(unknown)) else ""
        return State.UNKNOWN, f"TensorFlow 1's, now tf.{old}{now}"
    likely = ", ".join(f"tf.{name}" for name in nearest(unknown))
    return State.UNKNOWN, likely and f"the nearest: {likely}"
