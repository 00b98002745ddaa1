"""Initial values of variables."""

import numpy as np
import pytest

import gradtape as tf

INITIALIZERS = [
    tf.zeros_initializer(),
    tf.ones_initializer(),
    tf.random_normal_initializer(),
    tf.random_uniform_initializer(),
    tf.constant_initializer(3.0, support_partition=True),
]


@pytest.mark.parametrize(
    ("initializer", "expected"),
    [
        (tf.zeros_initializer(), [[0, 0], [0, 0]]),
        (tf.ones_initializer(), [[1, 1], [1, 1]]),
        (tf.constant_initializer(3), [[3, 3], [3, 3]]),
        (tf.constant_initializer([1, 2, 3, 4]), [[1, 2], [3, 4]]),
    ],
)
def test_values(initializer, expected):
    x = initializer([2, 2], dtype=tf.float64)
    assert x.dtype == tf.float64
    np.testing.assert_array_equal(x, expected)
    again = type(initializer).from_config(initializer.get_config())
    np.testing.assert_array_equal(again([2, 2], tf.float64), expected)


def test_random_values():
    x = tf.random_uniform_initializer(2.0, 3.0, seed=1)([100])
    assert bool(tf.reduce_all((x >= 2) & (x < 3)))
    assert tf.random_uniform_initializer(0, 9)([2], tf.int32).dtype == tf.int32
    x = tf.random_normal_initializer(5.0, 0.1, seed=1)([100])
    assert abs(float(tf.reduce_mean(x)) - 5) < 0.1


def test_what_they_refuse():
    with pytest.raises(ValueError, match="numeric or boolean"):
        tf.zeros_initializer()([2], tf.string)
    with pytest.raises(ValueError, match="floating point"):
        tf.random_normal_initializer()([2], tf.int32)
    with pytest.raises(TypeError, match="Invalid type for initial value"):
        tf.constant_initializer({})
    with pytest.raises(TypeError, match="3 elements"):
        tf.constant_initializer([1, 2, 3])([2, 2])


@pytest.mark.parametrize("initializer", INITIALIZERS, ids=lambda i: type(i).__name__)
def test_initializers_make_the_part_that_is_asked_for(initializer):
    assert initializer([4, 5]).shape == [4, 5]
    made = initializer([4, 5], partition_shape=(2, 5), partition_offset=(2, 0))
    assert made.shape == [2, 5]
    assert initializer([4, 5], partition_offset=(2, 0)).shape == [4, 5]
    with pytest.raises(TypeError, match="partition_shape"):
        initializer([4, 5], part=1)


def test_a_constant_initializer_has_no_parts_unless_it_says_so():
    with pytest.raises(ValueError, match="support_partition"):
        tf.constant_initializer(3.0)([4], partition_shape=[2])


@pytest.mark.parametrize("make", [tf.random_normal_initializer, tf.random_uniform_initializer])
def test_a_seeded_initializer_gives_the_same_numbers_in_every_call(make):
    seeded = make(seed=4)
    first = seeded([3]).numpy()
    in_a_function = tf.function(lambda: seeded([3]))
    for found in (seeded([3]), make(seed=4)([3]), in_a_function(), in_a_function()):
        assert found.numpy().tolist() == first.tolist()
    assert make(seed=5)([3]).numpy().tolist() != first.tolist()
    assert make()([3]).numpy().tolist() != make()([3]).numpy().tolist()
