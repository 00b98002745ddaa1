"""The rows of a profile of the digits demo add up to a clock's time."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = f"""
import json, sys, time
import gradtape
gradtape.install()
sys.path.insert(0, {str(EXAMPLES)!r})
import digits
from gradtape._src.profiling.recording import Recording
digits.options.epochs = 1
start = time.perf_counter()
with Recording() as recording:
    digits.main()
wall = time.perf_counter() - start
report = recording.report
operations = sum(t for name, t in report.phases.items() if name.startswith("operations"))
sums = [sum(row.forward + row.backward for row in rows) for rows in
        (report.operations, report.layers, report.lines)]
python = sum(t for name, t in report.phases.items() if name.startswith("Python"))
assert abs(sum(row.python for row in report.lines) / python - 1) < 1e-6
print(json.dumps([sum(report.phases.values()) / wall, *[s / operations for s in sums]]))
print(json.dumps([row.name for row in report.layers]))
"""


@pytest.mark.slow
def test_sums_agree_with_the_clock_within_five_per_cent(tmp_path):
    for needed in ("keras", "sklearn", "matplotlib"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"needs {needed}")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    *_, ratios, layers = done.stdout.splitlines()
    assert all(abs(ratio - 1) < 0.05 for ratio in json.loads(ratios))
    assert "sequential/dense" in json.loads(layers)
