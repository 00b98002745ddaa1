"""What is said of names that gradtape lacks, from the list of TensorFlow's."""

import copy
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import gradtape as tf
from gradtape import _names
from gradtape._names import explain, first_unknown, plain, tensorflow_names

ELSEWHERE = {"gradtape.cli", "gradtape.keras", "gradtape.__main__"}


def namespaces():
    for found in pkgutil.walk_packages(tf.__path__, "gradtape."):
        private = any(p[0] == "_" and p != "__internal__" for p in found.name.split("."))
        if not private and found.name not in ELSEWHERE:
            yield found.name


def a_lacking(space):
    module = importlib.import_module(f"gradtape.{space}")
    return min(n for n in tensorflow_names().modules[space] if not hasattr(module, n))


@pytest.mark.parametrize("name", ["gradtape", *namespaces()])
def test_every_namespace_says_that_a_name_is_not_tensorflows(name):
    module = importlib.import_module(name)
    with pytest.raises(AttributeError, match=r"has no 'tf\.[\w.]*no_such_thing'"):
        module.no_such_thing  # noqa: B018
    assert not hasattr(module, "_no_such_thing")


@pytest.mark.parametrize("space", ["raw_ops", "compat.v1"])
def test_a_name_that_is_not_there_yet(space):
    name = a_lacking(space)
    module = importlib.import_module(f"gradtape.{space}")
    with pytest.raises(AttributeError, match=f"gradtape has no 'tf.{space}.{name}' yet") as caught:
        getattr(module, name)
    assert "gradtape doctor" in str(caught.value)
    assert "docs/api.md" in str(caught.value)
    assert caught.value.name == name
    assert caught.value.obj is module


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("reduce_sm", "the nearest: tf.reduce_sum"),
        ("math.special.bessel_l0", "tf.math.special.bessel_k0"),
        ("raw_ops.Conv2d", "the nearest: tf.raw_ops.Conv2D"),
        ("sinc_of", "has no 'tf.sinc_of', nor has gradtape"),
        ("contrib.layers.conv2d", "has no 'tf.contrib', nor has gradtape"),
        ("data.Dataset.form_tensor_slices", "tf.data.Dataset.from_tensor_slices"),
        ("log", "it is tf.compat.v1.log, and in TensorFlow 2 tf.math.log"),
        ("placeholder", "it is tf.compat.v1.placeholder"),
        ("python.framework.ops", "inside of TensorFlow"),
    ],
)
def test_what_somebody_may_have_meant(path, said):
    assert said in explain(path)


def test_paths():
    assert first_unknown("math.sin") == first_unknown("data.TFRecordDataset.map") == ""
    assert first_unknown("data.Dataset.foo") == "data.Dataset.foo"
    assert first_unknown("keras.layers.Foo") is None
    assert first_unknown("float32.foo") is None
    assert plain("compat.v2.compat.v1.math.sin") == "compat.v1.math.sin"
    assert plain("compat.v2.math.sin") == "math.sin"


def test_the_list_is_whole():
    names = tensorflow_names()
    assert names.version == "2.21.0"
    assert {"add", "GradientTape", "math", "__version__"} <= names.modules[""]
    assert len(names.modules["raw_ops"]) > 1400
    assert names.modules["compat.v1.raw_ops"] == names.modules["raw_ops"]
    assert "placeholder" in names.modules["compat.v1"] - names.modules[""]
    assert "DistributedDataset" not in names.modules["compat.v1.distribute"]
    assert {"map", "element_spec"} <= names.classes["data.TFRecordDataset"]


def test_tools_that_look_at_modules_are_not_disturbed():
    assert inspect.getmodule(tf.math) is tf.math
    assert inspect.unwrap(tf.math) is tf.math
    assert copy.copy(tf.math.sin) is pickle.loads(pickle.dumps(tf.math.sin)) is tf.math.sin
    with pytest.raises(ImportError, match="cannot import name"):
        from gradtape.math import no_such_thing  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match="is not a package"):
        importlib.import_module("gradtape.bitwise.foo")


def test_the_list_is_read_only_when_a_name_is_lacking():
    code = (
        "import gradtape as tf; from gradtape import _names as n\n"
        "hasattr(tf, '_foo'), hasattr(tf.math, '__wrapped__')\n"
        "assert n.tensorflow_names.cache_info().currsize == 0\n"
        "assert not hasattr(tf.math, 'foo')\n"
        "assert n.tensorflow_names.cache_info().currsize == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_module_that_says_it_itself_is_left_alone(monkeypatch):
    module = ModuleType("gradtape.own")
    module.__getattr__ = str.upper
    monkeypatch.setitem(sys.modules, "gradtape.own", module)
    _names.guard()
    assert module.anything == "ANYTHING"
