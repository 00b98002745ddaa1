"""`gradtape doctor` finds the tf names in a program by reading it."""

import json

import pytest

from gradtape._cli.doctor import Place, tf_names
from gradtape._cli.program import load


def names_in(path):
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
        ("import numpy as tf\ntf.sin(1)", {}),
        ("from .tensorflow import x", {}),
    ],
)
def test_names(script, text, expected):
    assert names_in(script(text)) == expected


def test_cells_share_aliases_and_count_for_themselves(notebook):
    path = notebook("%matplotlib inline\nimport tensorflow as tf", "x = 1\ntf.abs(tf.abs(x))")
    assert names_in(path) == {"abs": ["2:2"]}
    assert str(Place(0, 3)) == "3"


def test_all_there(gradtape, script):
    result = gradtape("doctor", script("import tensorflow as tf\ntf.constant(1)\n"))
    assert result.returncode == 0
    assert "all of them in gradtape" in result.stdout
    assert "tf.constant" in result.stdout


def test_some_lacking(gradtape, script, notebook):
    good = script("import tensorflow as tf\ntf.constant(1)\n")
    book = notebook("import tensorflow as tf", "tf.constant(1)\ntf.no_such_thing")
    result = gradtape("doctor", good, book)
    assert result.returncode == 1
    assert "2 tf names, 1 of them lacking" in result.stdout
    row = next(line for line in result.stdout.splitlines() if "no_such_thing" in line)
    assert "2:2" in row
    assert "no" in row.split()


def test_a_program_without_tensorflow(gradtape, script):
    result = gradtape("doctor", script("print(1)\n"))
    assert (result.returncode, result.stderr) == (0, "")
    assert "no tf names" in result.stdout


def test_json(gradtape, script, notebook):
    path = script("import tensorflow as tf\ntf.constant(1)\ntf.no_such_thing\n")
    book = notebook("import tensorflow as tf\ntf.constant")
    result = gradtape("doctor", "--json", path, book)
    assert result.returncode == 1
    first, second = json.loads(result.stdout)
    assert first == {
        "file": str(path),
        "names": [
            {
                "name": "tf.no_such_thing",
                "available": False,
                "places": [{"cell": None, "line": 3}],
            },
            {"name": "tf.constant", "available": True, "places": [{"cell": None, "line": 2}]},
        ],
        "lacking": ["tf.no_such_thing"],
    }
    assert second["names"][0]["places"] == [{"cell": 1, "line": 2}]
