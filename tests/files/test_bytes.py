"""Bytes as numbers, in base 64 and compressed; values are TensorFlow's."""

import gzip
import zlib

import pytest

import gradtape as tf


def test_numbers_in_strings():
    raw = tf.io.decode_raw
    assert raw([b"\1\0\2\0"], tf.int16).numpy().tolist() == [[1, 2]]
    assert raw([b"\1\0\2\0"], tf.int16, little_endian=False).numpy().tolist() == [[256, 512]]
    assert raw([b"ab", b"c"], tf.uint8, fixed_length=3).numpy().tolist() == [
        [97, 98, 0],
        [99, 0, 0],
    ]
    for data, dtype in ([b"\1\0\2"], tf.int16), ([b"ab", b"c"], tf.uint8), (["a"], tf.string):
        with pytest.raises(tf.errors.InvalidArgumentError):
            raw(data, dtype)


def test_base64_and_compression():
    assert tf.io.encode_base64(["ab?", "a"], pad=True).numpy().tolist() == [b"YWI_", b"YQ=="]
    assert tf.io.decode_base64(["YWI_", "YQ"]).numpy().tolist() == [b"ab?", b"a"]
    for wrong in ("YWI+", "a", "a b"):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.decode_base64([wrong])
    assert tf.io.decode_compressed([gzip.compress(b"abc")], "GZIP").numpy()[0] == b"abc"
    assert tf.io.decode_compressed([zlib.compress(b"abc")], "ZLIB").numpy()[0] == b"abc"
    with pytest.raises(tf.errors.DataLossError):
        tf.io.decode_compressed(["abc"], "GZIP")


def test_the_names_of_files_are_kept_in_a_variable(tmp_path):
    for name in ("b.txt", "a.txt", "c.md"):
        (tmp_path / name).touch()
    found = tf.io.match_filenames_once(str(tmp_path / "*.txt"))
    (tmp_path / "d.txt").touch()
    assert [name[-5:] for name in found.numpy()] == [b"a.txt", b"b.txt"]
    assert not found.trainable
