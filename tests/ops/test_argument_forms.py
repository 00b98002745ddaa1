"""Forms of arguments that TensorFlow takes besides the usual ones."""

import pytest

import gradtape as tf


def test_an_axis_may_be_a_list_of_one():
    assert tf.expand_dims([1, 2], axis=[0]).shape == (1, 2)
    assert tf.expand_dims([1, 2], axis=[[-1]]).shape == (2, 1)
    for wrong in ([], [0, 1]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="with a single value"):
            tf.expand_dims([1, 2], axis=wrong)


def test_batch_dims_may_be_left_open_where_an_axis_is_given():
    x = [[1, 2], [3, 4]]
    assert tf.gather(x, [1, 0], axis=0, batch_dims=None).numpy().tolist() == [[3, 4], [1, 2]]
    assert tf.gather(x, [1, 0], axis=1, batch_dims=None).numpy().tolist() == [[2, 1], [4, 3]]
    with pytest.raises(ValueError, match="batch_dims"):
        tf.gather(x, [1, 0], batch_dims=None)


def test_a_range_of_tensors_with_one_element():
    assert tf.range([2], [5]).numpy().tolist() == [2, 3, 4]
    assert tf.range(0, 5, tf.constant([2])).numpy().tolist() == [0, 2, 4]
    assert tf.range([0.0], 5.0, [2.0]).numpy().tolist() == [0.0, 2.0, 4.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="start must be a scalar"):
        tf.range([1, 2], 5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="start must be a scalar"):
        tf.range([[1]], 5)


def test_names_and_orders_of_parameters():
    assert tf.debugging.assert_all_finite(x=[1.0], message="m").numpy().tolist() == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="own message"):
        tf.debugging.assert_none_equal([1], [1], 1, "own message", "name")
    ignored = tf.scatter_nd([[5]], [1], [2], "IGNORE")
    assert ignored.numpy().tolist() == [0, 0]
