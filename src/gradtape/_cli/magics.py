"""IPython's special lines, `%magic`, `!command` and `name?`, in a notebook run as a program."""

import ast
import re
from collections.abc import Callable

_ASSIGNED = re.compile(r"(?P<indent>\s*)(?P<target>[\w., \[\]]+=\s*)(?P<kind>[%!])(?P<rest>.*)")
_SPECIAL = re.compile(r"(?P<indent>\s*)(?P<target>)(?P<kind>%|!!?)(?P<rest>.*)")
_HELP = re.compile(r"(?P<indent>\s*)(\?{1,2}\s*[\w.]+|[\w.*]+\s*\?{1,2})\s*$")

RUN_ONCE = {"time", "timeit", "capture", "prun"}  # magics round code that has to run
SILENT = {"matplotlib", "load_ext", "autoreload", "config"}  # nothing to tell about


def to_python(source: str) -> str:
    """A cell's source with every special line replaced by a call on `get_ipython()`.

    A cell that is plain Python comes back as it is; lines keep their numbers.
    """
    if not source.lstrip().startswith("%%"):
        try:
            ast.parse(source)
        except (SyntaxError, ValueError):
            return "\n".join(map(_line_to_python, source.split("\n")))
        return source
    head, _, body = source.partition("\n")
    name, _, line = head.lstrip()[2:].partition(" ")
    if name in RUN_ONCE:
        return f"\n{to_python(body)}"
    return f"get_ipython().run_cell_magic({name!r}, {line!r}, {body!r})"


def _line_to_python(line: str) -> str:
    if match := _ASSIGNED.fullmatch(line) or _SPECIAL.fullmatch(line):
        indent, target, kind, rest = match.group("indent", "target", "kind", "rest")
        if kind == "%":
            name, _, argument = rest.partition(" ")
            if name in RUN_ONCE and not target:
                return f"{indent}{argument or 'pass'}"
            return f"{indent}{target}get_ipython().run_line_magic({name!r}, {argument!r})"
        return f"{indent}{target}get_ipython().system({rest!r})"
    if match := _HELP.fullmatch(line):
        return f"{match['indent']}get_ipython().run_line_magic('pinfo', {line.strip()!r})"
    return line


class Shell:
    """What `get_ipython()` is to the program: every request is noted and skipped."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def run_line_magic(self, name: str, line: str) -> None:
        """Skips `%name line`."""
        if name not in SILENT:
            self._note(f"skipped %{name} {line}".rstrip())

    def run_cell_magic(self, name: str, line: str, _body: str) -> None:
        """Skips a whole cell that begins with `%%name line`."""
        self._note(f"skipped the cell: %%{name} {line}".rstrip())

    def system(self, command: str) -> list[str]:
        """Skips `!command`; its output is empty."""
        self._note(f"skipped !{command}")
        return []
