"""Files and directories, as `tf.io.gfile` has them; values are TensorFlow's."""

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
