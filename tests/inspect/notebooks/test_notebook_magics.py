"""`%load_ext gradtape` in IPython."""

import subprocess
import sys

import pytest

pytest.importorskip("IPython")

SCRIPT = """
import sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in sys.argv[1:]:
    shell.run_cell(cell)
"""
START = (
    "%load_ext gradtape",
    "import gradtape as tf\nx, w = tf.Variable(2.0, name='x'), tf.Variable(1.0, name='w')",
)
TAPE = "with tf.GradientTape() as tape:\n    loss = tf.round(x) * w"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs cells in a new shell, and returns what they write to the two streams."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))

    def run(*cells):
        command = [sys.executable, "-c", SCRIPT, *START, *cells]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        return done.stdout, done.stderr

    return run


@pytest.mark.slow
def test_explain_names_the_line_of_the_cell(run):
    out, _ = run(f"%%explain loss x\n{TAPE}")
    assert "The gradient of loss with respect to x is None" in out
    assert "loss = tf.round(x) * w" in out
    assert "operation: Round" in out


@pytest.mark.slow
def test_explain_of_a_target_finds_the_variables_without_gradient(run):
    whole = "%%explain y\nwith tf.GradientTape() as t:\n  y = x * w"
    out, _ = run(f"%%explain loss\n{TAPE}", whole)
    assert out.count("is None") == 2
    assert "with respect to x is None" in out
    assert "No gradient of y is None: t watched 2 variables." in out


@pytest.mark.slow
def test_explain_alone_answers_for_the_gradients_of_the_cell(run):
    out, _ = run(
        f"%%explain\n{TAPE}\ngx, gw = tape.gradient(loss, [x, w])",
        "with tf.GradientTape() as t:\n  y = tf.round(x)\ng = t.gradient(y, x)",
        "%%explain\n1 / 0",
    )
    assert out.count("is None") == 1
    assert "The gradient of loss with respect to x is None" in out
    assert "operation: Round" in out


@pytest.mark.slow
def test_tape_shows_pictures_and_tables(run):
    out, _ = run(TAPE, "%tape loss --depth 1", "%tape --summary")
    assert "<Graph: 1 operation," in out
    assert "1 operation holds" in out


@pytest.mark.slow
def test_bad_input_gets_one_line(run):
    bad = {
        "%tape nope": "UsageError: %tape: NameError: name 'nope' is not defined",
        "%tape --depth -1": "UsageError: %tape: --depth must not be negative, got -1",
        "%tape --depth a": "UsageError: %tape: argument --depth: invalid int value: 'a'",
        "%tape --other": "UsageError: %tape: unrecognized arguments: --other",
        "%tape --tape x": "UsageError: %tape: x is not a tf.GradientTape",
        "%tape 'loss": "UsageError: %tape: No closing quotation",
        "%%explain lo(\nprint('ran')": "UsageError: %%explain: 'lo(' is not an expression",
    }
    none = "UsageError: %tape: there is no tf.GradientTape: record one with `as tape`"
    out, errors = run("%tape", TAPE, *bad)
    assert errors.splitlines() == [none, *bad.values()]
    assert "ran" not in out


@pytest.mark.slow
def test_the_module_is_loaded_by_the_extension_alone(run):
    name = "gradtape._src.inspect.notebooks.notebook_magics"
    command = f"import sys, gradtape; print({name!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, check=True)
    assert done.stdout.strip() == b"False"
    assert run(f"import sys; print({name!r} in sys.modules)")[0].strip() == "True"
