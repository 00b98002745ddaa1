"""Whatever way a program's lines are run, its tracebacks are short and end with its own line."""

from __future__ import annotations

import importlib.util

import pytest

import gradtape as tf

from .running import run
from .ways import WAYS

NO_ERROR = {"concrete_bad_args"}
"""Programs that TensorFlow runs, too."""


def raised(name):
    if "keras" in WAYS[name] and importlib.util.find_spec("keras") is None:
        pytest.skip("needs Keras")
    if "jit_compile=True" in WAYS[name]:
        pytest.importorskip("jax")
    return run(name, WAYS[name], tf)


@pytest.fixture(params=[2, pytest.param(1, marks=pytest.mark.slow)])
def limit(request):
    if request.param == 1:
        tf.debugging.enable_traceback_filtering()
    return request.param


@pytest.mark.parametrize("name", WAYS)
def test_frames_of_the_library(name, limit):
    found = raised(name)
    assert found.kind or name in NO_ERROR
    assert found.frames <= limit


IN_FUNCTION = [
    *("eager", "function_trace", "function_run", "function_nested_run", "function_cond", "jit"),
    *("function_tape", "jit_loop", "jit_gradient", "keras_fit", "keras_fit_eagerly"),
    *("keras_fit_jit", "keras_fit_runtime", "keras_train_step", "keras_predict", "keras_evaluate"),
    *("keras_callback", "keras_metric", "keras_fit_dataset", "data_map", "data_map_run"),
    *("data_map_parallel", "data_filter", "data_interleave", "data_scan", "data_in_function"),
    *("session_run", "session_build", "distribute_eager", "distribute_function"),
    *("distribute_function_run", "distribute_fit", "while_loop", "cond", "map_fn", "recompute"),
    *("vectorized_map", "custom_gradient", "jacobian", "hessian", "module", "method_function"),
]


@pytest.mark.parametrize("name", IN_FUNCTION)
def test_the_line_at_fault_is_shown(name):
    last = raised(name).lines[-1].strip()
    assert any(word in last for word in ("matmul", "gather")), last
