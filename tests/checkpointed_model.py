"""A model with variables in every kind of container, for tests of checkpoints."""

import numpy as np

import gradtape as tf


class Model(tf.Module):
    """The model of saving/make_fixtures.py."""

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


def values(module):
    """The values of a module's variables."""
    return [v.numpy().tolist() for v in module.variables]
