"""`gradtape doctor` finds the tf names in a program by reading it."""

import importlib
import json

import pytest

from gradtape._src.cli import doctor
from gradtape._src.cli.doctor import Place, judge, tf_names
from gradtape._src.cli.program import load
from gradtape._src.compat.names import tensorflow_names

pytestmark = pytest.mark.slow


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


@pytest.mark.parametrize(
    ("path", "state", "note"),
    [
        ("math.sin", "THERE", ""),
        ("compat.v2.math.sin", "THERE", ""),
        ("data.Dataset.from_tensor_slices", "THERE", ""),
        ("compat.v1.Sesion", "UNKNOWN", "tf.compat.v1.Session"),
        ("compat.v1.keras.layers.Dense", "THERE", ""),
        ("compat.v1.keras.layers.Dens", "UNKNOWN", "Keras 3 lacks this name"),
        ("Session", "UNKNOWN", "TensorFlow 1's, now tf.compat.v1.Session"),
        ("reduce_sm", "UNKNOWN", "the nearest: tf.reduce_sum"),
        ("data.Dataset.from_slices", "UNKNOWN", "tf.data.Dataset.from_tensor_slices"),
        ("log", "UNKNOWN", "TensorFlow 1's, now tf.compat.v1.log or tf.math.log"),
        ("keras.layers.Dens", "UNKNOWN", "Keras 3 lacks this name"),
        ("python.framework.nothing", "INSIDE", ""),
    ],
)
def test_what_is_known_of_a_name(path, state, note):
    if "keras" in path:
        pytest.importorskip("gradtape.keras")
    use = judge(path, [])
    assert use.state.name == state
    assert note in use.note


@pytest.mark.parametrize("space", ["raw_ops", "compat.v1"])
def test_a_name_that_is_not_there_yet(space):
    lacking = (name for name in tensorflow_names().modules[space] if not has(f"{space}.{name}"))
    use = judge(f"{space}.{next(lacking)}", [])
    assert (use.state.name, use.note, use.lacking) == ("NOT_YET", "", True)


def has(path):
    return judge(path, []).state.name == "THERE"


def test_a_name_that_needs_an_extra(monkeypatch):
    monkeypatch.setattr(doctor, "resolve", lambda path: importlib.import_module("no.such.module"))
    use = judge("keras.layers", [])
    assert (use.state.name, use.note) == ("EXTRA", "No module named 'no'")


def test_some_lacking(gradtape, script, notebook):
    good = script("import tensorflow as tf\ntf.constant(1)\n")
    book = notebook("import tensorflow as tf", "tf.constant(1)\ntf.no_such_thing")
    result = gradtape("doctor", good, book)
    assert result.returncode == 1
    assert "2 tf names, 1 of them lacking (1 not a TensorFlow name)" in result.stdout
    row = next(line for line in result.stdout.splitlines() if "no_such_thing" in line)
    assert "2:2" in row
    assert "not a TensorFlow name" in row


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
                "state": "unknown",
                "note": "",
                "places": [{"cell": None, "line": 3}],
            },
            {
                "name": "tf.constant",
                "available": True,
                "state": "there",
                "note": "",
                "places": [{"cell": None, "line": 2}],
            },
        ],
        "lacking": ["tf.no_such_thing"],
        "traps": [],
    }
    assert second["names"][0]["places"] == [{"cell": 1, "line": 2}]


def test_what_is_no_program(gradtape, script, notebook, tmp_path):
    good = script("import tensorflow as tf\ntf.constant(1)\n")
    broken = notebook("x = 1", "def f(:")
    for path, said in [
        (tmp_path, "is a directory"),
        (tmp_path / "none.py", "no such file"),
        (script("import (", "bad.py"), "line 1: SyntaxError"),
        (broken, "cell 2, line 1: SyntaxError"),
        (script("{}", "empty.ipynb"), "no Jupyter notebook"),
        (script("x", "data.txt"), "neither a .py nor an .ipynb file"),
    ]:
        result = gradtape("doctor", good, path)
        assert (result.returncode, result.stdout) == (2, "")
        assert said in result.stderr
        assert "Traceback" not in result.stderr


def test_traps_are_shown_and_do_not_change_the_status(gradtape, notebook):
    path = notebook(
        "import tensorflow as tf\nw = tf.Variable(1.0)",
        "with tf.GradientTape() as tape:\n  y = w * w\nw = w - tape.gradient(y, w)",
    )
    result = gradtape("doctor", path)
    assert result.returncode == 0
    assert f"{path}:2:3: `w` is a tf.Variable before this line" in result.stdout
    assert "all of them in gradtape; 1 trap" in result.stdout
    (found,) = json.loads(gradtape("doctor", "--json", path).stdout)
    (trap,) = found["traps"]
    assert (trap["kind"], trap["cell"], trap["line"]) == ("rebound", 2, 3)


def test_the_doctor_reads_what_python_compiles(script):
    path = script("import tensorflow as tf\nx = " + "+".join(["tf.abs(1)"] * 900) + "\n")
    found = doctor.examine(str(path))
    assert [(use.path, len(use.places)) for use in found.uses] == [("abs", 1)]
