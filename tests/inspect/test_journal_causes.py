"""Causes that only a journal tells."""

import inspect
import sys

import gradtape as tf
from gradtape.debugging import Cause, explanations


def marked_line():
    """The number of the line marked `# <-` in the function that asks."""
    frame = sys._getframe(2)
    lines, first = inspect.getsourcelines(frame.f_code)
    (at,) = [i for i, line in enumerate(lines) if line.rstrip().endswith("# <-")]
    return first + at


def check(why, cause, **facts):
    assert why.cause is cause, str(why)
    assert why.where is not None, str(why)
    assert why.where.line == marked_line(), str(why)
    assert why.where.file == __file__
    assert why.mend, str(why)
    for name, value in facts.items():
        assert getattr(why, name) == value, str(why)
    assert why.where.source.strip().split("#")[0].strip() in str(why)
    return why


def test_a_hint_in_the_mode_only(caplog):
    def run():
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            y = x * x
        assert tape.gradient(y, x) is None

    with caplog.at_level("WARNING", logger="tensorflow"):
        run()
        assert caplog.records == []
        with explanations():
            for _ in range(3):
                run()
    assert [r.message for r in caplog.records if "tape.explain" in r.message] != []
    assert len(caplog.records) == 1


@explanations()
def test_numbers_that_were_only_looked_at_are_no_cause(capsys):
    x, z = tf.Variable(2.0), tf.Variable(1.0, name="z")
    with tf.GradientTape() as tape:
        a = x * x
        assert [a.numpy(), float(a), f"{a:.2f}", str(a)]
        y = z * 3.0 + 1.5  # <-
    check(tape.explain(y, x), Cause.NO_PATH)


@explanations()
def test_what_escaped_long_before_is_no_cause():
    x = tf.Variable(2.0)
    assert (x * 3.0).numpy() == 6.0
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * 3.0
        g = inner.gradient(y, x)
    assert outer.gradient(g, x) is None
    why = outer.explain(g, x)
    assert why.cause is Cause.NO_PATH
    assert any("linear function" in note for note in why.notes)
