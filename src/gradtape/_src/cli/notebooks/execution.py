"""`gradtape run in.ipynb -o out.ipynb`: runs a notebook's cells, and keeps their outputs."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from gradtape._src.base.errors import OpError
from gradtape._src.cli.failure import lacking_name
from gradtape._src.cli.program import ProgramError, notebook_document
from gradtape._src.compat.names import in_short
from gradtape._src.files.atomic_write import replacing

FAILED, INTERRUPTED = 1, 130
EXPECTED = "raises-exception"
"""The tag of a cell that is meant to raise an error."""
_COLORS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class NotebookOptions:
    """The options for executing a notebook.

    Attributes:
      output: The absolute path of the file to write, which may be the notebook itself.
      allow_errors: Whether to go on after a cell that raises an error.
      allow_shell: Whether to run commands of the operating system, such as `!pip install`.
    """

    output: Path
    allow_errors: bool = False
    allow_shell: bool = False


def execute(path: Path, options: NotebookOptions, console: Console) -> int:
    """Runs all code cells of a notebook in IPython's shell, and writes it with their outputs.

    The file is written at the end, even if a cell failed; the cells after that one have no outputs.

    Args:
      path: The notebook.
      options: The options, with the file to write.
      console: The console for progress and notes.

    Returns:
      The exit status: 0, 1 if a cell raised an error that neither the options nor its tag
      allow, 130 after an interrupt, or what the notebook passed to `sys.exit`.

    Raises:
      ProgramError: The file is not a Python notebook, the output can't be written, or IPython or
        nbformat is not installed.
    """
    _check_writable(options.output)
    document = _read(path)
    os.chdir(path.resolve().parent)  # as Jupyter does
    with tempfile.TemporaryDirectory() as folder:
        status = _Execution(document, options, console, folder).run()
    _write(document, options.output)
    console.print(Text(f"written to {options.output}", "bold"))
    return status


def _check_writable(output: Path) -> None:
    if output.is_dir():
        raise ProgramError(f"{output} is a directory; -o takes the name of a file")
    if output.suffix != ".ipynb":
        raise ProgramError(f"{output}: the name of a notebook ends in .ipynb")
    if not output.parent.is_dir():
        raise ProgramError(f"{output} cannot be written: there is no folder {output.parent}")
    if not os.access(output if output.exists() else output.parent, os.W_OK):
        raise ProgramError(f"{output} cannot be written: permission denied")


def _read(path: Path) -> Any:
    """Returns the notebook in format 4, without outputs."""
    text = notebook_document(path)
    try:
        import IPython  # noqa: F401 (checked before a cell runs)
        import nbformat
    except ImportError as error:
        raise ProgramError(
            f"-o needs the package {error.name}, which is not installed: "
            "pip install 'gradtape[notebook]'"
        ) from None
    try:
        with warnings.catch_warnings(action="ignore"):  # about missing cell ids
            document: Any = nbformat.reads(text, as_version=4)
        _, document = nbformat.validator.normalize(document)
        kernel = document.metadata.setdefault("kernelspec", {"language": "python"})
        kernel.setdefault("name", "python3")
        kernel.setdefault("display_name", "Python 3")
    except (nbformat.ValidationError, AttributeError, KeyError, TypeError, ValueError) as error:
        said = str(error).partition("\n")[0]
        raise ProgramError(f"{path} is not a valid notebook: {said}") from None
    for cell in document.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return document


def _write(document: Any, output: Path) -> None:
    import nbformat

    version = sys.version_info
    document.metadata["language_info"] = {
        "name": "python",
        "version": f"{version.major}.{version.minor}.{version.micro}",
        "mimetype": "text/x-python",
        "file_extension": ".py",
        "pygments_lexer": "ipython3",
        "codemirror_mode": {"name": "ipython", "version": 3},
        "nbconvert_exporter": "python",
    }
    for cell in document.cells:
        if cell.cell_type == "code":  # only now: an output may change until the last cell has run
            cell.outputs = nbformat.from_dict(cell.outputs)
    text = nbformat.writes(document) + "\n"
    try:
        with replacing(str(output)) as file:
            file.write(text.encode())
    except OpError as error:
        raise ProgramError(f"{output} cannot be written: {error.message}") from None


class _Execution:
    """One run of a notebook."""

    def __init__(
        self, document: Any, options: NotebookOptions, console: Console, folder: str
    ) -> None:
        from gradtape._src.cli.notebooks.shell import new_shell

        self.document, self.options, self.console = document, options, console
        self.skipped: list[str] = []
        self.shell = new_shell(folder, None if options.allow_shell else self._skipped)

    def run(self) -> int:
        """Runs the cells; returns the exit status."""
        cells = [c for c in self.document.cells if c.cell_type == "code" and c.source.strip()]
        begin = time.perf_counter()
        number, status = 0, 0
        for number, cell in enumerate(cells, start=1):
            self._announce(cell, number, len(cells))
            start = time.perf_counter()
            error = self._run_cell(cell)
            for command in self.skipped:
                self._note(f"skipped {command} (--allow-shell runs it)")
            self.skipped.clear()
            self._note(f"{time.perf_counter() - start:.2f} s")
            if isinstance(error, SystemExit):
                status = _status_of(error)
                break
            status = self._status_after(error, cell)
            if status:
                self._report(error, cell, number)
                break
        total = time.perf_counter() - begin
        self.console.print(Text(f"{number} cell{'s' * (number != 1)} in {total:.2f} s", "bold"))
        return status

    def _run_cell(self, cell: Any) -> BaseException | None:
        """Runs a cell, keeps its outputs, and returns the error that it raised."""
        with self._redirected():
            result = self.shell.run_cell(cell.source, store_history=True)
        cell.execution_count = result.execution_count
        cell.outputs = self.shell.outputs.take()
        error: BaseException | None = result.error_before_exec or result.error_in_exec
        return error

    def _status_after(self, error: BaseException | None, cell: Any) -> int:
        if isinstance(error, KeyboardInterrupt):
            return INTERRUPTED
        allowed = self.options.allow_errors or EXPECTED in cell.metadata.get("tags", ())
        return 0 if error is None or allowed else FAILED

    def _announce(self, cell: Any, number: int, total: int) -> None:
        first = next(line for line in cell.source.splitlines() if line.strip())
        text = Text.assemble((f"cell {number}/{total}", "bold cyan"), "  ", (first, "dim"))
        self.console.print(text, no_wrap=True, overflow="ellipsis")

    def _note(self, text: str) -> None:
        self.console.print(Text(f"  {text}", "dim"))

    def _skipped(self, command: str) -> None:
        self.skipped.append(command)
        print(f"skipped {command}", file=sys.stderr)

    def _report(self, error: BaseException | None, cell: Any, number: int) -> None:
        """Prints the error of a cell, which is among its outputs as well."""
        for output in cell.outputs:
            if output["output_type"] == "error":
                self.console.print(Text(_COLORS.sub("", "\n".join(output["traceback"]))))
        name = None if error is None else lacking_name(error)
        missing = f" ({in_short(name)})" if name else ""
        text = f"cell {number} failed: {_in_words(error)}{missing}"
        self.console.print(Text(text, "bold red"), soft_wrap=True)

    @contextlib.contextmanager
    def _redirected(self) -> Iterator[None]:
        """Collects the cells' printed text and figures; standard input is empty."""
        from gradtape._src.cli.notebooks.shell import Stream

        os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
        streams = [Stream(name, self.shell.outputs) for name in ("stdout", "stderr")]
        before = sys.stdin
        sys.stdin = io.StringIO()
        try:
            with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
                yield
        finally:
            sys.stdin = before


def _status_of(error: SystemExit) -> int:
    if isinstance(error.code, int):
        return error.code
    return 0 if error.code is None else FAILED


def _in_words(error: BaseException | None) -> str:
    said = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
