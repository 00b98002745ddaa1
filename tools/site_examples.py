"""Examples of the API reference for names whose docstrings have none.

    python tools/site_examples.py FILE

docs/reference/examples has a file for each namespace, with a name on a line and the indented
statements of its example below. When the site is built, each file runs in a process of its own, and
the reference shows the examples as sessions of Python's prompt, with their output. Given a file,
the tool prints the examples of that file as JSON.
"""

import ast
import contextlib
import io
import json
import linecache
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "docs" / "reference" / "examples"
_FILE = "<example>"  # AutoGraph finds the statements by this name
PROMPTS = (">>> ", "... ")


def written(file: Path) -> dict[str, str]:
    """Returns the statements of a file's examples, by the names' paths.

    Args:
      file: A file of examples.
    """
    found: dict[str, str] = {}
    for part in file.read_text(encoding="utf-8").strip().split("\n\n"):
        name, _, code = part.partition("\n")
        path = f"{file.stem}.{name}"
        if path in found:
            raise ValueError(f"{file}: {name} has two examples")
        found[path] = "\n".join(line.removeprefix("    ") for line in code.splitlines())
    return found


def session(code: str) -> str:
    """Runs statements, and returns them with prompts and with their output.

    Args:
      code: The statements.
    """
    import numpy as np

    import gradtape as tf

    names = {"__name__": "example", "tf": tf, "np": np}
    lines = code.splitlines()
    linecache.cache[_FILE] = (len(code), None, [f"{line}\n" for line in lines], _FILE)
    said: list[str] = []
    done = 0
    for statement in ast.parse(code).body:
        end = statement.end_lineno or done
        shown = lines[done:end]
        said += [PROMPTS[bool(k)] + line for k, line in enumerate(shown)]
        if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.With | ast.For | ast.Try):
            said.append(PROMPTS[1].rstrip())
        done = end
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Interactive([statement]), _FILE, "single"), names)  # noqa: S102
        said += printed.getvalue().rstrip("\n").splitlines()
    return "\n".join(said)


def sessions(file: Path) -> dict[str, str]:
    """Runs the examples of a file, in an empty folder.

    Args:
      file: A file of examples.

    Returns:
      The sessions by the names' paths.

    Raises:
      RuntimeError: An example failed.
    """
    found = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for path, code in written(file).items():
            try:
                found[path] = session(code)
            except Exception as error:
                raise RuntimeError(f"the example of {path} fails: {error}") from error
    return found


@cache
def all_sessions() -> dict[str, str]:
    """Returns the sessions of all files, by the names' paths."""
    found: dict[str, str] = {}
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for sessions_of_file in threads.map(_in_own_process, sorted(EXAMPLES.glob("*.txt"))):
            found |= sessions_of_file
    return found


def _in_own_process(file: Path) -> dict[str, str]:
    done = subprocess.run(  # noqa: S603
        [sys.executable, __file__, file],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        check=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    print(json.dumps(sessions(Path(sys.argv[1]).resolve())))
