"""Libraries import public functions from TensorFlow's private modules that define them."""

import importlib

import pytest

import gradtape as tf
from gradtape._src.compat.names import tensorflow_names
from gradtape._src.compat.private_modules import RAW, private_homes, private_module

tf.install()
OPS = "tensorflow.python.ops"


@pytest.mark.parametrize(
    ("module", "name", "public"),
    [
        ("python.ops.array_ops", "expand_dims_v2", "expand_dims"),
        ("python.ops.array_ops", "expand_dims", "compat.v1.expand_dims"),
        ("python.ops.math_ops", "reduce_sum_v1", "compat.v1.reduce_sum"),
        ("python.ops.math_ops", "reduce_sum", "reduce_sum"),
        ("python.ops.nn", "moments_v2", "nn.moments"),
        ("python.ops.standard_ops", "where_v2", "where"),
        ("python.framework.dtypes", "bfloat16", "bfloat16"),
        ("python.framework.smart_cond", "smart_cond", "__internal__.smart_cond.smart_cond"),
        ("python.training.saver", "Saver", "compat.v1.train.Saver"),
        ("python.framework.ops", "device_v2", "device"),  # which the look-alike lacks
    ],
)
def test_a_private_name_is_the_public_one(module, name, public):
    value = tf
    for part in public.split("."):
        value = getattr(value, part)
    assert getattr(importlib.import_module(f"tensorflow.{module}"), name) is value


def test_each_path_is_one_of_tensorflow():
    names = tensorflow_names()
    for module, found in private_homes().items():
        for name, path in found.items():
            if path == RAW:
                continue
            space, _, last = path.rpartition(".")
            inside = names.inside(space)
            assert inside is None or last in inside or "compat" in path, (module, name, path)


def test_generated_functions_take_positional_arguments():
    ops = importlib.import_module(f"{OPS}.gen_array_ops")
    assert ops.reshape([1, 2], [2, 1]).shape == (2, 1)
    assert ops.gather_v2([1, 2, 3], [2], axis=0).numpy().tolist() == [3]
    with pytest.raises(TypeError):
        ops.reshape([1, 2], [2, 1], "name", 3)
    with pytest.raises(AttributeError, match="no_such_operation"):
        _ = ops.no_such_operation


def test_names_that_gradtape_lacks():
    ops = importlib.import_module(f"{OPS}.array_ops")
    with pytest.raises(AttributeError, match="internal to TensorFlow"):
        _ = ops.no_such_name
    with pytest.raises(ImportError, match="no_such_module"):
        exec("from tensorflow.python.ops import no_such_module")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        importlib.import_module("tensorflow.python.no_such_module")
    assert private_module("math") is None


def test_packages_have_their_modules():
    python = importlib.import_module("tensorflow.python")
    assert python.ops.array_ops.rank is tf.rank
    assert not hasattr(python, "nothing")
    assert "expand_dims_v2" in dir(python.ops.array_ops)
    assert "executing_eagerly" in dir(importlib.import_module("tensorflow.python.eager.context"))
