import numpy as np

import gradtape as tf
from gradtape.compat import v1


def test_summaries_are_messages(tmp_path):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        with tf.name_scope("scope"):
            v1.summary.scalar("loss", x)
        v1.summary.histogram("values", tf.stack([x, 2.0 * x, -x]), family="family")
        merged = v1.summary.merge_all()
        with v1.summary.FileWriter(tmp_path, graph) as writer:
            assert writer.get_logdir() == str(tmp_path)
            for step in (1, 2):
                writer.add_summary(session.run(merged, {x: step}), step)
    (file,) = tmp_path.iterdir()
    events = list(v1.train.summary_iterator(str(file)))
    assert "x" in [node.name for node in v1.GraphDef.FromString(events[1].graph_def).node]
    assert [event.step for event in events[2:]] == [1, 2]
    loss, values = events[3].summary.value
    assert (loss.tag, loss.simple_value) == ("scope/loss", 2.0)
    assert values.tag == "family/family/values"
    assert (values.histo.num, values.histo.min, values.histo.max) == (3, -2.0, 4.0)
    assert sum(values.histo.bucket) == 3


def test_nothing_to_merge():
    with tf.Graph().as_default():
        assert v1.summary.merge_all() is None


def test_every_number_is_in_a_bucket():
    with tf.Graph().as_default(), v1.Session() as session:
        x = np.array([0.0, 1e-30, -1e25, 3.0, 3.0])
        message = v1.Summary.FromString(session.run(v1.summary.histogram("h", x)))
    histogram = message.value[0].histo
    assert sum(histogram.bucket) == 5
    assert histogram.sum_squares == np.sum(x * x)
