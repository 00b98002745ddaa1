"""Reports an error of a program: its own frames, the error, and a missing tf name."""

import re
import sys
import traceback
from pathlib import Path
from types import ModuleType

from gradtape._src.autodiff import none_gradients
from gradtape._src.cli.program import Program
from gradtape._src.compat.alias import ALIAS, PACKAGE
from gradtape._src.compat.names import in_short
from gradtape._src.inspect import error_topics

_HERE = str(Path(__file__).parents[2])  # the file name in frames
_FROM_IMPORT = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
_ATTRIBUTE = re.compile(r"module '([\w.]+)' has no attribute '(\w+)'")
_OWN_WORDS = re.compile(rf"(?:{PACKAGE}|TensorFlow [\d.]+) has no 'tf\.([\w.]+)'")


def report(error: BaseException, program: Program) -> None:
    """Prints the traceback of `error`, and the use of a name that gradtape lacks."""
    shown = traceback.TracebackException.from_exception(error)
    frames = list(_keep_program_frames(shown))
    print("".join(shown.format()), end="", file=sys.stderr)
    for hint_for in (none_gradients.hint_for, error_topics.hint_for):
        if (hint := hint_for(error)) is not None:
            print(hint, file=sys.stderr)
    if (name := lacking_name(error)) is not None:
        cells = {cell.filename: cell for cell in program.cells}
        where = next(
            (
                cells[f.filename].where(f.lineno or 0)
                for f in reversed(frames)
                if f.filename in cells
            ),
            "in a module that it imports",
        )
        print(f"\n{in_short(name)}: {program.path}, {where}", file=sys.stderr)
        if frames and frames[-1].filename in cells:
            print(f"`gradtape doctor {program.path}` lists all that it lacks.", file=sys.stderr)


def _keep_program_frames(shown: traceback.TracebackException) -> list[traceback.FrameSummary]:
    """Removes gradtape's frames from `shown` and its causes, and returns the rest."""
    kept = [
        frame
        for frame in shown.stack
        if not frame.filename.startswith((_HERE, "<frozen importlib"))
    ]
    shown.stack[:] = kept
    for origin in (shown.__cause__, shown.__context__):
        if origin is not None:
            _keep_program_frames(origin)
    return kept


def lacking_name(error: BaseException) -> str | None:
    """Returns the dotted name below `tf` that gradtape lacks, if `error` is about one."""
    if isinstance(error, AttributeError) and isinstance(error.obj, ModuleType):
        return _below(f"{error.obj.__name__}.{error.name}", PACKAGE)
    if isinstance(error, AttributeError):  # Keras re-raises errors with longer messages
        if match := _OWN_WORDS.search(str(error)):
            return match[1]
        match = _ATTRIBUTE.search(str(error))
        return _below(f"{match[1]}.{match[2]}", PACKAGE) if match else None
    if isinstance(error, ModuleNotFoundError):
        return _below(error.name or "", ALIAS)
    if isinstance(error, ImportError) and (match := _FROM_IMPORT.match(str(error))):
        return _below(f"{match[2]}.{match[1]}", PACKAGE)
    return None


def _below(name: str, package: str) -> str | None:
    """Returns the part of the dotted `name` below `package`."""
    return name.removeprefix(f"{package}.") if name.startswith(f"{package}.") else None
