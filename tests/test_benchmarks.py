"""Benchmarked functions are traced and compiled as a whole, and agree in every mode."""

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gradtape as tf

FOLDER = Path(__file__).parents[1] / "benchmarks"


def _loaded(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def workloads():
    return _loaded("workloads").WORKLOADS


def test_an_option_that_matches_nothing_is_an_error_with_the_names(capsys):
    options, parser = _loaded("options"), argparse.ArgumentParser()
    titles = {"cnn": "convolutional network", "lstm": "LSTM, rows of digits"}
    assert options.chosen(parser, ["cnn"], titles) == ["cnn"]
    assert options.containing(parser, "LSTM", titles) == ["lstm"]
    assert options.containing(parser, "network", titles) == ["cnn"]
    for wrong in (
        lambda: options.chosen(parser, ["cnn", "gru"], titles),
        lambda: options.containing(parser, "gru", titles),
    ):
        with pytest.raises(SystemExit, match="2"):
            wrong()
        assert "cnn, lstm" in capsys.readouterr().err
    assert options.peers(parser, ["torch=/a/python"], ["jax", "torch"]) == {"torch": "/a/python"}
    for wrong in ("pytorch=/a/python", "torch"):
        with pytest.raises(SystemExit, match="2"):
            options.peers(parser, [wrong], ["jax", "torch"])
        assert "jax, torch" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(("platforms", "status"), [("cpu", 0), ("cuda,cpu", 1)])
def test_figures_of_a_device_that_is_missing_are_an_error(platforms, status):
    pytest.importorskip("jax")
    done = subprocess.run(
        [sys.executable, str(FOLDER / "devices.py"), "--device"],
        env={**os.environ, "JAX_PLATFORMS": platforms, "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert ("no device of the platform cuda" in done.stderr) == bool(status)


NAMES = [
    "batch jacobian",
    "chain",
    "hessian",
    "jacobian",
    "large gelu",
    "large sigmoid",
    "large softmax",
    "large softplus",
    "large tanh",
    "large where",
    "moves",
    "network",
    "network small",
    "rows",
    "single",
]


def test_all_workloads_are_here(workloads):
    assert sorted(workloads) == NAMES


@pytest.mark.slow
@pytest.mark.parametrize("jit", [False, True], ids=["function", "compiled"])
@pytest.mark.parametrize("name", NAMES)
def test_a_workload_never_runs_as_python(name, jit, workloads):
    if jit:
        pytest.importorskip("jax")
    made = []

    def compiled(python_function):
        made.append(tf.function(python_function, jit_compile=jit or None))
        return made[-1]

    work = workloads[name].ways["tf"](tf, compiled)
    for _ in range(3):
        work()
    (function,) = made
    assert "as Python" not in function.explain()
    assert function.experimental_get_tracing_count() == 1
