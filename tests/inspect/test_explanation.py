"""Explanations as text, and what they hold."""

import io

import gradtape as tf
from gradtape.debugging import explanations

# The answer itself.


def _some():
    x = tf.Variable([2.0], name="x")
    with explanations(), tf.GradientTape() as tape:
        y = tf.stop_gradient(x * x)
    return tape.explain(y, x)


def test_as_text_and_html_and_rich():
    from rich.console import Console

    why = _some()
    assert repr(why) == str(why)
    assert "To mend it:" in str(why)
    assert "tf.stop_gradient(x * x)" in why._repr_html_()
    console = Console(record=True, width=100, file=io.StringIO())
    console.print(why)
    assert "stop_gradient" in console.export_text()
