"""Reading a TensorFlow program: a script, or a notebook as a list of cells of plain Python."""

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradtape._src.cli.magics import inlined, to_python
from gradtape._src.files.damaged_input import explained
from gradtape._src.files.paths import is_directory, is_file

_NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)  # the last for deep nesting

_WIDEST = 400  # characters of a line that is shown with an error


class CommandError(Exception):
    """A command can't do what it was asked for; the message says why on one line."""


class ProgramError(CommandError):
    """The file is not a program that can be run; the message says why."""


@dataclass(frozen=True)
class Cell:
    """A piece of a program that runs as a whole.

    Attributes:
        number: Counted from 1 among the notebook's code cells; 0 for a script.
        filename: What tracebacks call it.
        source: The text as the author wrote it.
        tree: Its Python, IPython's special lines replaced.
    """

    number: int
    filename: str
    source: str
    tree: ast.Module

    def where(self, line: int) -> str:
        """A place in the program as a reader looks for it."""
        return f"cell {self.number}, line {line}" if self.number else f"line {line}"


@dataclass(frozen=True)
class Program:
    """A program: one cell for a script, all code cells for a notebook."""

    path: Path
    cells: tuple[Cell, ...]

    @property
    def is_notebook(self) -> bool:
        """Whether the program came from an .ipynb file."""
        return self.path.suffix == ".ipynb"


def load(name: str) -> Program:
    """Reads and parses the program in the file `name`.

    Raises:
        ProgramError: There is no such file, or it is neither a script nor a notebook, or its
            Python does not parse.
    """
    path = Path(name)
    if is_directory(path):
        raise ProgramError(f"{name} is a directory; give a .py or .ipynb file")
    if path.suffix not in {".py", ".ipynb"}:
        missing = "" if is_file(path) else ", and there is no such file"
        raise ProgramError(f"{name} is neither a .py nor an .ipynb file{missing}")
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ProgramError(f"{name}: no such file") from None
    except OSError as error:
        raise ProgramError(f"{name} cannot be read: {error.strerror}") from None
    except ValueError as error:  # no file can have this name
        raise ProgramError(f"{name!r} cannot be read: {error}") from None
    read = _notebook_cells if path.suffix == ".ipynb" else _script_cells
    return Program(path, tuple(read(path, content)))


def _script_cells(path: Path, content: bytes) -> Iterator[Cell]:
    try:
        tree = _parse(content, str(path))
    except _NO_PYTHON as error:
        raise ProgramError(_explain(path, error)) from None
    yield Cell(0, str(path), content.decode(errors="replace"), tree)


def _parse(source: str | bytes, filename: str, flags: int = 0) -> ast.Module:
    """The syntax tree of a piece of program that is sure to compile."""
    tree = ast.parse(source, filename)
    compile(tree, filename, "exec", flags, dont_inherit=True)  # finds what the grammar lets pass
    return tree


def _notebook_cells(path: Path, content: bytes) -> Iterator[Cell]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ProgramError(
            f"{path} is not valid JSON, so no notebook: {explained(error)}"
        ) from None
    for number, source in enumerate(_code_cells(path, document), start=1):
        filename = f"{path.name}[cell {number}]"
        try:
            tree = inlined(_parse(to_python(source), filename, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
        except _NO_PYTHON as error:
            raise ProgramError(_explain(path, error, number)) from None
        yield Cell(number, filename, source, tree)


def _code_cells(path: Path, document: Any) -> list[str]:
    """The sources of the code cells of a parsed notebook, checked as far as they are used."""
    try:
        kernel = document["metadata"].get("kernelspec") or {}
        language = kernel.get("language", "python")
        is_python = language.lower() == "python"
        # Format 3 had worksheets, and called a code cell's source its input.
        cells = document["cells"] if "cells" in document else document["worksheets"][0]["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        texts = [_joined(cell["source"] if "source" in cell else cell["input"]) for cell in code]
    except (AttributeError, LookupError, TypeError):
        raise ProgramError(
            f"{path} is JSON but no Jupyter notebook: it needs 'metadata' and a list of 'cells', "
            "each with 'cell_type' and 'source'"
        ) from None
    if not is_python:
        raise ProgramError(f"{path} is a notebook in {language}, not in Python")
    return texts


def _joined(source: Any) -> str:
    """The text of a cell: one string, or a list of lines."""
    if not isinstance(source, (str, list)):
        raise TypeError(source)
    return "".join(source)


def _explain(path: Path, error: BaseException, cell: int = 0) -> str:
    """A message that shows where and why a program does not parse."""
    place = f"{path}, cell {cell}" if cell else str(path)
    if not isinstance(error, SyntaxError) or not error.lineno:
        deep = isinstance(error, MemoryError)  # as Python's parser says it
        return f"{place}: {explained(RecursionError() if deep else error)}"
    head = f"{place}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    if not error.text:
        return head
    text = error.text.rstrip("\n")
    shown = text.lstrip()
    column = max((error.offset or 1) - 1 - (len(text) - len(shown)), 0)
    if max(column, len(shown)) > _WIDEST:
        return head
    return f"{head}\n    {shown}\n    {' ' * column}^"
