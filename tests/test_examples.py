"""The examples run on gradtape as they stand, but for a smaller number of epochs."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

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
