"""Arrays on the way to a gradient are found; arrays for other purposes are not."""

import textwrap

import pytest

from gradtape._src.cli.doctor import examine

pytestmark = pytest.mark.slow
HEAD = "import numpy as np\nimport tensorflow as tf\nw = tf.Variable(1.0)\n"


def found(script, text):
    path = script(HEAD + textwrap.dedent(text))
    return [(t.line - 3, t.text) for t in examine(str(path)).traps if t.kind == "array"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("with tf.GradientTape() as t:\n  y = np.sin(w)\nt.gradient(y, w)", 2, "use tf.sin"),
        (
            "with tf.GradientTape() as t:\n  h = w * 2\n  y = h * np.mean(h)\nt.gradient(y, w)",
            3,
            "use tf.math.reduce_mean",
        ),
        (
            "with tf.GradientTape() as t:\n  y = tf.reduce_sum(w.numpy() * 2)\nt.gradient(y, w)",
            2,
            "compute with the tensor itself",
        ),
        (
            "x = w\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = np.log(x)\nt.gradient(y, x)",
            4,
            "use tf.math.log",
        ),
        (
            "def f(v):\n  with tf.GradientTape() as t:\n    y = np.dot(v, w)\n  t.gradient(y, v)",
            3,
            "use tf.tensordot",
        ),
        (
            "with tf.GradientTape() as t:\n  y = w * 1.0\n  y += np.exp(w)\nt.jacobian(y, w)",
            3,
            "use tf.exp",
        ),
    ],
)
def test_arrays_on_the_way(script, text, line, words):
    ((where, said),) = found(script, text)
    assert where == line
    assert words in said


@pytest.mark.parametrize(
    "text",
    [
        "with tf.GradientTape() as t:\n  y = w * w\n  print(np.mean(y))\nt.gradient(y, w)",
        "with tf.GradientTape() as t:\n  y = w * np.sin(3.0)\nt.gradient(y, w)",
        "with tf.GradientTape() as t:\n  y = w * np.prod(w.shape)\nt.gradient(y, w)",
        "with tf.GradientTape() as t:\n  y = w * tf.stop_gradient(np.sin(w))\nt.gradient(y, w)",
        "with tf.GradientTape() as t:\n  y = w * w\ng = np.abs(t.gradient(y, w))",
        "with tf.GradientTape() as t:\n  y = np.sin(w)\n  y = w * w\nt.gradient(y, w)",
    ],
)
def test_other_arrays(script, text):
    assert found(script, text) == []
