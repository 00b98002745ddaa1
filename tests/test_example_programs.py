"""The examples run on gradtape as they stand, but for a smaller number of epochs."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@pytest.mark.skipif(
    not all(map(find_spec, ["keras", "matplotlib", "sklearn"])),
    reason="the extra `examples` is not installed",
)
def test_digits(tmp_path):
    text = (EXAMPLES / "digits.py").read_text(encoding="utf-8")
    assert "EPOCHS = 25" in text
    program = tmp_path / "digits.py"
    program.write_text(text.replace("EPOCHS = 25", "EPOCHS = 2"), encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "gradtape", "run", program],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "2/2 epochs" in result.stdout
    assert "Accuracy on test digits" in result.stdout
    assert "figure saved as figures/digits.png" in result.stdout
    assert (tmp_path / "figures" / "digits.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("name", "needs", "says"),
    [
        ("rosenbrock_1000", "scipy", "all reached the minimum"),
        ("option_greeks", "scipy", "11 Greeks at 5 spots agree to"),
        ("newton", "rich", "Newton's method is more than 1,000 times nearer"),
        ("burgers_pinn", "keras matplotlib", "relative error against the exact solution"),
    ],
)
def test_programs_in_their_short_form(tmp_path, name, needs, says):
    if not all(map(find_spec, needs.split())):
        pytest.skip(f"needs {needs}")
    result = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", "--short"],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert says in result.stdout
