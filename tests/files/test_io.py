"""Values are those of TensorFlow 2.21."""

import gzip
import zlib

import numpy as np
import pytest

import gradtape as tf

gfile = tf.io.gfile


def test_gfile_reads_and_writes(tmp_path):
    path = str(tmp_path / "a.txt")
    with gfile.GFile(path, "w") as file:
        file.write("héllo\nworld\n")
        assert (file.tell(), file.size()) == (13, 13)
    with gfile.GFile(path, "a") as file:
        file.write(b"more")
    with gfile.GFile("file://" + path, "rb") as file:
        file.seek(7)
        assert file.read() == b"world\nmore"
    assert gfile.GFile(path).readlines() == ["héllo\n", "world\n", "more"]
    assert (gfile.stat(path).length, gfile.stat(str(tmp_path)).is_directory) == (17, True)


def test_gfile_errors(tmp_path):
    path, none = str(tmp_path / "a"), str(tmp_path / "none")
    gfile.GFile(path, "w").close()
    for call in (
        lambda: gfile.GFile(none).read(),
        lambda: gfile.listdir(none),
        lambda: gfile.remove(none),
        lambda: gfile.rmtree(none),
        lambda: gfile.stat(none),
        lambda: gfile.copy(none, path, overwrite=True),
        lambda: gfile.mkdir(none + "/deep"),
        lambda: tf.io.read_file(none),
    ):
        with pytest.raises(tf.errors.NotFoundError):
            call()
    with pytest.raises(tf.errors.PermissionDeniedError, match="open for writing"):
        gfile.GFile(path).write("a")
    with pytest.raises(tf.errors.PermissionDeniedError, match="open for reading"):
        gfile.GFile(path, "a").read()
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode"):
        gfile.GFile(path, "x")
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.rename(path, path)
    with pytest.raises(tf.errors.FailedPreconditionError):
        gfile.makedirs(path + "/q")
    with pytest.raises(tf.errors.UnimplementedError, match="scheme 'gs'"):
        gfile.exists("gs://bucket/a")


def test_directories(tmp_path):
    top = str(tmp_path)
    gfile.makedirs(gfile.join(top, "x", "y"))
    gfile.mkdir(gfile.join(top, "x"))  # is there
    tf.io.write_file(gfile.join(top, "n", "a"), "hi")
    gfile.copy(top + "/n/a", top + "/b")
    gfile.rename(top + "/b", top + "/c")
    assert sorted(gfile.listdir(top)) == ["c", "n", "x"]
    assert gfile.glob(top + "/*/*") == [top + "/n/a", top + "/x/y"]
    assert gfile.glob([top + "/c*", top + "/no*"]) == [top + "/c"]
    assert tf.io.matching_files(top + "/[cn]").shape == [2]
    walked = {name[len(top) :]: files for name, _, files in gfile.walk(top)}
    assert walked == {"": ["c"], "/n": ["a"], "/x": [], "/x/y": []}
    gfile.rmtree(top + "/x")
    assert not gfile.isdir(top + "/x")
    assert tf.io.read_file(top + "/c").numpy() == b"hi"


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


@pytest.mark.parametrize(
    ("lines", "defaults", "options", "expected"),
    [
        (["1,2.5,a", ",,"], [7, 0.0, "d"], {}, [[1, 7], [2.5, 0.0], [b"a", b"d"]]),
        (['"a,""b""";c'], ["", ""], {"field_delim": ";"}, [[b'a,"b"'], [b"c"]]),
        (['a"b'], [""], {"use_quote_delim": False}, [[b'a"b']]),
        (["NA,1"], [7, 8], {"na_value": "NA"}, [[7], [1]]),
        (["1,2,3"], [[0.0], ["z"]], {"select_cols": [0, 2]}, [[1.0], [b"3"]]),
        ([' 1 ,"2"'], [0, 0], {}, [[1], [2]]),
    ],
)
def test_csv(lines, defaults, options, expected):
    found = tf.io.decode_csv(lines, defaults, **options)
    assert [column.numpy().tolist() for column in found] == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (",", "required but missing"),
        ("1,2,3", "Expect 2 fields but have 3"),
        ("x,1", "Field 0 in record 0 is not a valid int32: x"),
        ('"1', "end with quote"),
        ('1"2,3', "Unquoted fields"),
        ('"1"2,3', "escaped by another"),
        ("", "have 0 in record 0"),
        ("1\n,2", "Unquoted"),
    ],
)
def test_csv_errors(line, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.io.decode_csv([line], [tf.constant([], tf.int32), 0])


def test_serialized_tensors():
    matrix = b'\x08\x03\x12\x08\x12\x02\x08\x02\x12\x02\x08\x01"\x08\x01\0\0\0\x02\0\0\0'
    assert tf.io.serialize_tensor([[1], [2]]).numpy() == matrix
    words = b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bc"
    assert tf.io.serialize_tensor(["a", "bc"]).numpy() == words
    for value in ([[1, 2]], ["a", b"\xff"], 1.5, [True], 1 + 2j, np.zeros((0, 3)), "x"):
        tensor = tf.constant(value)
        again = tf.io.parse_tensor(tf.io.serialize_tensor(tensor), tensor.dtype)
        assert repr(again) == repr(tensor)
    half = tf.constant([1.5], tf.bfloat16)
    assert float(tf.io.parse_tensor(tf.io.serialize_tensor(half), tf.bfloat16)[0]) == 1.5
    one_for_all = b"\x08\x01\x12\x08\x12\x02\x08\x02\x12\x02\x08\x02\x2a\x04\0\0\x80?"
    assert tf.io.parse_tensor(one_for_all, tf.float32).numpy().tolist() == [[1, 1], [1, 1]]
    for wrong in (b"zz", matrix[:-1], b"", b"\x08\x01\x12\x09\x12\x07\x08" + b"\xff" * 5 + b"\x0f"):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.parse_tensor(wrong, tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Type mismatch"):
        tf.io.parse_tensor(matrix, tf.float32)
