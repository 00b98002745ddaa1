"""`gradtape run --profile` writes where the time goes, or says in one line why it can't."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
import tensorflow as tf
x = tf.Variable([[2.0]])
with tf.GradientTape() as tape:
    y = tf.matmul(x, x)
print(tape.gradient(y, x).numpy())
"""


def test_a_page_is_written_and_tables_are_printed(gradtape, script, tmp_path):
    out = tmp_path / "out.html"
    result = gradtape("run", "--profile", out, script(PROGRAM))
    assert (result.returncode, result.stdout) == (0, "[[4.]]\n")
    assert "MatMul" in result.stderr
    assert f"profile in {out}" in result.stderr.replace("\n", "")
    assert "MatMul" in out.read_text(encoding="utf-8")


def test_a_trace_is_written_though_the_program_fails(gradtape, script, tmp_path):
    out = tmp_path / "out.json"
    result = gradtape("run", "-q", "--profile", out, script(PROGRAM + "1 / 0\n"))
    assert result.returncode == 1
    assert "ZeroDivisionError" in result.stderr
    names = {event["name"] for event in json.loads(out.read_text())["traceEvents"]}
    assert "MatMul" in names


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("out.svg", "the file's name must end in .html, .json or .txt"),
        ("none/out.html", "there is no directory"),
        ("folder.html", "it is a directory"),
    ],
)
def test_a_place_that_will_not_do_is_said_before_the_program_runs(
    gradtape, script, tmp_path, out, message
):
    (tmp_path / "folder.html").mkdir()
    program = script("print('ran')\n")
    before = sorted(tmp_path.rglob("*"))
    result = gradtape("run", "--profile", tmp_path / out, program)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert sorted(tmp_path.rglob("*")) == before
