"""Completions of editors after a dot: every public name, and no private one."""

import importlib.util
import sys
from pathlib import Path

import pytest

import gradtape as tf
from gradtape._src.compat.module_names import TENSORFLOW_SHIMS

pytestmark = pytest.mark.slow

jedi = pytest.importorskip("jedi")

SOURCE = Path(__file__).parents[2] / "src"
MODULES = {
    "tf": tf,
    "tf.math": tf.math,
    "tf.linalg": tf.linalg,
    "tf.nn": tf.nn,
    "tf.random": tf.random,
    "tf.strings": tf.strings,
    "tf.data": tf.data,
    "tf.autodiff": tf.autodiff,
    "tf.raw_ops": tf.raw_ops,
    "tf.experimental.numpy": tf.experimental.numpy,
}
KERAS = ["tf.keras", "tf.keras.layers", "tf.losses", "tf.metrics", "tf.optimizers"]
WITH_KERAS = pytest.mark.skipif(
    importlib.util.find_spec("keras") is None, reason="Keras is not installed"
)
FILES = {"cli", "math_special"}  # files of gradtape that are no names of TensorFlow's
PUT_THERE = {path.split(".")[0] for path in TENSORFLOW_SHIMS}
"""TensorFlow's private packages, which `tf` has once somebody asked for them."""
VALUES = {
    "tf.Variable([1.0])": tf.Variable([1.0]),
    "tf.TensorShape([1])": tf.TensorShape([1]),
    "tf.float32": tf.float32,
    "tf.ragged.constant([[1]])": tf.ragged.constant([[1]]),
    "tf.sparse.from_dense([1])": tf.sparse.from_dense([1]),
    "tf.data.Dataset.range(3)": tf.data.Dataset.range(3),
    "tf.function(print)": tf.function(print),
}
TENSORS = [
    "tf.constant([1.0])",
    "(tf.constant([1.0]) * 2.0)",
    "(tf.Variable([1.0]) - 2.0)",
    "tf.constant([1.0])[0]",
    "tf.reduce_sum(tf.constant([1.0]))",
    "tf.linalg.svd(tf.eye(2))[0]",
    pytest.param("tf.keras.layers.Dense(3)(tf.ones([1, 2]))", marks=WITH_KERAS),
]


@pytest.fixture(scope="module")
def proposed():
    """The names that are proposed after an expression and a dot, but for private ones."""
    project = jedi.Project(SOURCE.parent, sys_path=[str(SOURCE), *sys.path])

    def complete(expression, before=""):
        code = f"import gradtape as tf\n{before}{expression}."
        lines = code.split("\n")
        found = jedi.Script(code, project=project).complete(len(lines), len(lines[-1]))
        return {item.name for item in found if not item.name.startswith("_")}

    return complete


def public(value):
    return {name for name in dir(value) if not name.startswith("_")}


@pytest.mark.parametrize("path", MODULES)
def test_names_of_a_module(proposed, path):
    expected = public(MODULES[path])
    assert proposed(path) - FILES == expected - PUT_THERE
    assert len(expected) >= 10


@WITH_KERAS
@pytest.mark.parametrize("path", KERAS)
def test_names_of_keras(proposed, path):
    module = tf
    for name in path.split(".")[1:]:
        module = getattr(module, name)
    assert proposed(path) == public(module)


@pytest.mark.parametrize("expression", VALUES)
def test_attributes_of_a_value(proposed, expression):
    assert proposed(expression) == public(VALUES[expression])


@pytest.mark.parametrize("expression", TENSORS)
def test_methods_of_a_tensor(proposed, expression):
    found = proposed(expression)
    own = {"dtype", "shape", "numpy", "device", "ndim", "ref", "get_shape", "set_shape"}
    assert found >= own
    in_graphs = {"name", "op", "graph", "eval", "consumers", "value_index"}
    assert found - in_graphs <= public(tf.constant(1.0))


def test_methods_of_a_tape(proposed):
    found = proposed("tape", "with tf.GradientTape() as tape:\n    ")
    assert found >= public(tf.GradientTape())
    assert found >= {"gradient", "jacobian", "batch_jacobian", "watch", "reset", "stop_recording"}


@WITH_KERAS
def test_methods_of_a_layer_and_a_model(proposed):
    assert proposed("tf.keras.layers.Dense(3)") >= {"build", "call", "weights", "trainable"}
    model = proposed("tf.keras.Sequential([])")
    assert model >= {"add", "compile", "fit", "predict", "summary", "trainable_variables"}


def test_parameters_of_a_function(proposed):
    code = "import gradtape as tf\ntf.reduce_sum("
    (signature,) = jedi.Script(code).get_signatures(2, len("tf.reduce_sum("))
    names = [parameter.name for parameter in signature.params]
    assert names == ["input_tensor", "axis", "keepdims", "name"]


def test_a_name_that_does_not_exist_gives_nothing(proposed):
    assert proposed("tf.reduce_summ") == set()
