"""Parts of a checkpoint's objects."""

from checkpointed_model import Model

import gradtape as tf


def test_views(tmp_path):
    model = Model()
    view = tf.train.TrackableView(model)
    assert [*view.children(model)] == ["w", "many", "named", "pair", "empty", "text"]
    path = tf.train.Checkpoint(model=model).write(tmp_path / "x")
    stored = tf.train.CheckpointView(path)
    checkpoint = tf.train.Checkpoint(model=model, new=tf.Variable(1.0))
    matched, missing, new = stored.diff(checkpoint)
    assert matched[1] is model
    assert (missing, new) == ([], [checkpoint.new])
