"""Reading a TensorFlow program: a script, or a notebook as a list of cells of plain Python."""

import ast
import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradtape._src.cli.magics import inlined, to_python
from gradtape._src.files.damaged_input import explained
from gradtape._src.files.paths import is_directory, is_file

_NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)  # MemoryError: deep nesting

ENDINGS = {".py", ".ipynb"}
_PYTHONS = {"python", "python3", "ipython", ""}
_SOURCES = ("source", "input", "code")  # the key of a cell's text by format
_WIDEST = 400  # the maximum number of characters of a line in an error


class CommandError(Exception):
    """Raised if a command fails; the message gives the reason on one line."""


class ProgramError(CommandError):
    """Raised if a file is not a runnable program; the message gives the reason."""


@dataclass(frozen=True)
class Cell:
    """A piece of a program that runs as a whole.

    Attributes:
        number: Counted from 1 among the notebook's code cells; 0 for a script.
        filename: Its name in tracebacks.
        source: The text as the author wrote it.
        tree: Its syntax tree, with IPython's special lines replaced.
    """

    number: int
    filename: str
    source: str
    tree: ast.Module

    def where(self, line: int) -> str:
        """Describes a place in the program, for messages."""
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
        ProgramError: The file does not exist, is neither a script nor a notebook, or does not
          parse.
    """
    path, content = _content(name)
    read = _notebook_cells if path.suffix == ".ipynb" else _script_cells
    return Program(path, tuple(read(path, content)))


def notebook_document(path: Path) -> str:
    """Reads the text of a notebook, whose cells may hold code that does not parse.

    Raises:
        ProgramError: The file does not exist, or is not a notebook in Python.
    """
    path, content = _content(str(path))
    if path.suffix != ".ipynb":
        raise ProgramError(f"{path} is not a notebook; only an .ipynb file has outputs to write")
    _code_cells(path, _parsed(path, content))
    return content.removeprefix(BOM_UTF8).decode()


def _content(name: str) -> tuple[Path, bytes]:
    path = Path(name)
    if is_directory(path):
        raise ProgramError(f"{name} is a directory; give a .py or .ipynb file")
    if path.suffix not in ENDINGS:
        missing = "" if is_file(path) else ", and there is no such file"
        raise ProgramError(f"{name} is neither a .py nor an .ipynb file{missing}")
    try:
        return path, path.read_bytes()
    except FileNotFoundError:
        raise ProgramError(f"{name}: no such file") from None
    except OSError as error:
        raise ProgramError(f"{name} cannot be read: {error.strerror}") from None
    except ValueError as error:  # the name is not valid for a file
        raise ProgramError(f"{name!r} cannot be read: {error}") from None


def _script_cells(path: Path, content: bytes) -> Iterator[Cell]:
    try:
        tree = _parse(content, str(path))
    except _NO_PYTHON as error:
        raise ProgramError(_explain(path, error)) from None
    yield Cell(0, str(path), content.decode(errors="replace"), tree)


def _parse(source: str | bytes, filename: str, flags: int = 0) -> ast.Module:
    """Returns the syntax tree of a piece of a program, after checking that it compiles."""
    tree = ast.parse(source, filename)
    compile(tree, filename, "exec", flags, dont_inherit=True)  # finds more errors than `parse`
    return tree


def _notebook_cells(path: Path, content: bytes) -> Iterator[Cell]:
    for number, source in enumerate(_code_cells(path, _parsed(path, content)), start=1):
        filename = f"{path.name}[cell {number}]"
        try:
            tree = inlined(_parse(to_python(source), filename, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
        except _NO_PYTHON as error:
            raise ProgramError(_explain(path, error, number)) from None
        yield Cell(number, filename, source, tree)


def _parsed(path: Path, content: bytes) -> object:
    try:
        document: object = json.loads(content.removeprefix(BOM_UTF8))
    except (ValueError, RecursionError) as error:
        raise ProgramError(
            f"{path} is not valid JSON and therefore not a notebook: {explained(error)}"
        ) from None
    return document


def _code_cells(path: Path, document: Any) -> list[str]:
    """Returns the sources of a parsed notebook's code cells; checks the fields that are used."""
    try:
        language = _language(document.get("metadata") or {})
        is_python = language.lower() in _PYTHONS
        if "cells" in document:
            cells = document["cells"]
        else:  # up to format 3, cells are in worksheets
            first, *others = document["worksheets"]
            cells = [cell for sheet in (first, *others) for cell in sheet["cells"]]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        texts = [_joined(next(cell[key] for key in _SOURCES if key in cell)) for cell in code]
    except StopIteration:
        raise ProgramError(f"{path} has a code cell without 'source'") from None
    except (AttributeError, LookupError, TypeError, ValueError):
        raise ProgramError(
            f"{path} is JSON but not a Jupyter notebook: it needs 'metadata' and a list of "
            "'cells', each with 'cell_type' and 'source'"
        ) from None
    if not is_python:
        raise ProgramError(f"{path} is a notebook in {language}, not in Python")
    return texts


def _language(metadata: dict[str, Any]) -> str:
    """Returns the language of a notebook; Python if the notebook does not name one."""
    for key, word in (("kernelspec", "language"), ("language_info", "name")):
        said = (metadata.get(key) or {}).get(word)
        if said is not None:
            str.lower(said)  # raises a TypeError if the name is not text
            return str(said)
    return "python"


def _joined(source: Any) -> str:
    """Returns the text of a cell, which may be one string or a list of lines."""
    if not isinstance(source, (str, list)):
        raise TypeError(source)
    return "".join(source)


def _explain(path: Path, error: BaseException, cell: int = 0) -> str:
    """Returns a message that shows where and why a program does not parse."""
    place = f"{path}, cell {cell}" if cell else str(path)
    if not isinstance(error, SyntaxError) or not error.lineno:
        deep = isinstance(error, MemoryError)  # Python's parser raises it for deep nesting
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
