"""Starts programs of this folder in processes and reads their answers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent


def start(*arguments, program="steps.py", **environment):
    environment = {"JAX_PLATFORMS": "cpu", "OPENBLAS_NUM_THREADS": "1", **environment}
    return subprocess.Popen(
        [sys.executable, str(FOLDER / program), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def answer(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return json.loads(out.strip().splitlines()[-1])


def same(found, alone):
    assert found.keys() == alone.keys()
    for name, value in alone.items():
        np.testing.assert_allclose(found[name], value, rtol=2e-5, err_msg=name)
