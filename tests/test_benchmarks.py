"""Benchmarked functions are traced and compiled as a whole, and agree in every mode."""

import argparse
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
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
    found = _loaded("workloads").WORKLOADS
    for name in ("image_workloads", "model_workloads"):
        _loaded(name)  # adds its workloads
    return found


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
    given = f"torch={sys.executable}"
    assert options.peers(parser, [given], ["jax", "torch"]) == {"torch": sys.executable}
    for wrong, message in (
        (f"py{given}", "jax, torch"),
        ("torch", "jax, torch"),
        ("torch=/no/python", "no program '/no/python' for torch"),
    ):
        with pytest.raises(SystemExit, match="2"):
            options.peers(parser, [wrong], ["jax", "torch"])
        assert message in capsys.readouterr().err


def test_wrong_numbers_and_programs_are_errors():
    options = _loaded("options")
    assert options.positive("12") == 12
    assert options.interpreter(sys.executable) == sys.executable
    for kind, wrong in (
        (options.positive, "0"),
        (options.positive, "-1"),
        (options.positive, "a"),
        (options.interpreter, "/no/python"),
    ):
        with pytest.raises(argparse.ArgumentTypeError, match=wrong):
            kind(wrong)


PROGRAMS = sorted(
    path.name for path in FOLDER.glob("*.py") if 'if __name__ == "__main__":' in path.read_text()
)


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_an_unknown_option_is_an_error_of_every_program(program):
    done = subprocess.run(
        [sys.executable, str(FOLDER / program), "--no-such-option"],
        capture_output=True,
        text=True,
        check=False,
    )
    missing = re.search(r"No module named '(torch|jax|deepxde|tensorflow)'", done.stderr)
    if missing:
        pytest.skip(f"{missing[1]} is not installed")
    assert done.returncode == 2, done.stderr
    assert f"usage: {program}" in done.stderr


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


def test_threads_are_limited_in_every_library(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_dump_to=/tmp/x")
    environment = _loaded("run").environment
    one = environment(1)
    limited = {name for name, value in one.items() if name.endswith("_THREADS") and value == "1"}
    assert limited >= {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS"}
    assert one["XLA_FLAGS"] == "--xla_dump_to=/tmp/x --xla_cpu_multi_thread_eigen=false"
    assert environment(2)["TF_NUM_INTRAOP_THREADS"] == "2"
    assert environment(2)["XLA_FLAGS"] == environment(0)["XLA_FLAGS"] == "--xla_dump_to=/tmp/x"


def test_workloads_need_numpy_alone():
    code = "import sys; sys.modules['scipy'] = None; import contender"
    subprocess.run([sys.executable, "-c", code], cwd=FOLDER, check=True)


NAMES = [
    "attention",
    "attention block",
    "batch jacobian",
    "batch normalization",
    "chain",
    "convolution",
    "feed-forward",
    "hessian",
    "jacobian",
    "large gelu",
    "large sigmoid",
    "large softmax",
    "large softplus",
    "large tanh",
    "large where",
    "lstm",
    "moves",
    "nested",
    "network",
    "network small",
    "normalization",
    "pooling",
    "rows",
    "single",
]


def test_all_workloads_are_here(workloads):
    assert sorted(workloads) == NAMES


UPDATES = {"moves", "network", "network small", "rows"}  # they return no gradients, or not all


@pytest.mark.parametrize("name", sorted(set(NAMES) - UPDATES))
def test_a_workload_computes_what_it_does_by_hand(name, workloads):
    ways = workloads[name].ways
    found = tf.nest.flatten(ways["tf"](tf, lambda function: function)())
    expected = tf.nest.flatten(ways["numpy"]()())[-len(found) :]  # some also return the value
    for ours, theirs in zip(found, expected, strict=True):
        atol = 1e-5 * max(1, np.max(theirs))
        np.testing.assert_allclose(ours, np.reshape(theirs, ours.shape), rtol=1e-4, atol=atol)


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
