"""Commands and pictures of the README; its Python blocks are run by test_site.py."""

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)


def matches(want, got):
    return doctest.OutputChecker().check_output(want, got, doctest.ELLIPSIS)


def test_every_block_is_of_a_kind_that_is_tested():
    assert {kind for kind, _ in BLOCKS} == {"python", "text", "sh", "console"}


SHELL = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]


@pytest.mark.parametrize("target", [line for line in SHELL if line.startswith("make")])
def test_make_knows_what_to_do(target):
    command, name = shlex.split(target)
    subprocess.run([command, "--dry-run", name], cwd=ROOT, check=True, capture_output=True)


def test_the_project_is_installed_by_its_name():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [line for line in SHELL if not line.startswith("make")] == [
        f"pip install {project['name']}"
    ]


def labels(picture):
    return re.findall("<text[^>]*>([^<]*)", picture)


def test_the_picture_shows_the_tape_of_the_program():
    program = next(block for kind, block in BLOCKS if kind == "python")
    namespace = {}
    program = program.replace("print(tape", "picture = tape.graph(y)\nprint(tape", 1)
    exec(compile(program, "README.md", "exec"), namespace)
    picture = (ROOT / "docs" / "pictures" / "tape.svg").read_text(encoding="utf-8")
    assert labels(namespace["picture"].to_svg()) == labels(picture)


@pytest.mark.skipif(find_spec("keras") is None, reason="the program uses tf.keras")
@pytest.mark.parametrize("block", [block for kind, block in BLOCKS if kind == "console"])
def test_commands_print_what_follows_them(block):
    command, _, want = block.removeprefix("$ ").partition("\n")
    program, *args = shlex.split(command)
    result = subprocess.run(
        [sys.executable, "-m", program, *args],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert matches(want, result.stdout)
