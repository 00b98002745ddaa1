"""Traps that `gradtape doctor` finds by reading, and lines that are none."""

import textwrap

import pytest

from gradtape._src.cli.doctor import examine

HEAD = "import tensorflow as tf\n"


def traps_in(script, text):
    traps = examine(str(script(HEAD + textwrap.dedent(text)))).traps
    return [(trap.kind, trap.line - 1) for trap in traps]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            """
            x = tf.constant(3.0)
            with tf.GradientTape() as t:
                y = x * x
            t.gradient(y, x)
            """,
            [("unwatched", 5)],
        ),
        (
            """
            def f():
                x, b = tf.constant(3.0), 1
                a = tf.zeros([2])
                with tf.GradientTape() as t:
                    t.watch(a)
                    b = tf.ones([2])
                    y = a * b
                return t.gradient(y, [a, b])
            """,
            [],
        ),
        (
            """
            x = tf.Variable(3)
            c = tf.constant([1, -2])
            with tf.GradientTape() as t:
                t.watch(c)
                y = x * x
            t.gradient(y, {"x": x, "c": c})
            """,
            [("integer", 5), ("integer", 7)],
        ),
        (
            """
            x = tf.Variable(3, dtype=tf.float32)
            with tf.GradientTape() as t:
                y = x * x
            t.gradient(y, x)
            t.gradient(y, x)
            """,
            [("persistent", 6)],
        ),
        (
            """
            x = tf.Variable(3.0)
            with tf.GradientTape(persistent=True) as t, tf.GradientTape() as s:
                y = x * x
            t.gradient(y, x)
            t.gradient(y, x)
            if y > 2:
                s.gradient(y, x)
            else:
                s.gradient(y, x)
            s.gradient(y, x)
            """,
            [("persistent", 11)],
        ),
        (
            """
            w = tf.Variable(3.0)
            for _ in range(3):
                with tf.GradientTape() as t:
                    y = w * w
                g = t.gradient(y, w)
                w -= 0.1 * g
            """,
            [("rebound", 7)],
        ),
        (
            """
            w = tf.Variable(3.0)
            w.assign(w - 1.0)
            w = tf.Variable(w + 1.0)
            w = 2.0
            w = w + 1.0
            """,
            [],
        ),
        (
            """
            def f(x, tape):
                return tape.gradient(x, x)
            x = tf.constant(1.0)
            with tf.GradientTape() as tape:
                tape.watch([x, *more])
                tape.gradient(x, x, unconnected_gradients="zero")
            """,
            [],
        ),
        (
            """
            x = tf.constant(1.0)
            with tf.GradientTape() as outer:
                y = tf.constant(1.0)
                with tf.GradientTape() as inner:
                    z = x * y
                inner.gradient(z, y)
            """,
            [("unwatched", 7)],
        ),
    ],
)
def test_traps(script, text, expected):
    assert traps_in(script, text) == expected
