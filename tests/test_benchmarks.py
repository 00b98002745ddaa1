"""What benchmarks time is traced and compiled whole, and gives the same in every mode."""

import importlib.util
import sys
from pathlib import Path

import pytest

import gradtape as tf

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def workloads():
    spec = importlib.util.spec_from_file_location("workloads", FOLDER / "workloads.py")
    module = sys.modules["workloads"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.WORKLOADS


NAMES = [
    "batch jacobian",
    "chain",
    "hessian",
    "jacobian",
    "large softmax",
    "large tanh",
    "large where",
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
