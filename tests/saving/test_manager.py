import os
import random
import signal
import subprocess
import sys
import time

import pytest

import gradtape as tf


def manager_of(x, directory, **options):
    return tf.train.CheckpointManager(tf.train.Checkpoint(x=x), directory, **options)


def test_old_checkpoints_go(tmp_path):
    x = tf.Variable(0.0)
    manager = manager_of(x, tmp_path, max_to_keep=2)
    assert manager.restore_or_initialize() is None
    for _ in range(4):
        x.assign_add(1.0)
        manager.save()
    paths = [str(tmp_path / f"ckpt-{n}") for n in (3, 4)]
    assert manager.checkpoints == paths
    assert manager.latest_checkpoint == tf.train.latest_checkpoint(tmp_path) == paths[-1]
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "checkpoint",
        "ckpt-3.data-00000-of-00001",
        "ckpt-3.index",
        "ckpt-4.data-00000-of-00001",
        "ckpt-4.index",
    ]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.all_model_checkpoint_paths == paths
    assert len(state.all_model_checkpoint_timestamps) == 2
    y = tf.Variable(0.0)
    second = manager_of(y, tmp_path, max_to_keep=2)  # goes on from there
    assert second.restore_or_initialize() == paths[-1]
    assert float(y) == 4.0
    assert second.save() == str(tmp_path / "ckpt-5")
    assert second.checkpoints == [paths[-1], str(tmp_path / "ckpt-5")]


def test_some_are_kept_for_good(tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    manager = manager_of(tf.Variable(0.0), tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=1)
    for _ in range(5):
        now[0] += 1200  # seconds
        manager.save()
    assert [p.name for p in sorted(tmp_path.glob("*.index"))] == ["ckpt-3.index", "ckpt-5.index"]
    assert manager.checkpoints == [str(tmp_path / "ckpt-5")]


def test_intervals(tmp_path):
    step = tf.Variable(0)
    manager = manager_of(
        tf.Variable(0.0), tmp_path, max_to_keep=3, step_counter=step, checkpoint_interval=10
    )
    saved = []
    for n in range(25):
        step.assign(n)
        if manager.save() is not None:
            saved.append(n)
    assert saved == [0, 10, 20]
    assert manager.save(check_interval=False) is not None
    with pytest.raises(ValueError, match="Expected a positive integer or `None`"):
        manager_of(step, tmp_path, max_to_keep=0)
    with pytest.raises(ValueError, match="`step_counter` should be passed"):
        manager_of(step, tmp_path, max_to_keep=1, checkpoint_interval=3)


def test_failed_saves_leave_all_as_it_was(tmp_path, monkeypatch):
    x = tf.Variable(1.0)
    manager = manager_of(x, tmp_path, max_to_keep=3)
    first = manager.save()
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left"):
        manager.save()
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
    assert manager.latest_checkpoint == first
    assert int(manager.checkpoint.save_counter) == 1


def test_waiting_for_checkpoints(tmp_path):
    checkpoint = tf.train.Checkpoint(x=tf.Variable(1.0))
    path = checkpoint.save(tmp_path / "c")
    assert list(tf.train.checkpoints_iterator(tmp_path, timeout=0)) == [path]


TRAINING = """
import sys
import time
import gradtape as tf
x, y = tf.Variable(tf.zeros([50_000])), tf.Variable(0)
manager = tf.train.CheckpointManager(tf.train.Checkpoint(x=x, y=y), sys.argv[1], max_to_keep=2)
over = tf.train.Checkpoint(x=x, y=y)
manager.restore_or_initialize()
print("ready", flush=True)
while True:
    x.assign_add(tf.ones_like(x)); y.assign_add(1)
    print("saving", flush=True)
    manager.save(); over.write(sys.argv[1] + "/over")
"""


@pytest.mark.slow
def test_killed_in_the_middle_of_a_save(tmp_path):
    last, rng = 0, random.Random(0)
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", TRAINING, str(tmp_path)], stdout=subprocess.PIPE
        )
        assert process.stdout.readline() == b"ready\n"
        for _ in range(rng.randrange(3, 30)):
            assert process.stdout.readline() == b"saving\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        x, y = tf.Variable(tf.zeros([50_000])), tf.Variable(0)
        for path in (tf.train.latest_checkpoint(tmp_path), tmp_path / "over"):
            tf.train.Checkpoint(x=x, y=y).restore(path).expect_partial()
            assert (x.numpy() == int(y)).all()
        state = tf.train.get_checkpoint_state(tmp_path)
        for path in state.all_model_checkpoint_paths:
            tf.train.Checkpoint(x=x, y=y).restore(path).expect_partial()
        assert int(y) >= last
        last = int(y)
    assert last > 0


def test_nothing_is_removed_elsewhere(tmp_path, caplog):
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    valued = checkpoint.write(elsewhere / "valued")
    linked = checkpoint.write(elsewhere / "linked")
    nested = checkpoint.write(home / "below" / "old")
    (home / "link").symlink_to(elsewhere)
    kept = sorted(path.name for path in elsewhere.iterdir())
    named = [valued, str(home / "link" / "linked"), "../elsewhere/valued", "below/old", "x" * 5000]
    lines = [f'all_model_checkpoint_paths: "{path}"' for path in named]
    (home / "checkpoint").write_text("\n".join([f'model_checkpoint_path: "{linked}"', *lines]))
    assert tf.train.latest_checkpoint(home) == linked  # an absolute path, as in TensorFlow
    manager = tf.train.CheckpointManager(checkpoint, home, max_to_keep=1)
    last = manager.save()
    assert manager.checkpoints == [last]
    assert sorted(path.name for path in elsewhere.iterdir()) == kept
    assert not list((home / "below").iterdir()), nested
    assert caplog.text.count("is not removed") == 3
