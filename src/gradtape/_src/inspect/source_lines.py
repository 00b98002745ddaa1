"""Places in the user's program: frames, source text, names."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

Site = tuple[CodeType, int, int]
"""A place recorded while a program runs: (code, index of the instruction, line)."""

_PACKAGE = str(Path(__file__).parents[2]) + os.sep  # the file name that frames have
_STDLIB = sysconfig.get_paths()["stdlib"] + os.sep
_LIBRARIES = ("keras", "numpy")
_DEEPEST = 200  # the maximum number of recorded functions around an operation


@functools.lru_cache(4096)
def internal(filename: str) -> bool:
    """Whether a file belongs to gradtape, Keras, NumPy or Python, and not to the user."""
    if filename.startswith((_PACKAGE, "<frozen ")):
        return True
    _, found, inner = filename.rpartition("site-packages" + os.sep)
    if found:
        return inner.partition(os.sep)[0] in _LIBRARIES
    return filename.startswith(_STDLIB)


def user_frame() -> FrameType | None:
    """Returns the innermost frame of the user's program."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and internal(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def site() -> Site | None:
    """Returns the current place in the user's program, which `Place.of` makes readable later."""
    frame = user_frame()
    return None if frame is None else (frame.f_code, frame.f_lasti, frame.f_lineno)


def functions_around() -> tuple[str, ...]:
    """Returns the names of the program's running functions, the outermost first.

    For a `__call__` method, it returns the name of the object's class, or of the object itself if
    it is a `tf.Module`.
    """
    names: list[str] = []
    frame = user_frame()
    while frame is not None and len(names) < _DEEPEST:
        code = frame.f_code
        if not (internal(code.co_filename) or code.co_name.startswith("<")):
            names.append(_called_as(frame, code))
        frame = frame.f_back
    return tuple(reversed(names))


def _called_as(frame: FrameType, code: CodeType) -> str:
    if code.co_name in ("__call__", "call") and code.co_argcount:
        owner = frame.f_locals.get(code.co_varnames[0])
        name = getattr(owner, "name", None)
        return name if isinstance(name, str) and name else type(owner).__name__
    return code.co_name


@dataclass(frozen=True)
class Place:
    """A place in the user's source.

    Attributes:
      file: The file's name for Python.
      line: The line's number, from 1.
      function: The surrounding function, "<module>" outside of functions.
      columns: The first column and the one after the last on that line, if known.
    """

    file: str
    line: int
    function: str = "<module>"
    columns: tuple[int, int] | None = None

    @classmethod
    def of(cls, where: Site | None) -> Place | None:
        """Converts a site to a place."""
        if where is None:
            return None
        code, instruction, line = where
        columns = None
        for i, (first, last, start, end) in enumerate(code.co_positions()):
            if i == instruction // 2:
                if first == last == line and start is not None and end is not None:
                    columns = (start, end)
                break
        return cls(code.co_filename, line, code.co_name, columns)

    @property
    def source(self) -> str:
        """The text of the line, or "" if the source is not available."""
        return linecache.getline(self.file, self.line).rstrip("\n")

    @property
    def marked(self) -> tuple[str, str]:
        """The line without its indentation, and a line that marks the columns, or ""."""
        text = self.source
        stripped = text.lstrip()
        if self.columns is None or not text:
            return stripped, ""
        raw = text.encode()
        start, end = (len(raw[:c].decode(errors="replace")) for c in self.columns)
        indent = len(text) - len(stripped)
        whole = stripped.split("#")[0].rstrip()
        if end - start >= len(whole):
            return stripped, ""
        return stripped, " " * (start - indent) + "^" * (end - start)

    @property
    def title(self) -> str:
        """The file's name, or a description of a cell."""
        if "ipykernel_" in self.file or self.file.startswith("<ipython-input"):
            return "notebook cell"
        return Path(self.file).name

    def __str__(self) -> str:
        inside = "" if self.function.startswith("<") else f", in {self.function}"
        return f"{self.title}, line {self.line}{inside}"


# Source text.


@functools.lru_cache(64)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def module_of(file: str) -> ast.Module | None:
    """Returns the syntax tree of a file (or a notebook's cell)."""
    text = "".join(linecache.getlines(file))
    if not text:
        return None
    tree = _parsed(text)
    if tree is None:  # a cell with syntax that only IPython knows
        kept = [("pass" if s.startswith(("%", "!")) else s) for s in text.splitlines()]
        tree = _parsed("\n".join(kept))
    return tree


def statement_at(place: Place) -> ast.stmt | None:
    """Returns the innermost statement at the place."""
    tree = module_of(place.file)
    found = None
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.stmt) or (found and node.lineno < found.lineno):
            continue
        if node.lineno <= place.line <= (node.end_lineno or 0):
            found = node
    return found


def _targets(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            for node in ast.walk(target):
                if isinstance(node, ast.Name):
                    yield node.id
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        yield from (n.id for n in (statement.target,) if isinstance(n, ast.Name))


def assigned_name(place: Place) -> str | None:
    """Returns the one name that the statement at a place binds, or None."""
    statement = statement_at(place)
    names = [] if statement is None else list(_targets(statement))
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        return ast.unparse(statement.targets[0])
    return names[0] if len(names) == 1 else None


def rebinds(place: Place) -> str | None:
    """Returns the name that a statement such as `x = x + 1` computes from itself."""
    statement = statement_at(place)
    if statement is None:
        return None
    used = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and _loads(n)}
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return next((name for name in _targets(statement) if name in used), None)


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def assignments(frame: FrameType, name: str) -> list[tuple[Place, ast.stmt]]:
    """Returns the places where the frame's code binds a name, in the order of lines."""
    code = frame.f_code
    lines = [line for _, _, line in code.co_lines() if line]
    low, high = (1, sys.maxsize) if code.co_name == "<module>" else (min(lines), max(lines))
    tree = module_of(code.co_filename)
    found = [
        (Place(code.co_filename, node.lineno, code.co_name), node)
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.stmt) and low <= node.lineno <= high and name in _targets(node)
    ]
    return sorted(found, key=lambda pair: pair[0].line)


def name_in(frame: FrameType | None, value: Any) -> str | None:
    """Returns the program's name for an object: a variable, or an attribute of `self`."""
    if frame is None:
        return None
    for space in (frame.f_locals, frame.f_globals):
        for name, held in list(space.items()):
            if held is value and not name.startswith("_"):
                return name
    for name, held in list(frame.f_locals.items()):
        for attribute, inner in list(getattr(held, "__dict__", {}).items())[:200]:
            if inner is value and not attribute.startswith("_"):
                return f"{name}.{attribute}"
    return None


def calls(statement: ast.AST, *modules: str) -> list[str]:
    """Returns the functions of modules that a statement calls: `np.mean` gives "mean"."""
    return [
        node.func.attr
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in modules
    ]
