"""TFRecord files: what is written is read, and damage is reported with its position."""

import gzip
import random

import pytest

import gradtape as tf
from gradtape._src.files.records import check_compression, framed, records, tf_record_iterator

RECORDS = [b"", b"abc", b"x" * 10_000]


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_there_and_back(tmp_path, compression):
    path = str(tmp_path / "r")
    with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions(compression)) as writer:
        for record in RECORDS:
            writer.write(record)
    assert list(records(path, compression)) == RECORDS


def test_the_form_of_a_record(tmp_path):
    path = tmp_path / "r"
    path.write_bytes(framed(b"abc"))
    assert len(framed(b"abc")) == 8 + 4 + 3 + 4
    assert list(records(str(path))) == [b"abc"]


def test_damage_names_its_place(tmp_path):
    path = tmp_path / "r"
    whole = framed(b"abc") + framed(b"def")
    damaged = bytearray(whole)
    damaged[-6] ^= 1
    for data in (bytes(damaged), whole[:-2]):
        path.write_bytes(data)
        found = records(str(path))
        assert next(found) == b"abc"
        with pytest.raises(tf.errors.DataLossError, match="19"):
            next(found)


@pytest.mark.parametrize(("cut", "whole_records"), [(70_019, 1), (200_000, 2), (-1, 2)])
def test_records_before_damage_are_given(tmp_path, cut, whole_records):
    path, data = tmp_path / "r", b"".join(framed(b"x" * size) for size in (70_000, 5, 300_000))
    path.write_bytes(data[:cut])
    found = records(str(path))
    for _ in range(whole_records):
        next(found)
    with pytest.raises(tf.errors.DataLossError, match="truncated record"):
        next(found)


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_records_before_damage_in_a_compressed_file_are_given(tmp_path, compression):
    noise = [random.Random(n).randbytes(5000) for n in range(20)]
    path = str(tmp_path / "r")
    with tf.io.TFRecordWriter(path, compression) as writer:
        for record in noise:
            writer.write(record)
    (tmp_path / "r").write_bytes((tmp_path / "r").read_bytes()[:30_000])
    found = records(path, compression)
    assert [next(found) for _ in range(4)] == noise[:4]
    with pytest.raises(tf.errors.DataLossError):
        list(found)


def test_records_of_all_lengths_across_what_is_read_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("gradtape._src.files.records._AHEAD", 64)
    written = [bytes([n]) * n for n in range(150)]
    path = tmp_path / "r"
    path.write_bytes(b"".join(map(framed, written)))
    assert list(records(str(path))) == written


def test_a_compressed_file_cut_short(tmp_path):
    path = tmp_path / "r"
    path.write_bytes(gzip.compress(framed(b"x" * 1000))[:-12])
    with pytest.raises(tf.errors.DataLossError):
        list(records(str(path), "GZIP"))


def test_what_is_not_there(tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        list(records(str(tmp_path / "none")))
    assert check_compression(None) == ""
    with pytest.raises(tf.errors.InvalidArgumentError):
        check_compression("LZ4")


def test_a_closed_writer(tmp_path):
    writer = tf.io.TFRecordWriter(str(tmp_path / "r"))
    writer.close()
    writer.close()
    with pytest.raises((RuntimeError, ValueError, tf.errors.OpError)):
        writer.write(b"a")


def test_an_iterator_with_options(tmp_path):
    path = str(tmp_path / "records")
    options = tf.io.TFRecordOptions("GZIP")
    with tf.io.TFRecordWriter(path, options) as writer:
        writer.write(b"one")
    assert [*tf_record_iterator(path, options)] == [b"one"]
    assert [*tf_record_iterator(path, "GZIP")] == [b"one"]
    with pytest.raises(ValueError, match="compression_type"):
        tf_record_iterator(path, "BZ2")


def test_version_1_numbers_the_compressions(tmp_path):
    path, kinds = str(tmp_path / "records"), tf.compat.v1.io.TFRecordCompressionType
    assert [kinds.NONE, kinds.ZLIB, kinds.GZIP] == [0, 1, 2]
    for kind in (kinds.NONE, kinds.ZLIB, kinds.GZIP):
        options = tf.compat.v1.io.TFRecordOptions(kind)
        with tf.io.TFRecordWriter(path, options) as writer:
            writer.write(b"one")
        assert [*tf.compat.v1.io.tf_record_iterator(path, options)] == [b"one"]
        assert [*tf.compat.v1.python_io.tf_record_iterator(path, kind)] == [b"one"]
    assert tf.io.TFRecordOptions.get_compression_type_string(options) == "GZIP"
    with pytest.raises(ValueError, match="compression_type"):
        tf.io.TFRecordOptions(3)


def test_a_file_that_is_missing_is_reported_before_iteration(tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        tf.compat.v1.io.tf_record_iterator(str(tmp_path / "none"))
