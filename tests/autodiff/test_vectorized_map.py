"""Functions of one row, run on all rows at once."""

import numpy as np
import pytest
from tolerances import close

import gradtape as tf


def test_one_hot_vectorized_with_values_of_each_example():
    n = tf.constant([[0, 2], [1, 1]])
    on = tf.constant([5.0, 7.0])
    ours = tf.vectorized_map(lambda a: tf.one_hot(a[0], 3, a[1], -a[1]), (n, on))
    want = [tf.one_hot(n[i], 3, on[i], -on[i]).numpy() for i in range(2)]
    close(ours, np.stack(want))
    close(tf.vectorized_map(lambda i: tf.one_hot(i, 3), n), tf.one_hot(n, 3).numpy())


def test_assertions_in_a_vectorized_map():
    x = tf.constant([1.0, 2.0])

    def checked(r):
        tf.debugging.assert_positive(r)
        tf.debugging.assert_less(r, 9.0)
        return r * 2

    assert tf.vectorized_map(checked, x, warn=False).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vectorized_map(checked, -x, warn=False)
