"""A profile sees operations, gradients, functions and more; and nothing is left of it."""

from __future__ import annotations

import builtins
import importlib.util
import inspect
import subprocess
import sys
import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.core.kernels import _cells
from gradtape._src.declare.general import REGISTRY
from gradtape._src.graph.function import Function
from gradtape._src.profiling.recording import Recording


def profiled(run):
    with Recording() as recording:
        run()
    return recording.report


def rows(report):
    return {row.name: row for row in report.operations}


def step(x, w):
    with tf.GradientTape() as tape:
        with tf.name_scope("dense"):
            h = tf.tanh(tf.matmul(x, w))
        loss = tf.reduce_sum(h * 2.0)
    return tape.gradient(loss, w)


FIRST = inspect.getsourcelines(step)[1]
X = tf.constant(np.random.default_rng(0).normal(size=(4, 4)))


def test_operations_forward_and_backward():
    w = tf.Variable(X)
    report = profiled(lambda: step(X, w))
    found = rows(report)
    assert {name: found[name].calls for name in ("MatMul", "Tanh", "Mul", "Sum")} == {
        **dict.fromkeys(("MatMul", "Tanh", "Mul", "Sum"), 1)
    }
    assert all(found[name].backward > 0 for name in ("MatMul", "Tanh", "Mul", "Sum"))
    assert found["MatMul"].bytes >= X.numpy().nbytes
    assert "Transpose" not in found  # of the gradient of MatMul, where it counts


def test_gradients_belong_to_the_lines_and_layers_of_their_operations():
    w = tf.Variable(X)
    report = profiled(lambda: step(X, w))
    layers = {row.name: row for row in report.layers}
    assert layers["dense"].calls == 2
    assert layers["dense"].backward > 0
    lines = {int(row.name.rpartition(":")[2]): row for row in report.lines}
    assert lines[FIRST + 3].calls == 2
    assert lines[FIRST + 3].backward > 0
    assert lines[FIRST + 4].calls == 2
    assert lines[FIRST + 4].backward > 0
    assert all(row.name.startswith(__file__) for row in report.lines)


def test_values_are_the_same():
    w = tf.Variable(X)
    plain = step(X, w).numpy()
    with Recording():
        assert step(X, w).numpy().tolist() == plain.tolist()


def test_nothing_is_left_of_it():
    cells = [cell for primitive in REGISTRY.values() for cell in _cells(primitive)]
    kernels = [cell.cell_contents for cell in cells]

    def replaced():
        methods = (GradientTape.gradient, Function.__call__, tf.Variable.assign, tf.Tensor.numpy)
        return (*methods, builtins.__import__)

    before, threads = replaced(), threading.enumerate()
    report = profiled(lambda: step(X, tf.Variable(X)))
    after = replaced()
    assert after == before
    assert [t for t in threading.enumerate() if t not in threads] == []
    assert all(a is b.cell_contents for a, b in zip(kernels, cells, strict=True))
    calls = sum(row.calls for row in report.operations)
    step(X, tf.Variable(X))
    assert sum(row.calls for row in report.operations) == calls


def test_all_paths_of_an_operation_are_seen():
    x = tf.constant(1.0)

    def run():
        tf.add(x, 1.0)
        x + 1.0
        1.0 + x
        tf.exp(2.0)
        tf.concat([[x], [x]], 0)

    found = rows(profiled(run))
    assert (found["AddV2"].calls, found["Exp"].calls, found["ConcatV2"].calls) == (3, 1, 1)


def test_operations_of_a_graph_have_their_own_lines_and_layers():
    @tf.function
    def f(x):
        with tf.name_scope("inner"):
            y = tf.matmul(x, x)
        return tf.reduce_sum(y)

    line = inspect.getsourcelines(f.python_function)[1]

    def run():
        v = tf.Variable(X)
        for _ in range(3):
            with tf.GradientTape() as tape:
                y = f(v)
            tape.gradient(y, v)

    report = profiled(run)
    layers = {row.name: row for row in report.layers}
    assert rows(report)["MatMul"].calls == 3
    assert layers["inner"].calls >= 3
    assert layers["inner"].backward > 0
    lines = {int(row.name.rpartition(":")[2]): row for row in report.lines}
    assert lines[line + 3].calls == layers["inner"].calls
    (function,) = report.functions
    assert (function.name, function.calls, function.traced) == ("f", 3, 1)
    assert function.tracing > 0


