"""Parts of a checkpoint's objects."""

import numpy as np

import gradtape as tf


class Model(tf.Module):
    """That of make_fixtures.py."""

    def __init__(self, factor=1.0):
        super().__init__()
        self.w = tf.Variable(np.float32([[1, 2], [3, 4]]) * factor, name="weights")
        self.many = [tf.Variable(5.0 * factor), "no part", tf.Variable(6.0 * factor)]
        self.named = {
            "a/b.c": tf.Variable(int(7 * factor)),
            "inner": {"x": tf.Variable([8.0 * factor])},
        }
        self.pair = (tf.Variable(9.0 * factor),)
        self.empty, self.text = [], tf.Variable(["a", "", "\0z" * 200] if factor else ["", "", ""])

    @tf.function
    def __call__(self, x):
        return x @ self.w


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
