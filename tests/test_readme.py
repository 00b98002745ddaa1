"""Every block of the README does what it says."""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
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


def test_python_blocks_print_the_text_after_them(monkeypatch):
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setenv("KERAS_BACKEND", "tensorflow")
    namespace = {}
    for (kind, code), (next_kind, want) in pairwise(BLOCKS):
        if kind != "python":
            continue
        assert next_kind == "text", f"no output after\n{code}"
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(code, "README.md", "exec"), namespace)
        assert output.getvalue() == want


@pytest.mark.parametrize("target", [t for k, b in BLOCKS if k == "sh" for t in b.splitlines()])
def test_make_knows_what_to_do(target):
    command, name = shlex.split(target)
    subprocess.run([command, "--dry-run", name], cwd=ROOT, check=True, capture_output=True)


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
