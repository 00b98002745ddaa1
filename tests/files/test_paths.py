"""Paths that programs pass, and errors of the file system."""

import errno
from pathlib import Path

import pytest

import gradtape as tf
from gradtape._src.files import paths


@pytest.mark.parametrize(
    "path", ["/a/b", b"/a/b", tf.constant("/a/b"), Path("/a/b"), "file:///a/b"]
)
def test_ways_to_name_a_file(path):
    assert Path(paths.local(path)) == Path("/a/b")


@pytest.mark.parametrize("path", ["gs://bucket/a", "s3://x", "hdfs://y/z"])
def test_files_elsewhere(path):
    with pytest.raises(tf.errors.UnimplementedError, match=path.partition(":")[0]):
        paths.local(path)


@pytest.mark.parametrize(
    ("number", "error"),
    [
        (errno.ENOENT, tf.errors.NotFoundError),
        (errno.EEXIST, tf.errors.AlreadyExistsError),
        (errno.EACCES, tf.errors.PermissionDeniedError),
        (errno.EISDIR, tf.errors.FailedPreconditionError),
        (errno.ENOSPC, tf.errors.ResourceExhaustedError),
    ],
)
def test_errors_are_tensorflows(number, error):
    with pytest.raises(error, match="/a/b"), paths.as_tensorflow("/a/b"):
        raise OSError(number, "why")


def test_names_that_no_file_can_have(tmp_path):
    assert paths.is_directory(str(tmp_path))
    assert not paths.is_file(str(tmp_path))
    assert not paths.is_file("a\0b")
    assert not paths.is_directory("x" * 5000)
    with pytest.raises(tf.errors.OpError):
        paths.opened(str(tmp_path / "none"))


def test_names_in_a_log():
    assert paths.printable("a\udcffb") != "a\udcffb"
    assert paths.printable("plain") == "plain"
