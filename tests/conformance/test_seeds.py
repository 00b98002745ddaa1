"""Every code cell of five texts on the tape, against a recording of the real TensorFlow.

The texts, their runner and the recording are in a folder beside ours.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import gradtape

pytestmark = pytest.mark.slow

SHARED = Path(__file__).parents[3] / "shared"


@pytest.mark.skipif(not (SHARED / "seeds").exists(), reason="the texts are not here")
@pytest.mark.skipif(not find_spec("keras"), reason="Keras is not installed")
@pytest.mark.skipif(not find_spec("matplotlib"), reason="Matplotlib is not installed")
@pytest.mark.parametrize("text", ["000", "001", "002", "003", "004"])
def test_every_cell_runs_and_gives_what_was_recorded(text, tmp_path):
    # The runner takes a variable for unchanged where its new value has the address of the old one;
    # two allocators do not let that happen in the same cells.
    results = [run(text, tmp_path, allocator) for allocator in ("pymalloc", "malloc")]
    assert any(r.returncode == 0 for r in results), (
        results[0].stdout[-4000:] + results[0].stderr[-2000:]
    )


def run(text, directory, allocator):
    folder = SHARED / "conformance"
    return subprocess.run(
        [
            *(sys.executable, folder / "run_seeds.py", SHARED / "seeds", "--module", "gradtape"),
            *("--path", Path(gradtape.__file__).parents[1]),
            *("--golden", folder / "seeds_golden.json", "--only", text),
        ],
        cwd=directory,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONMALLOC": allocator},
        capture_output=True,
        text=True,
        check=False,
    )
