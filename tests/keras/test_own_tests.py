"""Some of Keras' own tests, as its wheel has them; docs/keras.md says how all of them do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TOOL = Path(__file__).parents[2] / "tools" / "keras_tests.py"
FILES = [
    "backend/tensorflow/saved_model_test.py",
    "layers/core/identity_test.py",
    "layers/preprocessing/category_encoding_test.py",
    "layers/rnn/simple_rnn_test.py",
    "losses/loss_test.py",
    "metrics/accuracy_metrics_test.py",
    "models/sequential_test.py",
    "ops/function_test.py",
    "optimizers/sgd_test.py",
]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the tool forks")
def test_some_of_keras_own_tests_pass(tmp_path):
    pytest.importorskip("absl.testing.parameterized")
    out = tmp_path / "out.json"
    command = [sys.executable, str(TOOL), "run", "--gradtape", str(out), *FILES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = json.loads(out.read_text())
    assert sorted(results) == FILES
    outcomes = {(f, t): r for f, tests in results.items() for t, r in tests.items()}
    failed = {at: said for at, (how, said) in outcomes.items() if how not in {"passed", "skipped"}}
    assert not failed
    assert len(outcomes) > 100
