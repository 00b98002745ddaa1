"""Runs the Python blocks of the documentation's pages, each alone in a process of its own.

    python tools/site_blocks.py [--write] [PAGE ...]

After a block ``python``, a block ``text`` contains its output. A block ``python raises`` ends with
an exception, whose last line is part of the output. Figures of matplotlib, and a last expression
that has a picture, become pictures of the page. Files beside a page that are named after it, which
readers can download, are copied into the directory of its blocks. Without --write the tool exits
with 1 if a page does not show the real output; with --write it changes the pages.
"""

import ast
import contextlib
import difflib
import doctest
import io
import linecache
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
NOT_ALONE = {"tape-from-nothing.md"}
"""Its blocks are one program, which has a test of its own."""
FENCE = re.compile(
    r"^```python(?P<raises> raises)?\n(?P<code>.*?)^```\n"
    r"(?P<output>\n```text\n(?P<text>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
FILE = "example.py"
"""The name of the file that a block is shown to be, in tracebacks and explanations."""
COLUMNS = "100"
STYLE = {
    "figure.figsize": (6.4, 3.6),
    "figure.constrained_layout.use": True,
    "savefig.transparent": True,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "gradtape",
}


@dataclass(frozen=True)
class Block:
    """A Python block of a page."""

    page: str
    number: int
    code: str
    raises: bool
    text: str
    line: int

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass
class Outcome:
    """The text and the pictures (SVG) of a block, and the traceback if it failed."""

    output: str = ""
    failure: str = ""
    pictures: list[str] = field(default_factory=list)


def blocks(page: Path) -> Iterator[Block]:
    """Yields the Python blocks of a page."""
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    for number, found in enumerate(FENCE.finditer(text)):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(name, number, found["code"], bool(found["raises"]), found["text"] or "", line)


def pages() -> list[Path]:
    """Returns all pages whose blocks run alone: the README and everything below docs/."""
    return [ROOT / "README.md", *(p for p in sorted(DOCS.rglob("*.md")) if p.name not in NOT_ALONE)]


def body_and_last(code: str) -> tuple[ast.Module, ast.Expression | None]:
    """Returns a program without its last expression, and that expression."""
    tree = ast.parse(code, FILE)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body.pop()
        assert isinstance(last, ast.Expr)
        return tree, ast.Expression(last.value)
    return tree, None


def execute(code: str) -> object:
    """Runs a program as the main module; returns its last expression's value, or None."""
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": FILE}
    tree, last = body_and_last(code)
    exec(compile(tree, FILE, "exec"), namespace)  # noqa: S102 - the project's own pages
    if last is None:
        return None
    return eval(compile(last, FILE, "eval"), namespace)  # noqa: S307 - likewise


def figures() -> Iterator[str]:
    """Yields the open figures of matplotlib, if the program has loaded it."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    for number in pyplot.get_fignums() if pyplot else []:
        written = io.StringIO()
        pyplot.figure(number).savefig(written, format="svg", metadata={"Date": None})
        yield written.getvalue()[written.getvalue().index("<svg") :]


def downloads(page: str) -> list[Path]:
    """Returns the files beside a page that are named after it, for readers to download."""
    place = ROOT / page
    return [p for p in sorted(place.parent.glob(f"{place.stem}.*")) if p.suffix != ".md"]


def run(block: Block) -> Outcome:
    """Runs a block in this process, in a directory that contains only the page's downloads."""
    outcome, printed = Outcome(), io.StringIO()
    with (
        tempfile.TemporaryDirectory() as place,
        contextlib.chdir(place),
        contextlib.redirect_stdout(printed),
    ):
        for path in downloads(block.page):
            shutil.copy(path, place)
        try:
            value = execute(block.code)
            picture = getattr(value, "_repr_svg_", None)
            outcome.pictures = [*([picture()] if picture else []), *figures()]
        except Exception as error:  # noqa: BLE001 - a page may show any exception
            if block.raises:
                printed.write(f"{type(error).__name__}: {error}\n")
            else:
                outcome.failure = traceback.format_exc()
        else:
            if block.raises:
                outcome.failure = "nothing was raised"
    outcome.output = printed.getvalue()
    return outcome


def prepare() -> None:
    """Loads the modules that most blocks use, and sets the style of figures."""
    import matplotlib as mpl

    import gradtape as tf

    mpl.use("Agg")
    mpl.rcParams.update(STYLE)
    mpl.colormaps.get_cmap("viridis")
    tf.constant(0.0)


def run_all(found: Iterable[Block], workers: int = 2) -> list[tuple[Block, Outcome]]:
    """Runs blocks, each in a process of its own, and several at a time."""
    given = list(found)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.update(MPLBACKEND="Agg", COLUMNS=COLUMNS, KERAS_BACKEND="tensorflow")
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(["gradtape", "gradtape.keras", "matplotlib.pyplot"])
    with ProcessPoolExecutor(
        workers, mp_context=context, max_tasks_per_child=1, initializer=prepare
    ) as pool:
        return list(zip(given, pool.map(run, given), strict=True))


def fault(block: Block, outcome: Outcome) -> str:
    """Returns the fault of a block, as text; empty if its output is that on the page."""
    if outcome.failure:
        return f"{block}: {outcome.failure}"
    if doctest.OutputChecker().check_output(block.text, outcome.output, doctest.ELLIPSIS):
        return ""
    lines = difflib.unified_diff(
        block.text.splitlines(), outcome.output.splitlines(), "the page", "printed", lineterm=""
    )
    return "\n".join([f"{block}: the page says something else", *lines])


def rewrite(page: Path, outcomes: list[tuple[Block, Outcome]]) -> None:
    """Replaces each output on a page that differs from the real one."""
    results = iter(outcomes)

    def with_output(found: re.Match[str]) -> str:
        block, outcome = next(results)
        if outcome.failure or not fault(block, outcome):
            return found[0]
        head = found[0][: found.start("output") - found.start()] if found["output"] else found[0]
        return f"{head}\n```text\n{outcome.output}```\n" if outcome.output else head

    text = page.read_text(encoding="utf-8")
    page.write_text(FENCE.sub(with_output, text), encoding="utf-8")


def main() -> int:
    """Runs the blocks of some pages, or of all."""
    names = [name for name in sys.argv[1:] if name != "--write"]
    chosen = [Path(name).resolve() for name in names] or pages()
    outcomes = run_all(block for page in chosen for block in blocks(page))
    if "--write" in sys.argv:
        for page in chosen:
            name = page.relative_to(ROOT).as_posix()
            rewrite(page, [pair for pair in outcomes if pair[0].page == name])
    faults = [text for pair in outcomes if (text := fault(*pair))]
    print("\n\n".join([*faults, f"{len(outcomes)} blocks, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
