"""`gradtape run`: runs an unchanged TensorFlow program on gradtape."""

import ast
import inspect
import linecache
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from rich.console import Console
from rich.text import Text

from gradtape._src.base.errors import OpError
from gradtape._src.cli import figures as figure_files
from gradtape._src.cli.failure import report
from gradtape._src.cli.figures import Figures
from gradtape._src.cli.magics import Shell
from gradtape._src.cli.notebooks.execution import NotebookOptions, execute
from gradtape._src.cli.pipes import Printer, reader_has_gone
from gradtape._src.cli.program import Cell, CommandError, Program, ProgramError, load
from gradtape._src.compat.alias import install
from gradtape._src.compat.config import set_jit
from gradtape._src.profiling.forms import FORMS

FAILED = 1
INTERRUPTED = 130


@dataclass(frozen=True)
class RunOptions:
    """The options with which `gradtape run` runs a program.

    Attributes:
        save_figures: The directory for matplotlib's figures; None to save none.
        quiet: Whether to leave out a notebook's progress and notes.
        jit: Whether to compile functions with XLA if that is possible.
        notebook: The options for writing a notebook's outputs; None prints the outputs.
        profile: The file for a profile of the run; None writes none.
    """

    save_figures: Path | None = None
    quiet: bool = False
    jit: bool = False
    notebook: NotebookOptions | None = None
    profile: Path | None = None


def run(name: str, args: Sequence[str] = (), options: RunOptions | None = None) -> int:
    """Runs the program in the file `name` as `__main__`, with gradtape as its `tensorflow`.

    Args:
        name: A .py or .ipynb file.
        args: The program's `sys.argv[1:]`.
        options: The options of the run.

    Returns:
        The exit status: 0, or 1 if the program raised an error. `SystemExit` passes through.

    Raises:
        ProgramError: The file cannot be read as a program, or JAX is required and not installed.
        CommandError: The profile or the figures can't be written to the place that is named.
    """
    options = options or RunOptions()
    _check_directory_of_figures(options.save_figures)
    profile = options.profile and _place_of_profile(options.profile)
    console = Printer(stderr=True, highlight=False, quiet=options.quiet)
    if options.notebook is not None:
        _prepare(name, args, options)
        with nullcontext() if profile is None else _profiled(profile, console):
            return execute(Path(name), options.notebook, console)
    program = load(name)
    _prepare(name, args, options)
    with nullcontext() if profile is None else _profiled(profile, console):
        return _run(program, console, options)


def _run(program: Program, console: Console, options: RunOptions) -> int:
    """Runs a loaded program; returns the exit status."""
    directory = options.save_figures and options.save_figures.absolute()
    figures = Figures(directory, lambda text: console.print(Text(text, "dim")))
    if program.is_notebook or directory:
        figure_files.use(figures)
    try:
        if program.is_notebook:
            os.chdir(program.path.resolve().parent)  # as Jupyter does
            _run_notebook(program, console, figures)
        else:
            _run_script(program)
    except KeyboardInterrupt:
        console.print("interrupted")
        return INTERRUPTED
    except Exception as error:
        if isinstance(error, BrokenPipeError) and reader_has_gone():
            raise
        with suppress(BrokenPipeError):  # the report goes to another stream
            sys.stdout.flush()
        report(error, program)
        return FAILED
    finally:
        if directory:
            figures.show()
    return 0


def _check_directory_of_figures(directory: Path | None) -> None:
    """Raises CommandError if figures can't be saved in a directory, which need not exist yet."""
    if directory is None:
        return
    existing = next(p for p in (directory, *directory.absolute().parents) if p.exists())
    if not existing.is_dir():
        raise CommandError(f"--save-figures {directory}: {existing} is not a directory")
    if not os.access(existing, os.W_OK):
        raise CommandError(f"--save-figures {directory}: {existing} can't be written to")


def _place_of_profile(path: Path) -> Path:
    """Returns the absolute path of a profile; raises CommandError if it can't be written."""
    if path.suffix not in FORMS:
        endings = f"{', '.join(FORMS[:-1])} or {FORMS[-1]}"
        raise CommandError(f"--profile {path}: the file's name must end in {endings}")
    whole = path.absolute()
    if whole.is_dir():
        raise CommandError(f"--profile {path}: it is a directory")
    if not whole.parent.is_dir():
        raise CommandError(f"--profile {path}: there is no directory {whole.parent}")
    if not os.access(whole.parent, os.W_OK):
        raise CommandError(f"--profile {path}: {whole.parent} can't be written to")
    return whole


