"""Random numbers that depend on nothing but their arguments."""

import numpy as np
import pytest

import gradtape as tf

SEED = [3, 4]
random = tf.random
DRAWS = [
    lambda seed: random.stateless_uniform([40], seed),
    lambda seed: random.stateless_uniform([40], seed, 0, 1000, tf.int32),
    lambda seed: random.stateless_uniform([40], seed, None, None, tf.uint32),
    lambda seed: random.stateless_normal([40], seed),
    lambda seed: random.stateless_truncated_normal([40], seed),
    lambda seed: random.stateless_gamma([40], seed, 2.0),
    lambda seed: random.stateless_poisson([40], seed, 50.0),
    lambda seed: random.stateless_binomial([40], seed, 100.0, 0.5),
    lambda seed: random.stateless_categorical(tf.zeros([1, 99]), 40, seed),
    lambda seed: random.experimental.stateless_shuffle(tf.range(40), seed),
    lambda seed: random.split(seed, 20),
    lambda seed: random.fold_in(seed, 5),
]


@pytest.mark.parametrize("draw", DRAWS)
def test_the_same_seed_gives_the_same_numbers(draw):
    first = draw(SEED).numpy()
    tf.random.set_seed(9)
    np.testing.assert_array_equal(draw(SEED), first)
    assert not np.array_equal(draw([3, 5]), first)
    assert not np.array_equal(draw([4, 4]), first)


@pytest.mark.parametrize("draw", DRAWS)
def test_a_seed_has_two_numbers(draw):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        draw([1, 2, 3])


def test_derived_seeds_differ():
    seeds = random.split(SEED, 5).numpy()
    assert len({tuple(s) for s in seeds.tolist()}) == 5
    assert not np.array_equal(random.fold_in(SEED, 1), random.fold_in(SEED, 2))


def test_bounds_and_means():
    x = random.stateless_uniform([5000], SEED, 2.0, 4.0).numpy()
    assert 2 <= x.min() <= x.max() < 4
    assert abs(x.mean() - 3) < 0.1
    counts = random.stateless_binomial([5000], SEED, 10.0, 0.3).numpy()
    assert abs(counts.mean() - 3) < 0.2


def test_gradients_by_the_bounds():
    low = tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(low)
        x = random.stateless_uniform([3], SEED, low, 1.0)
    np.testing.assert_allclose(tape.gradient(x, low), np.sum(1 - x.numpy()), rtol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: random.stateless_uniform([2], SEED, 0, 5, tf.bool),
        lambda: random.stateless_uniform([2], SEED, None, None, tf.float32),
        lambda: random.stateless_categorical([1.0], 2, SEED),
        lambda: random.stateless_poisson([2], SEED, [1.0, 2.0, 3.0]),
    ],
)
def test_what_cannot_be_drawn(call):
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
        call()


@pytest.mark.parametrize(
    "draw",
    [
        lambda n: random.stateless_uniform([n, 3], SEED),
        lambda n: random.stateless_uniform(tf.stack([n, 3]), SEED, 0, 9, tf.int32),
        lambda n: random.stateless_normal((n, 3), SEED),
        lambda n: random.stateless_truncated_normal((n, 3), SEED),
    ],
)
@pytest.mark.parametrize("autograph", [True, False])
def test_a_known_seed_and_an_unknown_length(draw, autograph):
    signature = [tf.TensorSpec([None], tf.float32)]
    f = tf.function(lambda x: draw(tf.shape(x)[0]), signature, autograph=autograph)
    assert f.get_concrete_function().output_shapes.as_list() == [None, 3]
    for n in (2, 5):
        np.testing.assert_array_equal(f(tf.zeros([n])), draw(n))


def test_categorical_of_no_dtype_is_int64():
    assert tf.random.stateless_categorical([[0.0, 1.0]], 2, [1, 2], dtype=None).dtype == tf.int64
