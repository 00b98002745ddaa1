"""The stub that checkers read of `core.operators` says what the rooms register at run time."""

import ast
import inspect
from pathlib import Path

import pytest

import gradtape as tf
from gradtape._src.core import operators

pytestmark = pytest.mark.slow

STUB = ast.parse(Path(operators.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
HIDDEN = {
    # There after `experimental_enable_numpy_behavior` alone: without it, a mistake.
    "TensorMethods": {
        *("T", "data", "size", "astype", "clip", "flatten", "max", "mean", "min", "ravel"),
        *("reshape", "tolist", "transpose", "__round__"),
        # Of slices of variables: `VariableSlice` has them.
        *("assign", "assign_add", "assign_sub"),
    },
    # They refuse, or make variables of other classes: checkers look at `Variable.__init__`.
    "VariableMethods": {
        *("__new__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__"),
    },
}
METHODS = [
    (node.name, method)
    for node in STUB.body
    if isinstance(node, ast.ClassDef)
    for method in node.body
    if isinstance(method, ast.FunctionDef)
]


@pytest.mark.parametrize("owner", ["Operators", "TensorMethods", "VariableMethods"])
def test_the_stub_has_the_declared_methods(owner):
    declared = getattr(operators, owner).__annotations__.keys()
    assert {m.name for o, m in METHODS if o == owner} == declared - HIDDEN.get(owner, set())


@pytest.mark.parametrize(("owner", "method"), METHODS, ids=lambda m: getattr(m, "name", m))
def test_parameters_are_those_at_run_time(owner, method):
    if owner == "VariableSlice":
        run = getattr(tf.Variable([1.0, 2.0])[:1], method.name)
        names = list(inspect.signature(run).parameters)
    else:
        run = inspect.getattr_static(getattr(operators, owner), method.name)
        if isinstance(run, staticmethod):
            return
        names = list(inspect.signature(run).parameters)[1:]
    stub = [a.arg for a in (*method.args.posonlyargs, *method.args.args)][1:]
    if method.args.posonlyargs:  # operators are not called by name
        assert len(stub) == len(names)
    else:
        assert stub == names


@pytest.mark.parametrize(
    "name", [m.name for o, m in METHODS if o == "Operators"], ids=lambda name: name.strip("_")
)
def test_an_operator_gives_a_tensor(name):
    whole = name.strip("_").removeprefix("r") in ("and", "or", "xor", "invert")
    x = tf.Variable([[1, 2], [3, 4]] if whole else [[1.0, 2.0], [3.0, 4.0]])
    run = getattr(operators.Operators, name)
    others = [0] if name == "__getitem__" else [x]
    unary = name in ("__neg__", "__abs__", "__invert__")
    for value in (x, x.read_value()):
        assert type(run(value) if unary else run(value, *others)) is tf.Tensor