def test_what_xla_compiles():
    pytest.importorskip("jax")

    @tf.function(jit_compile=True)
    def compiled(x):
        return tf.reduce_sum(tf.matmul(x, x))

    def run():
        for _ in range(3):
            compiled(X)

    (function,) = profiled(run).functions
    assert (function.name, function.calls) == ("compiled", 3)
    assert function.compiled >= 1
    assert function.compiling > 0


def test_assignments_data_sets_and_copies():
    def run():
        v = tf.Variable(X)
        v.assign(X)
        v.assign_add(X)
        for element in tf.data.Dataset.range(3):
            element.numpy()
        X.numpy()
        tf.constant(np.ones(100))

    report = profiled(run)
    assert report.phases["assignments"] > 0
    assert report.phases["datasets"] > 0
    copies = {row.name: row for row in report.copies}
    assert copies["Tensor.numpy"].calls == 4
    assert copies["Tensor.numpy"].bytes == 3 * 8 + X.numpy().nbytes
    assert copies["NumPy to tensor"].bytes >= 800


def test_errors_of_operations_end_their_sections():
    def run():
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.matmul(tf.ones((2, 3)), tf.ones((2, 3)))
        tf.matmul(X, X)

    report = profiled(run)
    assert sum(report.phases.values()) == pytest.approx(report.wall)
    assert rows(report)["MatMul"].calls == 2


def test_arrays_of_a_function_are_let_go_of():
    @tf.function
    def f(x):
        return tf.reduce_sum(tf.exp(tf.matmul(x, x)))

    x = tf.Variable(tf.ones((100, 100)))
    with Recording() as recording:
        live = []
        for _ in range(12):
            with tf.GradientTape() as tape:
                y = f(x)
            tape.gradient(y, x)
            live.append(recording._collector.live)
    assert live[-1] <= live[4]


def test_jacobians_are_seen():
    def run():
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.exp(x)
        tape.jacobian(y, x)

    assert rows(profiled(run))["Exp"].backward > 0


def test_the_profiler_is_not_loaded_before_it_is_asked_for():
    program = "import gradtape, sys; print('gradtape._src.profiling.hooks' in sys.modules)"
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert out.stdout == "False\n"


def test_imports_have_a_row(tmp_path, monkeypatch):
    (tmp_path / "slow_module.py").write_text(
        "import time\nstart = time.perf_counter()\ntime.sleep(0.02)\nimport inner_module\n"
        "took = time.perf_counter() - start\n"
    )
    (tmp_path / "inner_module.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)

    def run():
        import slow_module

        assert slow_module

    report = profiled(run)
    assert report.phases["imports"] >= sys.modules["slow_module"].took
    assert [event.name for event in report.events if event.kind == "import"] == [
        "import slow_module"
    ]


@pytest.mark.parametrize("jit_compile", [None, True])
def test_gradients_in_functions_leave_them_graphs(jit_compile):
    if jit_compile:
        pytest.importorskip("jax")
    w = tf.Variable(X)
    function = tf.function(step, jit_compile=jit_compile)
    with Recording() as recording:
        found = function(X, w)
    np.testing.assert_allclose(found, step(X, w), rtol=1e-6)
    assert "as Python" not in function.explain()
    assert "MatMul" in recording.report.picture


@pytest.mark.parametrize("jit_compile", [False, True])
def test_what_keras_computes_in_fit_counts_for_the_line_that_calls_it(jit_compile):
    if importlib.util.find_spec("keras") is None:
        pytest.skip("needs Keras")
    if jit_compile:
        pytest.importorskip("jax")
    model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(2)])
    model.compile(loss="mse", optimizer="sgd", jit_compile=jit_compile)
    report = profiled(lambda: model.fit(tf.ones([4, 3]), tf.ones([4, 2]), verbose=0))
    assert report.operations
    assert {row.name.rpartition(":")[0] for row in report.lines if row.calls} == {__file__}
