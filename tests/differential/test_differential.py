"""Random programs give what the real TensorFlow gives: values, gradients, variables.

Runs where TensorFlow is installed beside gradtape and GRADTAPE_DIFFERENTIAL says how many
programs to draw; GRADTAPE_DIFFERENTIAL_SEED says where to begin.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAMS = os.environ.get("GRADTAPE_DIFFERENTIAL")


@pytest.mark.skipif(not PROGRAMS, reason="GRADTAPE_DIFFERENTIAL is not set")
@pytest.mark.skipif(find_spec("tensorflow") is None, reason="TensorFlow is not installed")
@pytest.mark.parametrize("script", ["run.py", "control_flow.py", "pipelines.py", "keras_models.py"])
def test_random_programs(script):
    seed = os.environ.get("GRADTAPE_DIFFERENTIAL_SEED", "0")
    command = [sys.executable, Path(__file__).with_name(script), "--programs", PROGRAMS]
    result = subprocess.run([*command, "--seed", seed], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr[-2000:]
