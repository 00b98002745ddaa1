"""The table of what a tape holds."""

import pytest


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
