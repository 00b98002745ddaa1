import numpy as np
import pytest

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


def test_pictures_and_texts():
    pictures = np.array([[[0.0, 0.5]], [[-1.0, 2.0]], [[np.nan, 1e-9]]], np.float32)[..., None]
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, None, None, 1])
        several = v1.summary.image("p", x)
        one = v1.summary.image("q", tf.constant(np.full((2, 1, 2, 3), 7, np.uint8)), max_outputs=1)
        words = v1.summary.text("t", tf.constant(["a", "b"]))
        found = [
            v1.Summary.FromString(each).value
            for each in session.run([several, one, words], {x: pictures})
        ]
        with pytest.raises(tf.errors.InvalidArgumentError, match="last dim"):
            session.run(v1.summary.image("r", tf.zeros([1, 1, 1, 2])))
        with pytest.raises(ValueError, match="string"):
            v1.summary.text("t", tf.constant(1.0))
    assert [v.tag for v in found[0]] == ["p/image/0", "p/image/1", "p/image/2"]
    decoded = [tf.io.decode_png(v.image.encoded_image_string).numpy().ravel() for v in found[0]]
    np.testing.assert_array_equal(decoded, [[0, 255], [64, 255], [255, 0]])
    (whole,) = found[1]
    assert (whole.tag, whole.image.width, whole.image.colorspace) == ("q/image", 2, 3)
    assert (tf.io.decode_png(whole.image.encoded_image_string).numpy() == 7).all()
    (text,) = found[2]
    assert (text.tag, list(text.tensor.string_val)) == ("t", [b"a", b"b"])
    assert text.metadata.plugin_data.plugin_name == "text"
