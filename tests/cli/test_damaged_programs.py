"""Files that are no programs end in one line that says so; a reader that goes ends quietly."""

import json
import os
import subprocess
import sys

import pytest

from gradtape._src.cli import doctor
from gradtape._src.cli.program import ProgramError, load

NOTEBOOKS = {
    "nested": "[" * 100_000,
    "a number": "9" * 10_000,
    "null": "null",
    "no UTF-8": b"\xff{}",
    "kernel": '{"metadata": {"kernelspec": {"language": 5}}, "cells": []}',
    "worksheets": '{"metadata": {}, "worksheets": []}',
    "cell": '{"metadata": {}, "cells": ["text"]}',
    "source": '{"metadata": {}, "cells": [{"cell_type": "code", "source": {"a": 1}}]}',
    "lines": '{"metadata": {}, "cells": [{"cell_type": "code", "source": [1]}]}',
    "surrogate": '{"metadata": {}, "cells": [{"cell_type": "code", "source": "\\ud800"}]}',
    "deep cell": json.dumps(
        {"metadata": {}, "cells": [{"cell_type": "code", "source": "-" * 100_000 + "1"}]}
    ),
}


@pytest.mark.parametrize("what", NOTEBOOKS)
def test_damaged_notebooks(tmp_path, what):
    path = tmp_path / "book.ipynb"
    text = NOTEBOOKS[what]
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ProgramError) as error:
        load(str(path))
    assert "book.ipynb" in str(error.value)
    assert len(str(error.value)) < 1000


def test_a_notebook_cut_or_changed_anywhere(notebook):
    path = notebook("import tensorflow as tf", "tf.abs(1)\nx = 'text'")
    whole = path.read_bytes()
    for at in range(len(whole)):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]):
            path.write_bytes(data)
            try:
                load(str(path))
            except ProgramError:
                continue


@pytest.mark.parametrize(
    "text", ["-" * 100_000 + "1", "(" * 1000 + ")" * 1000, "a" + ".b" * 3000, "\0", b"\xff"]
)
def test_scripts_that_are_none(tmp_path, text):
    path = tmp_path / "program.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ProgramError) as error:
        load(str(path))
    assert len(str(error.value)) < 1000


@pytest.mark.parametrize("name", ["x" * 5000 + ".py", "a\0b.py", "x" * 5000])
def test_names_that_no_file_has(name):
    with pytest.raises(ProgramError):
        load(name)


def test_the_doctor_reads_what_python_compiles(script):
    path = script("import tensorflow as tf\nx = " + "+".join(["tf.abs(1)"] * 900) + "\n")
    found = doctor.examine(str(path))
    assert [(use.path, len(use.places)) for use in found.uses] == [("abs", 1)]


PRINTS = "import sys\nfor i in range(100_000):\n    print(i)\nsys.exit(3)\n"
FAILS_TO_SEND = "import socket\na, b = socket.socketpair()\nb.close()\na.send(b'x')\n"


def unread(*args, **environment):
    """Runs the command line with a pipe for its output that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, "-m", "gradtape", *map(str, args)],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": "", **environment},
        )
    finally:
        os.close(writing)


@pytest.mark.parametrize("environment", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_a_reader_that_goes(script, notebook, environment):
    book = notebook(PRINTS.removesuffix("sys.exit(3)\n"))
    for args in (
        ["run", script(PRINTS)],
        ["run", script("import atexit\natexit.register(print, 1)\nprint(2)\n", "late.py")],
        ["run", "-q", book],
        ["doctor", script(PRINTS)],
        ["doctor", "--json", script(PRINTS)],
    ):
        result = unread(*args, **environment)
        assert (result.returncode, result.stderr) == (141, "")


def test_a_pipe_of_the_programs_own(gradtape, script):
    result = gradtape("run", script(FAILS_TO_SEND))
    assert result.returncode == 1
    assert "BrokenPipeError" in result.stderr


def test_an_error_is_told_without_a_reader(script):
    result = unread("run", script("print(1)\nraise ValueError('why')\n"))
    assert "ValueError: why" in result.stderr
    assert "BrokenPipe" not in result.stderr
