"""Joining and splitting along an axis."""

import pytest

import gradtape as tf

BIG = 2**31


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (lambda: tf.split(tf.ones(6), [2, 4], num=3), tf.errors.InvalidArgumentError),
        (lambda: tf.split(tf.ones(6), [2, -1], num=1), tf.errors.InvalidArgumentError),
    ],
)
def test_lengths_that_do_not_add_up(run, error):
    with pytest.raises(error):
        run()


def test_num_of_split_may_repeat_what_the_lengths_say():
    assert [x.shape[0] for x in tf.split(tf.ones(6), [2, -1], num=2)] == [2, 4]
    assert len(tf.split(tf.ones(6), 2, num=3)) == 2
