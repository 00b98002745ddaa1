"""Writers that fail, are killed, or write at the same time: what is read is one writer's."""

import errno
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

WRITER = """
import sys
import gradtape as tf
me, path = float(sys.argv[1]), sys.argv[2]
v = [tf.Variable([me] * 2000) for _ in range(3)]
checkpoint = tf.train.Checkpoint(v=v)
print("ready", flush=True)
for _ in range(int(sys.argv[3])):
    checkpoint.write(path)
"""


def started(me, path, times):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(me), path, str(times)], stdout=subprocess.PIPE
    )


def one_writers(path):
    """Returns the writer of a checkpoint; all values must come from the same one."""
    v = [tf.Variable([0.0] * 2000) for _ in range(3)]
    tf.train.Checkpoint(v=v).read(path).assert_consumed()
    found = {float(x) for each in v for x in np.unique(each.numpy())}
    assert len(found) == 1
    return found.pop()


def test_writers_at_the_same_time(tmp_path):
    path = str(tmp_path / "ck")
    writers = [started(me, path, 40) for me in (1, 2, 3)]
    for writer in writers:
        with writer:
            writer.communicate(timeout=300)
            assert writer.returncode == 0
    assert one_writers(path) in (1, 2, 3)
    names = sorted(found.name for found in tmp_path.iterdir())
    assert len(names) == 2  # data and index
    assert names[1] == "ck.index"


def test_a_writer_that_is_killed(tmp_path):
    path = str(tmp_path / "ck")
    tf.train.Checkpoint(v=[tf.Variable([5.0] * 2000) for _ in range(3)]).write(path)
    for me in (1, 2):
        with started(me, path, 100_000) as writer:
            writer.stdout.readline()
            for _ in range(20):
                assert tf.train.load_checkpoint(path) is not None
            writer.send_signal(signal.SIGKILL)
        assert one_writers(path) in (me, me - 1, 5)
    tf.train.Checkpoint(v=[tf.Variable([7.0] * 2000) for _ in range(3)]).write(path)
    assert one_writers(path) == 7


ERRORS = {
    errno.ENOSPC: tf.errors.ResourceExhaustedError,
    errno.EACCES: tf.errors.PermissionDeniedError,
    errno.EROFS: tf.errors.PermissionDeniedError,
    errno.EISDIR: tf.errors.FailedPreconditionError,
}


def module():
    made = tf.Module()
    made.v = tf.Variable([1.0, 2.0])
    return made


SAVES = {
    "checkpoint": lambda path: tf.train.Checkpoint(v=module().v).write(path + "/ck"),
    "saved model": lambda path: tf.saved_model.save(module(), path),
    "dataset": lambda path: tf.data.Dataset.range(3).save(path),
}


@pytest.mark.parametrize("number", ERRORS)
@pytest.mark.parametrize("name", SAVES)
def test_the_system_says_no(name, number, tmp_path, monkeypatch):
    def refuse(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(ERRORS[number]):
        SAVES[name](str(tmp_path / "a"))
    assert not [n for _, _, names in os.walk(tmp_path) for n in names if n.endswith(".tmp")]


@pytest.mark.parametrize("name", SAVES)
def test_a_file_in_the_way(name, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(tf.errors.FailedPreconditionError, match="is not a directory"):
        SAVES[name](str(tmp_path / "file" / "a"))


def test_a_directory_in_the_way(tmp_path):
    (tmp_path / "ck.index" / "x").mkdir(parents=True)
    with pytest.raises(tf.errors.FailedPreconditionError, match="directory"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "ck"))
    assert [found.name for found in tmp_path.iterdir()] == ["ck.index"]
