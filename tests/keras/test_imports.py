"""When and how Keras is loaded."""

import os
import subprocess
import sys

import pytest

import gradtape as tf

pytestmark = pytest.mark.slow


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize(
    "code",
    [
        "import sys, gradtape; assert 'keras' not in sys.modules",
        """
from gradtape.keras.layers import Dense
import gradtape.keras.backend as K
import gradtape as tf
assert Dense is tf.keras.layers.Dense
assert K is tf.keras.backend
""",
        """
import gradtape; gradtape.install()
from tensorflow.keras import layers
import tensorflow.keras.backend as K, keras
assert layers.Dense is keras.layers.Dense
""",
        """
import gradtape as tf
tf.optimizers.Adam, tf.metrics.Mean, tf.initializers.Zeros
assert tf.losses.MeanSquaredError is tf.keras.losses.MeanSquaredError
""",
        "import gradtape; gradtape.install()\nimport keras\nassert gradtape.keras.layers.Dense",
    ],
)
def test_every_way_to_keras(code):
    result = python(code)
    assert (result.returncode, result.stderr) == (0, "")


def test_jax_is_not_imported_with_keras():
    pytest.importorskip("jax")
    result = python("""
import sys
import gradtape as tf
assert tf.keras.callbacks.OrbaxCheckpoint
assert "jax" not in sys.modules
import jax
from keras.src.callbacks import orbax_checkpoint
assert orbax_checkpoint.__builtins__["__import__"]("jax") is jax
""")
    assert (result.returncode, result.stderr) == (0, "")


def test_jax_that_is_imported_before_keras_stays():
    pytest.importorskip("jax")
    result = python("""
import jax
import gradtape as tf
assert tf.keras
from keras.src.callbacks import orbax_checkpoint
assert orbax_checkpoint.jax is jax
""")
    assert (result.returncode, result.stderr) == (0, "")


def test_another_back_end_in_the_environment_is_no_obstacle():
    result = python(
        "import gradtape as tf; print(tf.keras.config.backend())", KERAS_BACKEND="numpy"
    )
    assert result.stdout == "tensorflow\n", result.stderr


def test_keras_with_another_back_end_is_there_already():
    result = python(
        "import sys, types; sys.modules['keras'] = keras = types.ModuleType('keras')\n"
        "keras.config = types.SimpleNamespace(backend=lambda: 'jax')\n"
        "import gradtape as tf\ntf.keras"
    )
    assert "ImportError: Keras is imported already, with the back end 'jax'" in result.stderr


def test_keras_is_not_installed():
    result = python(
        "import sys; sys.modules['keras'] = None\ndel sys.modules['keras']\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'keras' else find(name, *rest)\n"
        "import gradtape as tf\ntf.keras.layers"
    )
    assert "ModuleNotFoundError" in result.stderr
    assert 'pip install "gradtape[keras]"' in result.stderr


def test_the_real_tensorflow_is_there_already():
    result = python(
        "import sys, types; sys.modules['tensorflow'] = types.ModuleType('tensorflow')\n"
        "import gradtape as tf\ntf.keras"
    )
    assert "ImportError: the real tensorflow is imported already" in result.stderr


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match=r"has no 'tf\.no_such_thing'") as caught:
        assert tf.no_such_thing
    assert (caught.value.name, caught.value.obj) == ("no_such_thing", tf)
