"""Text of pictures: DOT and Mermaid, with boxes around boxes."""

import gradtape as tf


def nested():
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        with tf.name_scope('a "layer"'):
            y = tf.sin(x) * x
        y = tf.exp(y)
    return tape.graph(y, depth=1)


def test_open_boxes_are_clusters_in_dot():
    text = nested().to_dot()
    assert text.count("subgraph cluster_") == 1
    assert 'label="a \\"layer\\"";' in text
    assert text.count("{") == text.count("}")


def test_open_boxes_are_subgraphs_in_mermaid():
    lines = nested().to_mermaid().split("\n")
    assert sum(line.strip().startswith("subgraph") for line in lines) == 1
    assert sum(line.strip() == "end" for line in lines) == 1
    assert sum(" --> " in line for line in lines) == 4
