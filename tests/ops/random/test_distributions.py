"""Random numbers by seed: what repeats, and which distribution they have."""

import numpy as np
import pytest

import gradtape as tf


def test_the_global_seed_starts_all_anew():
    tf.random.set_seed(1)
    first = [tf.random.normal([3]).numpy(), tf.random.uniform([3]).numpy()]
    again = tf.random.normal([3]).numpy()
    tf.random.set_seed(1)
    np.testing.assert_array_equal(tf.random.normal([3]), first[0])
    np.testing.assert_array_equal(tf.random.uniform([3]), first[1])
    assert not np.array_equal(first[0], again)


def test_each_seed_of_a_call_has_a_stream_of_its_own():
    tf.random.set_seed(1)
    a = tf.random.normal([2], seed=7)
    tf.random.normal([5])
    b = tf.random.normal([2], seed=7)
    tf.random.set_seed(1)
    np.testing.assert_array_equal(tf.random.normal([2], seed=7), a)
    np.testing.assert_array_equal(tf.random.normal([2], seed=7), b)


@pytest.mark.parametrize(
    ("draw", "mean", "deviation"),
    [
        (lambda n: tf.random.normal([n], 3.0, 2.0, seed=1), 3, 2),
        (lambda n: tf.random.uniform([n], -1, 5, seed=1), 2, 6 / np.sqrt(12)),
        (lambda n: tf.random.truncated_normal([n], 1.0, 1.0, seed=1), 1, 0.8796),
        (lambda n: tf.random.gamma([n], 4.0, 2.0, seed=1), 2, 1),
        (lambda n: tf.random.poisson([n], 9.0, seed=1), 9, 3),
        (lambda n: tf.random.uniform([n], 0, 10, tf.int32, seed=1), 4.5, np.sqrt(99 / 12)),
    ],
)
def test_mean_and_deviation(draw, mean, deviation):
    tf.random.set_seed(0)
    n = 20_000
    x = draw(n).numpy().astype(float)
    assert abs(x.mean() - mean) < 6 * deviation / np.sqrt(n)
    assert abs(x.std() - deviation) < 0.05 * deviation


def test_bounds_hold():
    tf.random.set_seed(0)
    x = tf.random.truncated_normal([5000], 0.0, 1.0)
    assert np.max(np.abs(x)) <= 2
    assert set(tf.random.uniform([500], 3, 6, tf.int64).numpy().tolist()) == {3, 4, 5}


def test_rows_are_shuffled_whole():
    rows = np.arange(20).reshape(10, 2)
    got = tf.random.shuffle(rows, seed=3).numpy()
    assert sorted(got.tolist()) == rows.tolist()
    assert got.tolist() != rows.tolist()


def test_classes():
    tf.random.set_seed(0)
    got = tf.random.categorical([[0.0, -np.inf, 0.0], [9e9, 0.0, 0.0]], 50)
    assert (got.shape, got.dtype) == ((2, 50), tf.int64)
    assert set(got[0].numpy().tolist()) == {0, 2}
    assert set(got[1].numpy().tolist()) == {0}


def test_gradients_by_the_parameters():
    shift, scale = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([shift, scale])
        x = tf.random.normal([4], shift, scale, seed=1)
    by_shift, by_scale = tape.gradient(x, [shift, scale])
    assert by_shift == 4.0
    np.testing.assert_allclose(by_scale, np.sum((x - 1.0) / 2.0), rtol=1e-5)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.random.normal([-1]), (ValueError, tf.errors.InvalidArgumentError)),
        (lambda: tf.random.uniform([2], 0, 5, tf.bool), ValueError),
        (lambda: tf.random.uniform([2], dtype=tf.int32), ValueError),
        (lambda: tf.random.uniform([2], 5, 5, tf.int32), tf.errors.InvalidArgumentError),
        (lambda: tf.random.categorical([1.0], 2), (ValueError, tf.errors.InvalidArgumentError)),
    ],
)
def test_what_cannot_be_drawn(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("seed", [0, 1, -1, 2**40, -(2**40)])
@pytest.mark.parametrize("everywhere", [None, 0, 5, -5, -(2**70)])
def test_objects_with_a_generator_take_every_seed(seed, everywhere):
    image = tf.ones([6, 8, 3])

    def drawn():
        tf.random.set_seed(everywhere)
        boxes = tf.nn.fractional_max_pool(image[None], 1.5, seed=seed)
        crop = tf.image.random_crop(image, [2, 2, 3], seed=seed)
        order = tf.data.Dataset.range(9).shuffle(9, seed=seed)
        return [*boxes, crop, tf.stack(list(order))]

    for first, second in zip(drawn(), drawn(), strict=True):
        assert np.array_equal(first, second) or (everywhere is None and not seed)
