"""Readers of files; keys, values and counts are those of TensorFlow 2.21."""

import contextlib

import pytest

import gradtape as tf

v1 = tf.compat.v1


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"head\none\ntwo\n")
    (tmp_path / "b.txt").write_bytes(b"head\r\nthree\r\nfour")
    (tmp_path / "c.bin").write_bytes(b"HHaabbccddF")
    for letter in "xy":
        with tf.io.TFRecordWriter(str(tmp_path / f"{letter}.rec")) as file:
            for i in range(3):
                file.write(letter.encode() * (i + 1))
    return tmp_path


def last(path):
    return path.rpartition(b"/")[2]


def read(folder, files, make, many=None):
    """Returns the keys, values and counts of each run, until the queue is empty."""
    with tf.Graph().as_default(), v1.Session() as session:
        paths = [str(folder / file) for file in files]
        queue = v1.train.string_input_producer(paths, num_epochs=1, shuffle=False)
        reader = make()
        fetch = reader.read(queue) if many is None else reader.read_up_to(queue, many)
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        session.run(v1.local_variables_initializer())
        coord = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coord)
        found = []
        with contextlib.suppress(tf.errors.OutOfRangeError):
            while True:
                key, value = session.run(fetch)
                keys = [last(k) for k in (key if many else [key])]
                found.append((keys, list(value) if many else [value], session.run(counts)))
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=20)
        return found


def test_lines(folder):
    found = read(folder, ["a.txt", "b.txt"], lambda: v1.TextLineReader(skip_header_lines=1))
    assert found == [
        ([b"a.txt:2"], [b"one"], [1, 0]),
        ([b"a.txt:3"], [b"two"], [2, 0]),
        ([b"b.txt:2"], [b"three"], [3, 1]),
        ([b"b.txt:3"], [b"four"], [4, 1]),
    ]


def test_records(folder):
    found = read(folder, ["x.rec", "y.rec"], v1.TFRecordReader)
    assert [keys[0] for keys, _, _ in found[:3]] == [b"x.rec:0", b"x.rec:17", b"x.rec:35"]
    assert [values[0] for _, values, _ in found[3:]] == [b"y", b"yy", b"yyy"]
    found = read(folder, ["x.rec", "y.rec"], v1.TFRecordReader, 4)
    assert [(len(keys), counts) for keys, _, counts in found] == [(3, [3, 1]), (3, [6, 2])]
    found = read(folder, ["x.rec"], v1.TFRecordReader, 2)
    assert [values for _, values, _ in found] == [[b"x", b"xx"], [b"xxx"]]


def test_whole_files(folder):
    found = read(folder, ["a.txt", "c.bin"], v1.WholeFileReader)
    assert found == [
        ([b"a.txt"], [b"head\none\ntwo\n"], [1, 1]),
        ([b"c.bin"], [b"HHaabbccddF"], [2, 2]),
    ]
    ((keys, values, _),) = read(folder, ["c.bin"], v1.IdentityReader)
    assert (keys, last(values[0])) == ([b"c.bin"], b"c.bin")


def test_records_of_fixed_length(folder):
    found = read(folder, ["c.bin"], lambda: v1.FixedLengthRecordReader(2, 2, 1))
    assert [values[0] for _, values, _ in found] == [b"aa", b"bb", b"cc", b"dd"]
    found = read(folder, ["c.bin"], lambda: v1.FixedLengthRecordReader(2, 2, 1, hop_bytes=3))
    assert [(keys[0], values[0]) for keys, values, _ in found] == [
        (b"c.bin:0", b"aa"),
        (b"c.bin:1", b"bc"),
        (b"c.bin:2", b"dd"),
    ]


def test_results_have_names():
    with tf.Graph().as_default():
        reader, queue = v1.TextLineReader(), v1.train.string_input_producer(["a"])
        assert reader.read(queue)._fields == ("key", "value")
        assert reader.read_up_to(queue, 2).keys.shape.as_list() == [None]
        assert not reader.supports_serialize
        assert v1.WholeFileReader().supports_serialize


def test_readers_need_a_graph():
    with pytest.raises(RuntimeError, match=r"use tf\.data"):
        v1.TextLineReader()
