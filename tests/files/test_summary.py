"""Summaries are written like those of TensorFlow 2.21 with TensorBoard."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.files.event_files import summary_iterator

summary = tf.summary


def events(directory):
    (path,) = directory.glob("events.out.tfevents.*.v2")
    first, *others = summary_iterator(path)
    assert (first.file_version, first.step) == ("brain.Event:2", 0)
    return others


def values(directory):
    return {v.tag: v for event in events(directory) for v in event.summary.value}


@pytest.fixture
def writer(tmp_path):
    made = summary.create_file_writer(str(tmp_path))
    yield made
    made.close()
    summary.experimental.set_step(None)


def test_scalars_and_steps(writer, tmp_path):
    assert not summary.should_record_summaries()
    assert not summary.scalar("before", 1, step=0)
    with writer.as_default():
        assert summary.scalar("loss", 0.5, step=3, description="desc")
        with tf.name_scope("scope"):
            summary.scalar("in", 2, step=tf.constant(4, tf.int64))
        with summary.record_if(lambda: False):
            assert not summary.scalar("no", 1, step=0)
        summary.experimental.set_step(tf.Variable(9, dtype=tf.int64))
        summary.scalar("later", 1)
        with summary.experimental.summary_scope("a b") as (tag, scope):
            assert (tag, scope) == ("a b", "ab/")
    found = events(tmp_path)
    assert [(e.step, e.summary.value[0].tag) for e in found] == [
        (3, "loss"),
        (4, "scope/in"),
        (9, "later"),
    ]
    value = found[0].summary.value[0]
    assert value.SerializeToString() == (
        b"\n\x04lossB\n\x08\x01\x12\x00\x22\x04\0\0\0?J\x11\n\t\n\x07scalars\x1a\x04desc"
    )


def test_histograms(writer, tmp_path):
    with writer.as_default(step=1):
        summary.histogram("h", [1.0, 2.0, 2.0, 9.0], buckets=4)
        summary.histogram("empty", tf.zeros([0]), buckets=2)
        summary.histogram("one", tf.ones([3]), buckets=2)
    found = {tag: tf.make_ndarray(v.tensor).tolist() for tag, v in values(tmp_path).items()}
    assert found["h"] == [[1, 3, 3], [3, 5, 0], [5, 7, 0], [7, 9, 1]]
    assert found["empty"] == [[0, 0, 0]] * 2
    assert found["one"] == [[1, 1, 0], [1, 1, 3]]


def test_images_texts_and_sounds(writer, tmp_path):
    ramp = np.linspace(-0.1, 1.1, 6).reshape((1, 2, 3, 1)).astype(np.float32)
    with writer.as_default(step=1):
        summary.image("ramp", ramp)
        summary.image("many", np.zeros((5, 2, 3, 3), np.uint8), max_outputs=2)
        summary.text("t", ["hello", "world"])
        summary.audio("a", np.array([[[1.5], [-2], [0.5]]], np.float32), 8000)
        summary.write("raw", lambda: tf.constant([1, 2]))
    found = values(tmp_path)
    width, height, picture = found["ramp"].tensor.string_val
    assert (width, height) == (b"3", b"2")
    assert tf.io.decode_png(picture).numpy().reshape(-1).tolist() == [0, 35, 97, 158, 219, 255]
    assert len(found["many"].tensor.string_val) == 4
    assert list(found["t"].tensor.string_val) == [b"hello", b"world"]
    sound, _ = found["a"].tensor.string_val
    assert sound[:4] + sound[-6:] == b"RIFF\xff\x7f\0\x80\0@"
    assert found["a"].metadata.plugin_data.content == b"\x10\x0b"
    assert tf.make_ndarray(found["raw"].tensor).tolist() == [1, 2]


def test_errors(writer):
    with writer.as_default():
        with pytest.raises(ValueError, match="No step set"):
            summary.scalar("x", 1)
        with pytest.raises(ValueError, match="Expected scalar shape"):
            summary.scalar("x", [1, 2], step=0)
        with pytest.raises(ValueError, match="rank 4"):
            summary.image("x", np.ones((2, 3, 1)), step=0)
        with pytest.raises(TypeError, match=r"tf.string; got tf.int32"):
            summary.text("x", 3, step=0)
    writer.close()
    with pytest.raises(RuntimeError, match="already closed"), writer.as_default():
        pass


def test_no_writer():
    with summary.create_noop_writer().as_default():
        assert not summary.scalar("x", 1, step=0)
