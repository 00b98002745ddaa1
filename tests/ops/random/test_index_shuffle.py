"""Places in a permutation; expected numbers are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

shuffle = tf.random.experimental.index_shuffle


def test_numbers_of_tensorflow():
    assert [int(shuffle(i, [5, 9], 9)) for i in range(10)] == [8, 0, 6, 3, 1, 5, 4, 7, 2, 9]
    assert shuffle(tf.range(4), [5, -9], 100000).numpy().tolist() == [90647, 19013, 64258, 35113]
    found = shuffle(tf.range(2, dtype=tf.int64), tf.constant([5, -9], tf.int64), 2**40)
    assert found.numpy().tolist() == [538791349532, 538856361481]
    found = shuffle(tf.range(2, dtype=tf.int64), tf.constant([5, 2**40], tf.int64), 2**62)
    assert found.numpy().tolist() == [237587255863493652, 237587324582954381]
    raw = tf.raw_ops.RandomIndexShuffle(
        index=tf.range(3), seed=[1, 2, 3], max_index=2**20, rounds=24
    )
    assert raw.numpy().tolist() == [807704, 1021532, 962530]


@pytest.mark.parametrize("most", [1, 2, 299, 65535, 70000])
def test_it_is_a_permutation(most):
    places = shuffle(tf.range(most + 1), [3, 4], most).numpy()
    assert np.array_equal(np.sort(places), np.arange(most + 1))


def test_each_index_may_have_its_seed_and_range():
    found = shuffle([2, 1], [[5, 9], [1, 2]], [10, 20])
    assert found.numpy().tolist() == [int(shuffle(2, [5, 9], 10)), int(shuffle(1, [1, 2], 20))]


def test_in_graphs():
    compiled = tf.function(lambda i, seed: shuffle(i, seed, 100))
    assert compiled(tf.range(4), tf.constant([5, 9])).numpy().tolist() == [47, 17, 71, 27]
    most = tf.constant(5, tf.int64)
    rows = tf.data.Dataset.range(6).map(lambda i: shuffle(i, [5, 9], most))
    assert [int(i) for i in rows] == [2, 0, 4, 3, 1, 5]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((10, [5, 9], 9), "max_index must be >= index"),
        ((-1, [5, 9], 9), "index must be >= 0"),
        ((0, [5, 9], -1), "max_index must be >= 0"),
        ((1, [5, 9, 3], 9), "Seed must be a vector"),
        ((1.0, [5, 9], 9), "Value for attr 'dtype' of float"),
        ((1, [5.0, 9], 9), "Value for attr 'Tseed' of float"),
        (([[1]], [5, 9], 9), "scalar or vector"),
    ],
)
def test_bad_arguments(args, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        shuffle(*args)
