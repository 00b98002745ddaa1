"""The table of what a tape holds."""

import pytest

import gradtape as tf


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


def test_variables_of_one_name():
    a, b = tf.Variable([1.0]), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        tf.reduce_sum(a * b)
    table = tape.summary()
    assert sorted(table.variables.values()) == [4, 8]
    assert "2 watched variables of 12 B" in table.caption
    assert table.peak > 0
    assert "the gradient's peak is" in table.caption
