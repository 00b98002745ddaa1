"""Causes that only a journal tells."""

from marked_lines import check_cause

import gradtape as tf
from gradtape.debugging import Cause, explanations


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
    check_cause(tape.explain(y, x), Cause.NO_PATH)


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
