"""`gradtape.install` makes gradtape answer to the name `tensorflow`."""

import importlib
import subprocess
import sys

import pytest

from gradtape._src.compat.alias import resolve

pytestmark = pytest.mark.slow


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "code",
    [
        "import tensorflow as tf; assert tf is gradtape",
        "import tensorflow.math; assert tensorflow.math is gradtape.math",
        "import tensorflow.math as m; assert m is gradtape.math",
        "from tensorflow import math as m; assert m is gradtape.math",
        "from tensorflow.math import sin; assert sin is gradtape.math.sin",
        "assert gradtape.install() is gradtape.install()",
        "import tensorflow.math as m; assert m.__spec__.name == m.__name__ == 'gradtape.math'",
        "import tensorflow, importlib; importlib.import_module('tensorflow.math')",
        "import os; assert os.environ['KERAS_BACKEND'] == 'tensorflow'",
    ],
)
def test_every_way_of_importing(code):
    result = python(f"import gradtape; gradtape.install()\n{code}")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("module", ["no_such_thing", "math.no_such_thing", "math.sin"])
def test_a_module_that_gradtape_lacks(module):
    result = python(f"import gradtape; gradtape.install()\nimport tensorflow.{module}")
    assert f"ModuleNotFoundError: No module named 'tensorflow.{module}'" in result.stderr
    assert f"'tf.{module}'" in result.stderr


def test_a_name_that_keras_lacks():
    pytest.importorskip("gradtape.keras")
    with pytest.raises(AttributeError, match=r"'tf\.keras\.layers\.Dens', as Keras 3"):
        resolve("keras.layers.Dens")
    with pytest.raises(ModuleNotFoundError, match="Keras 3 lacks this name"):
        importlib.import_module("tensorflow.keras.no_such_thing")


def test_the_real_tensorflow_is_not_replaced():
    result = python(
        "import sys, types; sys.modules['tensorflow'] = types.ModuleType('tensorflow')\n"
        "import gradtape; gradtape.install()"
    )
    assert "ImportError: the real tensorflow is imported already" in result.stderr


FOUND_BY_LIBRARIES = """
import copy, importlib.metadata, importlib.util, pickle
import gradtape
x, v = gradtape.constant([1.0, 2.0]), gradtape.Variable([1.0])
before = pickle.dumps(x)
gradtape.install()
import tensorflow as tf
assert type(x).__module__.split(".")[0] == type(v).__module__.split(".")[0] == "tensorflow"
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.ops.numpy_ops import np_config
assert type(x) == EagerTensor and callable(np_config.enable_numpy_behavior)
assert isinstance(x, EagerTensor) and {EagerTensor: 1}[type(x)] == 1
assert tf.function(lambda y: tf.constant(isinstance(y, EagerTensor)))(x).numpy() == False
import tensorflow.python as internal
assert hasattr(internal.eager.tape, "should_record_backprop") and not hasattr(internal, "nothing")
for data in (before, pickle.dumps(x)):
    assert pickle.loads(data).numpy().tolist() == [1.0, 2.0]
assert pickle.loads(pickle.dumps(v)).numpy() == copy.deepcopy(v).numpy() == 1.0
assert pickle.loads(pickle.dumps(tf.constant(["a", "b"])))[1] == b"b"
assert importlib.metadata.version("tensorflow") == tf.__version__ == tf.version.VERSION
assert importlib.util.find_spec("tensorflow") is not None
import tensorflow.compat.v2 as tf2
assert tf2.reduce_sum is tf.reduce_sum
"""


@pytest.mark.slow
def test_libraries_find_tensorflow():
    subprocess.run([sys.executable, "-W", "error", "-c", FOUND_BY_LIBRARIES], check=True)
