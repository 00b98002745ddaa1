"""The examples run on gradtape as they stand, but for a smaller number of epochs."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


NEEDED = ("keras", "matplotlib", "sklearn")
WITHOUT_THEM = not all(map(find_spec, NEEDED))
needs_extra = pytest.mark.skipif(WITHOUT_THEM, reason="the extra `examples` is not installed")
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))


def run(place, *command):
    return subprocess.run(
        [sys.executable, *command],
        cwd=place,
        env={**os.environ, "MPLBACKEND": "Agg", "COLUMNS": "100", "KERAS_BACKEND": "tensorflow"},
        capture_output=True,
        text=True,
        check=False,
    )


def command(name, *options):
    """digits.py is a TensorFlow program; the others say `import gradtape`."""
    runner = ("-m", "gradtape", "run") if name == "digits" else ()
    return (*runner, EXAMPLES / f"{name}.py", *options)


@needs_extra
@pytest.mark.parametrize(
    ("name", "option", "says"),
    [
        ("digits", "--epochs=2", "Accuracy on test digits"),
        ("rosenbrock_1000", "--short", "all reached the minimum"),
        ("option_greeks", "--short", "11 Greeks at 81 spots agree to"),
        ("newton", "--short", "Newton's method is more than 1,000 times nearer"),
        ("burgers_pinn", "--short", "relative error against the exact solution"),
    ],
)
def test_a_program_says_what_it_found_and_saves_a_figure(tmp_path, name, option, says):
    result = run(tmp_path, *command(name, option, "--figure", "some/where/figure.png"))
    assert (result.returncode, result.stderr) == (0, "")
    assert says in result.stdout
    assert "figure saved as some/where/figure.png" in result.stdout
    assert (tmp_path / "some/where/figure.png").stat().st_size > 10_000


@needs_extra
@pytest.mark.skipif(
    not all(map(find_spec, ("IPython", "nbformat"))), reason="the extra `notebook` is not installed"
)
def test_the_notebook_says_what_it_holds(tmp_path):
    result = run(
        tmp_path, "-m", "gradtape", "run", EXAMPLES / "first_steps.ipynb", "-o", "out.ipynb"
    )
    assert result.returncode == 0, result.stderr
    written, kept = (
        outputs(path) for path in (tmp_path / "out.ipynb", EXAMPLES / "first_steps.ipynb")
    )
    assert written == kept
    kinds = {kind for cell in written for kind, _ in cell}
    assert kinds == {"text/plain", "text/html", "image/svg+xml", "image/png"}


def outputs(path):
    """Returns what the cells of a notebook print, and the kinds of what they show."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [
        [
            (kind, "".join(output.get("text", "")))
            for output in cell["outputs"]
            for kind in output.get("data", ["text/plain"])
        ]
        for cell in cells
        if cell["cell_type"] == "code"
    ]


@needs_extra
@pytest.mark.parametrize("name", NAMES)
def test_help_tells_what_a_program_does_and_takes(tmp_path, name):
    result = run(tmp_path, *command(name, "--help"))
    assert (result.returncode, result.stderr) == (0, "")
    purpose = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()[0].strip('"')
    assert purpose in result.stdout
    assert f"figures/{name}.png" in result.stdout
    assert list(tmp_path.iterdir()) == []


@needs_extra
@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_option_is_one_line_and_status_2(tmp_path, name):
    result = run(tmp_path, *command(name, "--bogus"))
    assert result.returncode == 2
    assert "unrecognized arguments: --bogus" in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []
