"""`gradtape.install` makes gradtape answer to the name `tensorflow`."""

import subprocess
import sys

import pytest


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


@pytest.mark.parametrize("module", ["no_such_thing", "math.no_such_thing", "math.sin"])
def test_a_module_that_gradtape_lacks(module):
    result = python(f"import gradtape; gradtape.install()\nimport tensorflow.{module}")
    assert f"ModuleNotFoundError: No module named 'tensorflow.{module}'" in result.stderr
    assert f"'tf.{module}'" in result.stderr


def test_the_real_tensorflow_is_not_replaced():
    result = python(
        "import sys, types; sys.modules['tensorflow'] = types.ModuleType('tensorflow')\n"
        "import gradtape; gradtape.install()"
    )
    assert "ImportError: the real tensorflow is imported already" in result.stderr
