"""A reader that goes ends a program quietly."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

PRINTS = "import sys\nfor i in range(100_000):\n    print(i)\nsys.exit(3)\n"
FAILS_TO_SEND = "import socket\na, b = socket.socketpair()\nb.close()\na.send(b'x')\n"


def unread(*args, **environment):
    """Runs the command line with a pipe without a reader for its output."""
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
