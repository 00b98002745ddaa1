"""Joining and splitting along an axis."""

import numpy as np
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


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_unstack_of_an_unknown_rank_needs_the_number_of_parts(axis):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    spec = [tf.TensorSpec(None)]
    parts = tf.function(lambda x: tf.unstack(x, 2, axis), input_signature=spec)
    wanted = [y.numpy().tolist() for y in tf.unstack(x, 2, axis)]
    assert [y.numpy().tolist() for y in parts(x)] == wanted
    assert [y.shape.rank for y in parts.get_concrete_function().structured_outputs] == [None, None]
    with tf.GradientTape() as tape:
        tape.watch(x)
        first, second = parts(x)
        y = tf.reduce_sum(first * second)
    assert tape.gradient(y, x).numpy().tolist() == tf.reverse(x, [axis]).numpy().tolist()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        given = tf.compat.v1.placeholder(tf.float32)
        found = session.run(tf.unstack(given, 2, axis), {given: x.numpy()})
    assert [y.tolist() for y in found] == wanted
    with pytest.raises(tf.errors.InvalidArgumentError, match="must equal 2"):
        parts(tf.zeros([3, 3]))


def test_no_parts_are_given_if_none_are_asked_for():
    assert tf.unstack([[1, 2], [3, 4]], num=0) == []
    with pytest.raises(tf.errors.InvalidArgumentError, match="must equal 3"):
        tf.unstack([[1, 2], [3, 4]], num=3)


@pytest.mark.parametrize("value", ["word", b"word", "", 5, 2.5, True, np.array(3), np.float32(1)])
def test_one_value_that_is_not_in_a_list_is_stacked_with_nothing(value):
    found = tf.stack(value)
    assert found.shape == ()
    assert repr(found) == repr(tf.constant(value))
    with pytest.raises((TypeError, ValueError)):
        tf.stack(value, axis=1)


def test_quantized_numbers_and_handles_are_stacked():
    one, two = (tf.bitcast(tf.constant([n, 9], tf.uint8), tf.quint8) for n in (1, 2))
    found = tf.stack([one, two], 1)
    assert found.dtype == tf.quint8
    assert tf.bitcast(found, tf.uint8).numpy().tolist() == [[1, 2], [9, 9]]
    v = tf.Variable(1.0)
    handles = tf.stack([v.handle, v.handle])
    assert (handles.shape, handles.dtype) == ([2], tf.resource)
