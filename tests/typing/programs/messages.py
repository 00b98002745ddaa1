"""Examples are made, written and parsed; graphs and summaries are messages, too."""

import gradtape as tf


def example(values: list[float], label: int) -> tf.train.Example:
    """Returns one training example."""
    feature = {
        "x": tf.train.Feature(float_list=tf.train.FloatList(value=values)),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
        "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a"])),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature))


data: bytes = example([1.0, 2.0], 1).SerializeToString()
again = tf.train.Example.FromString(data)
numbers: list[float] = list(again.features.feature["x"].float_list.value)
again.features.feature["y"].int64_list.value.extend([1, 2])
kind: str | None = again.features.feature["y"].WhichOneof("kind")

graph = tf.compat.v1.GraphDef()
graph.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
names: list[str] = [node.name for node in graph.node]
summary = tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="loss", simple_value=0.5)])
size: int = summary.ByteSize()
