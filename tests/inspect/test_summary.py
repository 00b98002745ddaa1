"""The table of what a tape holds."""

import numpy as np
import pytest

import gradtape as tf


@pytest.fixture
def network():
    """A tape with two layers, an input that is watched, and a variable that plays no part."""
    w = tf.Variable(np.ones((8, 16), np.float32), name="dense/kernel")
    b = tf.Variable(np.zeros(16, np.float32), name="dense/bias")
    v = tf.Variable(np.ones((16, 4), np.float32), name="head/kernel")
    lost = tf.Variable(1.0, name="lost")
    x = tf.constant(np.ones((32, 8), np.float32))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        h = tf.nn.relu(x @ w + b)
        loss = tf.reduce_mean((h @ v) ** 2)
        lost * 2.0
    return tape, loss, x


# The table.


def test_summary(network):
    tape, *_ = network
    table = tape.summary()
    rows = {r.operation: r for r in table.rows}
    assert rows["MatMul"].count == 2
    assert rows["Relu"].bytes == 32 * 16 * 4
    assert table.operations == 7
    assert table.bytes == sum(r.bytes for r in table.rows)
    assert table.variables["dense/kernel"] == 8 * 16 * 4
    text = str(table)
    assert text.splitlines()[0].split() == ["operation", "count", "holds", "largest", "result"]
    assert "7 operations hold" in text
    assert repr(table) == text
    assert "<table>" in table._repr_html_()


def test_summary_in_color(network):
    rich_console = pytest.importorskip("rich.console")
    import io

    console = rich_console.Console(file=io.StringIO(), width=100)
    console.print(network[0].summary())
    assert "MatMul" in console.file.getvalue()
    assert "MatMul" in network[0].summary()._in_color()
