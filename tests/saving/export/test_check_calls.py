"""TensorFlow runs the saved calls, if `GRADTAPE_TENSORFLOW` names a Python that has it."""

from __future__ import annotations

import logging
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from saving.export.check_calls import save

TENSORFLOW = os.environ.get("GRADTAPE_TENSORFLOW")

KNOWN = {
    **dict.fromkeys(
        ("eig", "eigvals", "linalg.eigh", "linalg.svd"),
        "the order or the sign of the vectors is another one",
    ),
    **dict.fromkeys(
        (
            "image.adjust_jpeg_quality",
            "image.encode_png",
            "image.stateless_random_jpeg_quality",
        ),
        "TensorFlow compresses pictures in another way",
    ),
    **dict.fromkeys(
        (
            "nn.experimental.stateless_dropout",
            "nn.fractional_avg_pool",
            "random.stateless_categorical",
        ),
        "random numbers differ",
    ),
    "math.special.expint": "TensorFlow has NaN below 0",
    "quantization.fake_quant_with_min_max_args": "TensorFlow's operation of variable limits "
    "rounds numbers in the middle between two levels in another way",
}
"""The calls that have other results in TensorFlow, and why."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(TENSORFLOW is None, reason="GRADTAPE_TENSORFLOW names no Python")
def test_tensorflow_runs_the_saved_calls(tmp_path: Path, caplog: Any) -> None:
    caplog.set_level(logging.CRITICAL)
    saved = save(tmp_path)
    command = [str(TENSORFLOW), "-m", "saving.export.check_calls", str(tmp_path)]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=Path(__file__).parents[2],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *lines, last = [x for x in done.stdout.splitlines() if x.startswith("call")]
    assert last == f"calls {len(saved)}"
    found = {line.split()[1]: line for line in lines}
    assert [line for path, line in found.items() if path not in KNOWN] == []
    assert set(KNOWN) <= set(found)
