"""The picture and the table of what a tape recorded."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.inspect.layout import layout


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


def by_name(graph):
    return {op.name: op for op in graph.recording.operations}


def test_operations_shapes_and_bytes(network):
    tape, _, x = network
    ops = by_name(tape.graph())
    assert ops["Relu"].shape == (32, 16)
    assert ops["Relu"].bytes == 32 * 16 * 4
    assert ops["AddV2"].shape == (32, 16)
    assert ops["AddV2"].bytes == 0
    assert ops["Mean"].shape == ()
    assert ops["MatMul"].shape == (32, 4)
    first = tape.graph().recording.operations[0]
    assert first.bytes == x.numpy().nbytes  # the input, not the variable
    assert first.scope == "dense"


def test_gradient_norms(network):
    tape, loss, x = network
    graph = tape.graph(loss)
    values = {v.name: v for v in graph.recording.values.values()}
    g = tape.gradient(loss, x)
    assert values["x"].norm == pytest.approx(float(tf.norm(g)), rel=1e-5)
    assert values["lost"].state == "none"
    assert "gradient None" in graph.to_svg()
    assert by_name(graph)["Mean"].norm == 1.0
    assert "loss" in graph.to_dot()


def test_what_is_not_finite_is_marked():
    x = tf.Variable([0.0, 1.0], name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.sqrt(x))
    graph = tape.graph(y)
    (value,) = graph.recording.values.values()
    assert value.state == "nonfinite"
    assert "gradient not finite" in graph.to_svg()


def test_svg_is_well_formed_and_boxes_do_not_overlap(network):
    tape, loss, _ = network
    root = ET.fromstring(tape.graph(loss).to_svg())
    boxes = [
        [float(r.get(k)) for k in ("x", "y", "width", "height")]
        for r in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert len(boxes) == 7 + 5
    for i, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[i + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y
    assert tape.graph()._repr_svg_().startswith("<svg")


def test_dot_and_mermaid(network):
    tape, loss, _ = network
    graph = tape.graph(loss)
    assert graph.to_dot().startswith("digraph tape {")
    assert graph.to_dot().count(" -> ") == graph.to_mermaid().count(" --> ") == 10
    assert graph.to_mermaid().startswith("flowchart TD")
    assert "|g|" not in graph.to_mermaid()  # a bar would end a label


def test_save(network, tmp_path):
    graph = network[0].graph()
    for ending in ("svg", "dot", "mmd", "md"):
        graph.save(tmp_path / f"tape.{ending}")
        assert (tmp_path / f"tape.{ending}").read_text()
    with pytest.raises(ValueError, match="must end in"):
        graph.save(tmp_path / "tape.png")


def test_layers_are_folded(network):
    tape, loss, _ = network
    graph = tape.graph(loss, max_nodes=3)
    assert "dense" in graph.to_dot()
    assert "folded to" in graph.caption


def test_repetitions_are_folded():
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = x
        for _ in range(100):
            y = tf.sin(y) * 2.0
    graph = tape.graph(y)
    assert "100 \u00d7 Sin, Mul" in graph.to_dot()
    assert "200 operations, folded to 1" in graph.caption


def test_a_large_tape_without_a_pattern():
    random = np.random.default_rng(0)
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        values = [x * 1.0, x * 2.0]
        for _ in range(600):
            a, b = (values[-1 - int(k)] for k in random.integers(0, 2, 2))
            values.append([tf.sin(a), a * b * 0.5, a + b][int(random.integers(3))])
    graph = tape.graph(values[-1], max_nodes=20)
    assert len(graph._shapes) <= 25
    ET.fromstring(graph.to_svg())


def test_a_used_tape_says_so():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert "1 operations" in tape.graph(y).caption
    tape.gradient(y, x)
    assert "nothing recorded" in tape.graph().caption
    assert "<svg" in tape.graph().to_svg()


def test_the_mode_gives_lines():
    x = tf.Variable(1.0)
    with tf.debugging.explanations(), tf.GradientTape(persistent=True) as tape:
        y = tf.sin(x)
    (op,) = tape.graph(y).recording.operations
    assert op.place.source.strip() == "y = tf.sin(x)"
    assert "y = tf.sin(x)" in tape.graph(y).to_svg()


def test_several_outputs_and_rows():
    table = tf.Variable(np.ones((10, 4), np.float32))
    with tf.GradientTape(persistent=True) as tape:
        a, b = tf.split(tf.gather(table, [1, 2]), 2)
        y = tf.reduce_sum(a) + 0.0 * tf.reduce_sum(b)
    graph = tape.graph(y)
    (value,) = graph.recording.values.values()
    assert value.norm == pytest.approx(2.0)


def test_errors(network):
    tape, loss, _ = network
    with pytest.raises(ValueError, match="max_nodes"):
        tape.graph(loss, max_nodes=0)
    with pytest.raises(TypeError, match="must be a tensor"):
        tape.graph(1.0)


def test_layout_of_a_diamond():
    sizes = dict.fromkeys(range(4), (50.0, 20.0))
    placed = layout(sizes, [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)])
    rows = [placed.centers[n][1] for n in range(4)]
    assert rows[0] < rows[1] == rows[2] < rows[3]
    assert len(placed.routes[0, 3]) == 1
    assert placed.centers[0][0] == pytest.approx(placed.centers[3][0], abs=40)


def test_layout_of_nothing():
    assert layout({}, []).centers == {}


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
