"""Names below tf are followed through imports and assignments."""

import pytest

from gradtape._src.cli.name_finder import Place, names_in, tf_names
from gradtape._src.cli.program import load

pytestmark = pytest.mark.slow


def uses_in(path):
    return {name: [str(place) for place in places] for name, places in tf_names(load(path)).items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import tensorflow as tf\ntf.add(tf.abs(1), 2)", {"add": ["2"], "abs": ["2"]}),
        ("import tensorflow\ntensorflow.math.sin(1)", {"math.sin": ["2"]}),
        ("import tensorflow.math as m\nm.sin(1)", {"math": ["1"], "math.sin": ["2"]}),
        ("import tensorflow.math\ntensorflow.add", {"math": ["1"], "add": ["2"]}),
        (
            "from tensorflow.keras import layers as L, Model\nL.Dense(1)\nclass M(Model): x = 1",
            {"keras.layers": ["1"], "keras.Model": ["1", "3"], "keras.layers.Dense": ["2"]},
        ),
        (
            "import tensorflow.compat.v1 as tf\ntf.placeholder",
            {"compat.v1": ["1"], "compat.v1.placeholder": ["2"]},
        ),
        ("from tensorflow.math import *", {"math": ["1"]}),
        (
            "import tensorflow as tf\nK = tf.keras.backend\nK.epsilon()",
            {"keras.backend": ["2"], "keras.backend.epsilon": ["3"]},
        ),
        ("import tensorflow as tf\ntf.constant(1).numpy().mean()", {"constant": ["2"]}),
        ("import tensorflow as tf\nx = tf.zeros\nx = []\nx.append(1)", {"zeros": ["2"]}),
        ("def f():\n  import tensorflow as tf\n  return tf.zeros(1)", {"zeros": ["3"]}),
        (
            "from tensorflow.keras import layers\ndef f(layers): return layers.append(1)",
            {"keras.layers": ["1"]},
        ),
        ("import tensorflow as tf\nf = lambda tf: tf.zeros", {}),
        ("import tensorflow as tf\nx = [tf.zeros for tf in y]\ntf.ones", {"ones": ["3"]}),
        ("import tensorflow as tf\nfor tf in y: tf.zeros", {}),
        (
            "import tensorflow as tf\ndef f(d):\n  if d: d = tf.float32\n  return d.pop()",
            {"float32": ["3"]},
        ),
        (
            "import tensorflow as tf\nclass A:\n  d = tf.math\n  e = d.sin\n  def f(self): d.cos",
            {"math": ["3"], "math.sin": ["4"]},
        ),
        (
            "import tensorflow as tf\ndef f():\n  K = tf.keras\n  return lambda: K.Model",
            {"keras": ["3"], "keras.Model": ["4"]},
        ),
        (
            "import tensorflow as tf\ndef f():\n  global K\n  K = tf.math\n  K.sin",
            {"math": ["4"], "math.sin": ["5"]},
        ),
        ("import numpy as tf\ntf.sin(1)", {}),
        ("import gradtape as tf\ntf.add(1, 2)", {"add": ["2"]}),
        ("from gradtape.math import sin\nsin(1)", {"math.sin": ["1", "2"]}),
        ("from .tensorflow import x", {}),
    ],
)
def test_names(script, text, expected):
    assert uses_in(script(text)) == expected


def test_cells_share_aliases_and_count_for_themselves(notebook):
    path = notebook("%matplotlib inline\nimport tensorflow as tf", "x = 1\ntf.abs(tf.abs(x))")
    assert uses_in(path) == {"abs": ["2:2"]}
    assert str(Place(0, 3)) == "3"


def test_names_that_a_program_assigns(script):
    text = "import tensorflow as tf\ntf.a = 1\nK = tf.keras\nK.b = 2\nsetattr(tf, 'c', 3)\nx.d = 4"
    found = names_in(load(script(text)))
    assert {path: place.line for path, place in found.replaced.items()} == {
        "a": 2,
        "keras.b": 4,
        "c": 5,
    }
