"""The manifest of modules that are imported by a name in a string: each of them is there."""

import importlib
import importlib.util

import pytest

import gradtape as tf
from gradtape._src.compat import module_names

NAMES = {
    name: value for name, value in vars(module_names).items() if name.isupper() and name[0] != "_"
}
MODULES = sorted(
    {
        module
        for value in NAMES.values()
        for module in ([value] if isinstance(value, str) else value.values())
    }
)


@pytest.mark.parametrize("name", MODULES)
def test_each_module_of_the_manifest_exists(name):
    assert importlib.util.find_spec(name) is not None


@pytest.mark.parametrize("path", sorted(module_names.TENSORFLOW_SHIMS))
def test_each_module_inside_of_tensorflow_can_be_imported(path):
    tf.install()
    found = importlib.import_module(f"tensorflow.{path}")
    shim = importlib.import_module(module_names.TENSORFLOW_SHIMS[path])
    names = [name for name in vars(shim) if not name.startswith("_")]
    assert names
    assert all(getattr(found, name) is getattr(shim, name) for name in names)


def test_the_manifest_holds_data_alone():
    assert all(isinstance(value, (str, dict)) for value in NAMES.values())
    assert all(name in NAMES or name.startswith("__") for name in vars(module_names))
