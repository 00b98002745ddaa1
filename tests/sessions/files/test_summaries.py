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
    assert [event.step for event in events[3:]] == [1, 2]
    loss, values = events[4].summary.value
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


def test_sounds_are_written_as_files():
    samples = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 6, 2)
    with tf.Graph().as_default(), v1.Session() as session:
        rate = v1.placeholder(tf.float32, [])
        one = v1.summary.audio("a", samples, rate, max_outputs=1)
        mono = v1.summary.audio("b", samples[..., 0], 8000.0, family="f")
        (first,) = v1.Summary.FromString(session.run(one, {rate: 16000})).value
        tags = [x.tag for x in v1.Summary.FromString(session.run(mono)).value]
        wrong = v1.summary.audio("c", samples[0, 0], 8000.0)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be 3-D or 2-D"):
            session.run(wrong)
    assert (first.tag, first.audio.sample_rate, first.audio.num_channels) == ("a/audio", 16000, 2)
    decoded, rate = tf.audio.decode_wav(first.audio.encoded_audio_string)
    np.testing.assert_allclose(decoded, samples[0], atol=1e-4)
    assert tags == ["f/f/b/audio/0", "f/f/b/audio/1"]


def test_tensors_are_written_with_their_plug_in():
    metadata = v1.SummaryMetadata(plugin_data={"plugin_name": "p"})
    with tf.Graph().as_default(), v1.Session() as session:
        made = v1.summary.tensor_summary("t", [1, 2], summary_metadata=metadata, display_name="D")
        (value,) = v1.Summary.FromString(session.run(made)).value
    assert tf.make_ndarray(value.tensor).tolist() == [1, 2]
    assert (value.metadata.plugin_data.plugin_name, value.metadata.display_name) == ("p", "D")


def test_writers_begin_with_the_graph_and_its_collections(tmp_path):
    with tf.Graph().as_default() as graph:
        v1.get_variable("v", initializer=1.0)
        writer = v1.summary.FileWriter(str(tmp_path), graph)
        with pytest.raises(TypeError, match="MetaGraphDef"):
            writer.add_meta_graph(graph.as_graph_def())
        writer.close()
    (file,) = tmp_path.iterdir()
    _, first, second = v1.train.summary_iterator(str(file))
    assert [e.WhichOneof("what") for e in (first, second)] == ["graph_def", "meta_graph_def"]
    meta = v1.MetaGraphDef.FromString(second.meta_graph_def)
    assert "trainable_variables" in meta.collection_def


def test_tags_are_unique_as_names_of_operations():
    with tf.Graph().as_default(), v1.Session() as session:
        made = [v1.summary.scalar("loss", n) for n in (1.0, 2.0)]
        tf.identity(1.0, name="Other")
        made += [v1.summary.scalar("other", 3.0), v1.summary.scalar("a", 4.0, family="f")]
        tags = [v1.Summary.FromString(x).value[0].tag for x in session.run(made)]
    assert tags == ["loss", "loss_1", "other_1", "f/f/a"]
