"""Methods and arguments that are lacking are found by reading."""

import textwrap

import pytest

from gradtape._src.cli.doctor import examine

pytestmark = pytest.mark.slow


def said(script, text):
    path = script("import tensorflow as tf\n" + textwrap.dedent(text))
    kinds = {"member", "argument"}
    return [(t.line, t.text) for t in examine(str(path)).traps if t.kind in kinds]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = tf.constant(1.0)\nx.sum()", "TensorFlow's tf.Tensor has no `sum`"),
        ("w = tf.Variable(1.0)\nw.asign(2.0)", "tf.Variable has no `asign`; the nearest: .assign"),
        ("tf.Variable(1.0).detach()", "the nearest: tf.stop_gradient"),
        (
            "d = tf.data.Dataset.range(3).map(abs)\nd.batch(2, drop_last=True)",
            "Dataset.batch has no argument `drop_last`; the nearest: `drop_remainder`",
        ),
        ("tf.reduce_sum([1], axes=0)", "tf.reduce_sum has no argument `axes`; the nearest: `axis`"),
        ("tf.abs(1, 'n', 3)", "tf.abs takes at most 2 positional arguments, and 3 are given"),
        ("tf.data.Dataset.range(3).nothing", "tf.data.Dataset has no `nothing`"),
        ("with tf.GradientTape() as t:\n  t.watchh(1)", "no `watchh`; the nearest: .watch"),
        ("(tf.constant(1.0) + tf.Variable(2.0)).nothing", "tf.Tensor has no `nothing`"),
    ],
)
def test_lacking(script, text, expected):
    ((_, found),) = said(script, text)
    assert expected in found


@pytest.mark.parametrize(
    "text",
    [
        "with mine():\n  v = tf.Variable(1.0)\nv.tensor_value",
        "with tf.variable_creator_scope(abs):\n  v = tf.Variable(1.0)\nv.tensor_value",
        "x = tf.constant(1.0)\nx = [x]\nx.append(1)",
        "x = tf.constant(1.0)\nfor x in [1]: x.nothing",
        "x = tf.constant(1.0)\ndef f(x): return x.nothing",
        "x = tf.gather(rows, [1])\nx.row_splits",
        "x = tf.constant(1.0)\nx.shape.rank, x.numpy().sum(), x.dtype.name, x._any",
        "tf.constant(True).graph, tf.Variable(1.0).experimental_ref",
        "x = tf.constant(1.0)\nx: list[int] = []\nx.append(1)",
        "x = tf.constant(1.0)\nmatch y:\n  case [x]: x.nothing",
        "tf.abs(*args)\ntf.abs(**words)",
        "tf.reduce_sum = sum\ntf.reduce_sum([1], strange=2)",
        "tf.stack([1], 0, 'name')\ntf.print(1, 2, 3, 4, 5, sep='')",
        "d = tf.data.Dataset.zip(a, b)\nfor x, y in d: x.nothing",
    ],
)
def test_nothing_is_said_of_what_is_not_known(script, text):
    assert said(script, text) == []
