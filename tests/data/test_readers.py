"""Values are those of TensorFlow 2.21."""

import gzip
import random

import pytest

import gradtape as tf

Dataset = tf.data.Dataset


def items(dataset):
    return list(dataset.as_numpy_iterator())


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records(tmp_path, compression):
    path = str(tmp_path / "r")
    rng = random.Random(0)
    held = [b"", b"rec", rng.randbytes(70_000), b"last"]
    with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions(compression)) as writer:
        for record in held:
            writer.write(record)
        writer.flush()
    assert items(tf.data.TFRecordDataset(path, compression)) == held
    twice = tf.data.TFRecordDataset([path, path], compression, num_parallel_reads=2).take(3)
    assert items(twice) == [b"", b"", b"rec"]
    names = Dataset.from_tensors(path)
    assert items(tf.data.TFRecordDataset(names, compression).take(2)) == held[:2]
    assert "TFRecordDatasetV2 element_spec=TensorSpec(shape=()" in repr(
        tf.data.TFRecordDataset(path)
    )


def test_damaged_records(tmp_path):
    path = tmp_path / "r"
    with tf.io.TFRecordWriter(str(path)) as writer:
        for i in range(3):
            writer.write(b"rec%d" % i)
    whole = path.read_bytes()
    for place in range(20, 40):  # any byte of the second record
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        found = iter(tf.data.TFRecordDataset(str(path)))
        assert next(found) == b"rec0"
        with pytest.raises(tf.errors.DataLossError, match="corrupted record at 20"):
            next(found)
    path.write_bytes(whole[:-1])
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 40"):
        items(tf.data.TFRecordDataset(str(path)))
    with pytest.raises(tf.errors.DataLossError):
        items(tf.data.TFRecordDataset(str(path), "GZIP"))
    with pytest.raises(tf.errors.NotFoundError):
        items(tf.data.TFRecordDataset(str(path) + "none"))


def test_lines_and_files(tmp_path):
    (tmp_path / "t.txt").write_bytes(b"a\r\nb\rc\n\nlast")
    (tmp_path / "u.txt").write_bytes(b"x\ny\n")
    (tmp_path / "g.gz").write_bytes(gzip.compress(b"l1\nl2\n"))
    pattern = str(tmp_path / "*.txt")
    lines = tf.data.TextLineDataset(Dataset.list_files(pattern, shuffle=False))
    assert items(lines) == [b"a", b"bc", b"", b"last", b"x", b"y"]
    assert items(tf.data.TextLineDataset(str(tmp_path / "g.gz"), "GZIP")) == [b"l1", b"l2"]
    assert len(Dataset.list_files(pattern)) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern"):
        Dataset.list_files(str(tmp_path / "none*"))


def test_records_of_one_length(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"HHabcdefT")
    fixed = tf.data.FixedLengthRecordDataset
    assert items(fixed(str(path), 3, header_bytes=2, footer_bytes=1)) == [b"abc", b"def"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="body length 9 bytes"):
        items(fixed(str(path), 4))


def test_csv(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text('h1,h2,h3\n1,2.5,x\n3,,"a\nb"\n')
    csv = tf.data.experimental.CsvDataset
    assert items(csv(str(path), [0, 0.0, ""], header=True)) == [(1, 2.5, b"x"), (3, 0, b"a\nb")]
    some = csv(str(path), [tf.int32, ""], header=True, select_cols=[0, 2])
    assert some.element_spec[0] == tf.TensorSpec([], tf.int32)
    assert items(some.map(lambda a, b: b)) == [b"x", b"a\nb"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Field 1 is required"):
        items(csv(str(path), [tf.int32, tf.float32, tf.string], header=True))