@contextmanager
def _profiled(path: Path, console: Console) -> Iterator[None]:
    """Profiles a block, and writes the profile, also if the program fails."""
    from gradtape._src.profiling.recording import Recording

    recording = Recording()
    try:
        yield
    finally:
        report = recording.stop()
        try:
            report.save(path)
        except OpError as error:
            raise CommandError(f"--profile {path}: {error}") from None
        for table in (report.caption, *[t for t in report.tables() if t.rows]):
            console.print(table, highlight=False)
        console.print(Text(f"profile in {path}", "dim"))


def _prepare(name: str, args: Sequence[str], options: RunOptions) -> None:
    """Makes gradtape the program's `tensorflow`, and sets `sys.argv` and `sys.path`."""
    install()
    if options.jit:
        try:
            set_jit(True)
        except ImportError as error:
            raise ProgramError(str(error)) from None
    sys.argv = [name, *args]
    sys.path.insert(0, str(Path(name).resolve().parent))


def _new_main(path: Path | None) -> dict[str, Any]:
    """Returns the namespace of a new `__main__`."""
    main = sys.modules["__main__"] = ModuleType("__main__")
    if path:
        main.__file__ = str(path)
    return main.__dict__


def _run_script(program: Program) -> None:
    (cell,) = program.cells
    code = compile(cell.tree, cell.filename, "exec", dont_inherit=True)
    exec(code, _new_main(program.path))  # noqa: S102 - running the program is the purpose


def _run_notebook(program: Program, console: Console, figures: Figures) -> None:
    def note(text: str) -> None:
        console.print(Text(f"  {text}", "dim"))

    shell = Shell(note)
    namespace = _new_main(None)
    namespace.update(get_ipython=lambda: shell, display=_display)
    begin = time.perf_counter()
    for cell in program.cells:
        figures.label = f"cell-{cell.number:02}"
        _announce(cell, len(program.cells), console)
        start = time.perf_counter()
        _run_cell(cell, namespace)
        figures.show()
        sys.stdout.flush()
        note(f"{time.perf_counter() - start:.2f} s")
    total = time.perf_counter() - begin
    number = len(program.cells)
    console.print(Text(f"{number} cell{'s' * (number != 1)} in {total:.2f} s", "bold"))


def _announce(cell: Cell, total: int, console: Console) -> None:
    first = next((line for line in cell.source.splitlines() if line.strip()), "")
    text = Text.assemble((f"cell {cell.number}/{total}", "bold cyan"), "  ", (first, "dim"))
    console.print(text, no_wrap=True, overflow="ellipsis")


def _run_cell(cell: Cell, namespace: dict[str, Any]) -> None:
    """Runs the statements of a cell and shows the value of a last expression."""
    lines = [f"{line}\n" for line in cell.source.splitlines()]
    # Tracebacks and `inspect.getsource` find the text in this cache.
    linecache.cache[cell.filename] = (len(cell.source), None, lines, cell.filename)
    body = cell.tree.body
    shown = body[-1:] if _ends_in_value(cell) else []
    first = ast.Module(body[: len(body) - len(shown)], type_ignores=[])
    _execute(_compile(first, cell, "exec"), namespace)
    if shown:
        _execute(_compile(ast.Interactive(shown), cell, "single"), namespace)


def _ends_in_value(cell: Cell) -> bool:
    """Whether the last statement is an expression whose value is to be shown (no `;` after it)."""
    body = cell.tree.body
    return bool(body) and isinstance(body[-1], ast.Expr) and not cell.source.rstrip().endswith(";")


def _compile(tree: ast.Module | ast.Interactive, cell: Cell, mode: str) -> CodeType:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code: CodeType = compile(tree, cell.filename, mode, flags=flags, dont_inherit=True)
    return code


def _execute(code: CodeType, namespace: dict[str, Any]) -> None:
    result = eval(code, namespace)  # noqa: S307 - running the program is the purpose
    if code.co_flags & inspect.CO_COROUTINE:
        from asyncio import run  # asyncio loads slowly

        run(result)


def _display(*values: object) -> None:
    """Prints values as IPython's `display` does, as text."""
    for value in values:
        print(repr(value))
