"""`gradtape doctor` finds the tf names in a program by reading it."""

import importlib
import json

import pytest

from gradtape._src.cli import doctor
from gradtape._src.cli.doctor import judge
from gradtape._src.compat.lists.left_out import left_out
from gradtape._src.compat.names import tensorflow_names

pytestmark = pytest.mark.slow


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
        (
            "keras.layers.Dens",
            "UNKNOWN",
            "Keras 3 lacks this name, the nearest: tf.keras.layers.Dense",
        ),
        ("optimizers.Adm", "UNKNOWN", "the nearest: tf.optimizers.Adam"),
        ("lite.TFLiteConverter", "LEFT_OUT", "tf.saved_model.save writes a model"),
        ("contrib.layers.fully_connected", "LEFT_OUT", "tf.keras.layers"),
        ("sum", "UNKNOWN", "the nearest: tf.math.reduce_sum"),
        ("linalg.inverse", "UNKNOWN", "the nearest: tf.linalg.inv"),
        ("python.framework.nothing", "INSIDE", ""),
    ],
)
def test_what_is_known_of_a_name(path, state, note):
    if path.startswith(("keras", "compat.v1.keras", "optimizers")):
        pytest.importorskip("gradtape.keras")
    use = judge(path, [])
    assert use.state.name == state
    assert note in use.note


@pytest.mark.parametrize("space", ["raw_ops", "compat.v1"])
def test_a_name_that_is_not_there_yet(space):
    paths = [f"{space}.{name}" for name in tensorflow_names().modules[space]]
    lacking = (path for path in paths if not has(path) and left_out(path) is None)
    use = judge(next(lacking), [])
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
        "findings": [
            {
                "code": "GT002",
                "level": "error",
                "cell": None,
                "line": 3,
                "column": 1,
                "text": "tf.no_such_thing: not a TensorFlow name",
            }
        ],
    }
    assert second["names"][0]["places"] == [{"cell": 1, "line": 2}]


def test_what_is_no_program_is_named_beside_the_others(gradtape, script, notebook, tmp_path):
    good = script("import tensorflow as tf\ntf.constant(1)\n")
    broken = notebook("x = 1", "def f(:")
    for path, said in [
        (tmp_path / "none.py", "no such file"),
        (script("import (", "bad.py"), "line 1: SyntaxError"),
        (broken, "cell 2, line 1: SyntaxError"),
        (script("{}", "empty.ipynb"), "not a Jupyter notebook"),
        (script("x", "data.txt"), "neither a .py nor an .ipynb file"),
    ]:
        result = gradtape("doctor", good, path)
        assert result.returncode == 2
        assert said in result.stderr
        assert "2 that" not in result.stdout
        assert "1 that can't be read" in result.stdout
        assert "Traceback" not in result.stderr


def test_traps_are_shown_and_do_not_change_the_status(gradtape, notebook):
    path = notebook(
        "import tensorflow as tf\nw = tf.Variable(1.0)",
        "with tf.GradientTape() as tape:\n  y = w * w\nw = w - tape.gradient(y, w)",
    )
    result = gradtape("doctor", path)
    assert result.returncode == 0
    assert f"{path}:2:3:1: GT104 `w` is a tf.Variable before this line" in result.stdout
    assert "all of them in gradtape; 1 trap" in result.stdout
    (found,) = json.loads(gradtape("doctor", "--json", path).stdout)
    (trap,) = found["traps"]
    assert (trap["kind"], trap["cell"], trap["line"]) == ("rebound", 2, 3)


def test_the_doctor_reads_what_python_compiles(script):
    path = script("import tensorflow as tf\nx = " + "+".join(["tf.abs(1)"] * 900) + "\n")
    found = doctor.examine(str(path))
    assert [(use.path, len(use.places)) for use in found.uses] == [("abs", 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tf.nothing_1  # noqa", []),
        ("tf.nothing_1  # noqa: GT002", []),
        ("tf.nothing_1  # noqa: E501, GT002", []),
        ("tf.nothing_1  # noqa: GT001", ["GT002"]),
        ("tf.mine = abs\ntf.mine(1)", []),
        ("setattr(tf.math, 'mine', abs)\ntf.math.mine(1)", []),
        ("tf.reduce_sum = sum", ["GT106"]),
        ("getattr(tf, 'nothing_1')", ["GT002"]),
        ("getattr(tf, 'nothing_1', None)", []),
    ],
)
def test_codes_of_lines(script, text, expected):
    found = doctor.examine(str(script(f"import tensorflow as tf\n{text}\n")))
    assert [line.code.code for line in found.lines] == expected


def test_silenced_names_are_not_lacking(script):
    text = "import tensorflow as tf\ntf.nothing_1  # noqa\ntf.nothing_2\ntf.nothing_2  # noqa\n"
    found = doctor.examine(str(script(text)))
    assert [(use.path, [p.line for p in use.places]) for use in found.uses] == [("nothing_2", [3])]


def test_warnings_of_the_compiler_are_no_findings(gradtape, script):
    result = gradtape("doctor", script("import tensorflow as tf\nprint(tf.abs(1) is 1)\n"))
    assert (result.returncode, result.stderr) == (0, "")


def test_a_program_without_tensorflow_is_not_searched(script, monkeypatch):
    monkeypatch.setattr(doctor, "pitfalls", None)
    found = doctor.examine(str(script("import numpy as np\nnp.abs(1)\n")))
    assert (found.uses, found.lines) == ([], [])


def test_the_status_counts_traps_if_asked(gradtape, script):
    path = script("import tensorflow as tf\ntf.reduce_sum = sum\n")
    assert [gradtape("doctor", *more, path).returncode for more in ([], ["--strict"])] == [0, 1]
