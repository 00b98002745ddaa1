"""Writers of event files, and what is read from them again."""

import pytest

import gradtape as tf
from gradtape._src.files.event_files import step_number, summary_iterator


def events(folder):
    (path,) = folder.iterdir()
    return list(summary_iterator(str(path)))


def test_what_was_written_is_read(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=3):
        tf.summary.scalar("loss", 0.5)
    writer.close()
    first, second = events(tmp_path)
    assert first.file_version == "brain.Event:2"
    assert (second.step, second.summary.value[0].tag) == (3, "loss")


def test_a_closed_writer_writes_nothing_more(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.close()
    with pytest.raises(RuntimeError, match="closed"):
        writer.set_as_default()


def test_summaries_can_be_left_out(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=1):
        assert tf.summary.should_record_summaries()
        with tf.summary.record_if(False):
            assert not tf.summary.should_record_summaries()
            assert not tf.summary.scalar("a", 1.0)
        assert tf.summary.scalar("b", 1.0)
    writer.close()
    assert [v.tag for e in events(tmp_path) for v in e.summary.value] == ["b"]
    assert not tf.summary.should_record_summaries()


def test_a_writer_that_writes_nothing(tmp_path):
    writer = tf.summary.create_noop_writer()
    with writer.as_default(step=1):
        assert tf.summary.scalar("a", 1.0) is not None
    writer.flush()
    assert list(tmp_path.iterdir()) == []


def test_steps():
    v = tf.Variable(4, dtype=tf.int64)
    assert step_number(3) == 3
    assert step_number(v) == 4
    tf.summary.experimental.set_step(v)
    try:
        assert tf.summary.experimental.get_step() is v
        assert step_number(None) == 4
    finally:
        tf.summary.experimental.set_step(None)
    with pytest.raises(ValueError, match="step"):
        step_number(None)


def test_a_file_cut_short(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=3):
        tf.summary.scalar("loss", 0.5)
    writer.close()
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(tf.errors.DataLossError):
        events(tmp_path)
