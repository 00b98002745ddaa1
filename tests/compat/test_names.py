"""Messages about names that gradtape lacks, from the list of TensorFlow's names."""

import copy
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys
from functools import reduce
from types import ModuleType

import hypothesis
import hypothesis.strategies
import pytest

import gradtape as tf
from gradtape._src.compat import names as _names
from gradtape._src.compat.names import explain, first_unknown, plain, tensorflow_names

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


def test_a_name_that_is_not_there_yet():
    name = a_lacking("raw_ops")
    module = importlib.import_module("gradtape.raw_ops")
    with pytest.raises(AttributeError, match=f"gradtape has no 'tf.raw_ops.{name}' yet") as caught:
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
        ("contrib.layers.conv2d", "gradtape leaves out 'tf.contrib.layers.conv2d'"),
        ("data.Dataset.form_tensor_slices", "tf.data.Dataset.from_tensor_slices"),
        ("log", "it is tf.compat.v1.log, and in TensorFlow 2 tf.math.log"),
        ("placeholder", "it is tf.compat.v1.placeholder"),
        ("compat.v1.Sesion", "the nearest: tf.compat.v1.Session"),
        ("keras.layer", "has no 'tf.keras.layer', as Keras 3 lacks this name"),
        ("python.framework.ops", "internal to TensorFlow"),
    ],
)
def test_what_somebody_may_have_meant(path, said):
    assert said in explain(path)


def test_an_old_name_is_not_said_to_be_now_what_merely_sounds_like_it():
    assert explain("Session").endswith("has no 'tf.Session': it is tf.compat.v1.Session")
    for path in tensorflow_names().modules["compat.v1"] - tensorflow_names().modules[""]:
        _, _, now = explain(path).partition("and in TensorFlow 2 tf.")
        assert not now or now.rpartition(".")[2] == path


SPACES = sorted(n for n in tensorflow_names().modules if not n.startswith("compat.v2"))


@pytest.mark.slow
@hypothesis.given(hypothesis.strategies.data())
def test_a_misspelt_name_is_named_whole_and_the_right_one_is_suggested(data):
    draw = data.draw
    space = draw(hypothesis.strategies.sampled_from(SPACES))
    names = tensorflow_names().modules[space]
    long = sorted(n for n in names if len(n) > 5 and n[0] != "_")
    hypothesis.assume(long and space.partition(".")[0] not in _names.INTERNAL_PACKAGES)
    right = draw(hypothesis.strategies.sampled_from(long))
    at = draw(hypothesis.strategies.integers(1, len(right) - 1))
    wrong = right[:at] + right[at + 1 :]
    path, meant = f"{space}.{wrong}".lstrip("."), f"{space}.{right}".lstrip(".")
    hypothesis.assume(wrong not in names and first_unknown(path) == path)
    hypothesis.assume(not _names.old_name(path))
    hypothesis.assume(wrong.lower().replace("_", "") != right.lower().replace("_", ""))
    said = explain(path)
    assert f"has no 'tf.{path}', nor has gradtape" in said
    assert f"tf.{meant}" in said.partition("; the nearest: ")[2].split(", "), said


def space_of(path):
    """A namespace of gradtape; None if it lacks all of it, or Keras has it."""
    if path.partition(".")[0] in {"losses", "metrics", "optimizers", "initializers"}:
        return None
    try:
        return reduce(getattr, filter(None, path.split(".")), tf)
    except AttributeError:
        return None


@pytest.mark.parametrize("space", [s for s in SPACES if space_of(s) is not None])
def test_every_space_names_a_wrong_name_under_its_own_path(space):
    module = space_of(space)
    with pytest.raises(AttributeError) as caught:
        module.qqxyzzyqq  # noqa: B018
    said = str(caught.value)
    assert f"'tf.{space}.qqxyzzyqq'".replace("..", ".") in said
    assert "tf.tf" not in said
    assert ".." not in said
    assert "nearest" not in said


def test_keras_says_what_it_has_not():
    pytest.importorskip("keras")
    for tensorflow in (tf, tf.compat.v1, tf.compat.v2):
        with pytest.raises(AttributeError, match=r"no 'tf\.keras\.layer', as .*tf\.keras\.layers"):
            tensorflow.keras.layer  # noqa: B018
    assert tf.compat.v1.keras is tf.keras
    assert "tf.keras.layers.Dense" in explain("keras.layers.Dens")
    assert "tf.keras.layers" in explain("keras.layerz.Dense")


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


@pytest.mark.slow
def test_the_list_is_read_only_when_a_name_is_lacking():
    code = (
        "import gradtape as tf; from gradtape._src.compat import names as n\n"
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


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("sum", "math.reduce_sum"),
        ("array", "constant"),
        ("cat", "concat"),
        ("unsqueeze", "expand_dims"),
        ("linalg.inverse", "linalg.inv"),
        ("contrib", "keras"),
    ],
)
def test_words_of_other_libraries_have_a_name_here(word, name):
    assert _names.nearest(word) == (name,)


def test_every_name_for_a_word_of_another_library_is_there():
    for word, name in _names._ELSEWHERE.items():
        assert reduce(getattr, name.split("."), tf) is not None, word
        assert first_unknown(word) not in ("", None), word


def test_names_below_keras_have_the_nearest_ones():
    pytest.importorskip("gradtape.keras")
    for space, name, near in (
        (tf.keras.layers, "Densee", "tf.keras.layers.Dense"),
        (tf.keras.optimizers.schedules, "CosineDeca", "tf.keras.optimizers.schedules.CosineDecay"),
    ):
        with pytest.raises(AttributeError, match=f"Keras 3 lacks this name; the nearest: {near}"):
            getattr(space, name)
