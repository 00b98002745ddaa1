"""The raw operations that draw random numbers."""

import numpy as np

import gradtape as tf

RAW = tf.raw_ops


def test_numbers_have_the_shapes_and_dtypes_that_were_asked_for():
    shape = tf.constant([100])
    uniform = RAW.RandomUniform(shape=shape, dtype=tf.float64).numpy()
    assert uniform.dtype == np.float64
    assert ((uniform >= 0) & (uniform < 1)).all()
    whole = RAW.RandomUniformInt(shape=shape, minval=3, maxval=5).numpy()
    assert set(whole.tolist()) == {3, 4}
    cut = RAW.TruncatedNormal(shape=shape, dtype=tf.float32).numpy()
    assert (np.abs(cut) <= 2).all()
    assert RAW.RandomStandardNormal(shape=shape, dtype=tf.float32).shape == [100]
    assert RAW.RandomGamma(shape=[3], alpha=[1.0, 2.0]).shape == [3, 2]
    assert RAW.RandomPoissonV2(shape=[3], rate=[1.0], dtype=tf.int64).dtype is tf.int64
    assert RAW.Multinomial(logits=[[0.0, 0.0]], num_samples=4).shape == [1, 4]
    assert sorted(RAW.RandomShuffle(value=[3, 1, 2]).numpy().tolist()) == [1, 2, 3]


def test_the_same_seeds_give_the_same_numbers():
    def draw():
        tf.random.set_seed(3)
        return RAW.RandomUniform(shape=[3], dtype=tf.float32, seed=1, seed2=2).numpy().tolist()

    assert draw() == draw()


def test_keys_and_counters_stand_for_a_seed():
    key, counter, alg = RAW.StatelessRandomGetKeyCounterAlg(seed=[5, -6])
    assert (key.shape, counter.shape) == ([1], [2])
    given = {"shape": [4], "key": key, "counter": counter, "alg": alg}
    for raw, public in (
        (RAW.StatelessRandomUniformV2, tf.random.stateless_uniform),
        (RAW.StatelessRandomNormalV2, tf.random.stateless_normal),
        (RAW.StatelessTruncatedNormalV2, tf.random.stateless_truncated_normal),
    ):
        assert np.array_equal(raw(**given), public([4], [5, -6]))
    whole = RAW.StatelessRandomUniformIntV2(**given, minval=0, maxval=9)
    assert np.array_equal(whole, tf.random.stateless_uniform([4], [5, -6], 0, 9, tf.int32))
    assert RAW.StatelessRandomUniformFullIntV2(**given, dtype=tf.uint64).dtype is tf.uint64


def test_seeds_alone():
    given = {"shape": [4], "seed": [1, 2]}
    for raw, public in (
        (RAW.StatelessRandomUniform, tf.random.stateless_uniform),
        (RAW.StatelessRandomNormal, tf.random.stateless_normal),
        (RAW.StatelessTruncatedNormal, tf.random.stateless_truncated_normal),
    ):
        assert np.array_equal(raw(**given), public([4], [1, 2]))
    whole = RAW.StatelessRandomUniformInt(**given, minval=0, maxval=9)
    assert np.array_equal(whole, tf.random.stateless_uniform([4], [1, 2], 0, 9, tf.int32))
    drawn = RAW.StatelessMultinomial(logits=[[0.0, 0.0]], num_samples=5, seed=[1, 2])
    assert np.array_equal(drawn, tf.random.stateless_categorical([[0.0, 0.0]], 5, [1, 2]))


def test_derivatives_of_gamma_draws():
    alpha = tf.constant([0.7, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        drawn = tf.random.stateless_gamma([2], [1, 2], alpha)
    found = tf.raw_ops.RandomGammaGrad(alpha=alpha, sample=drawn)
    np.testing.assert_allclose(found, tape.gradient(drawn, alpha), rtol=1e-5)
    # TensorFlow's value
    near = tf.raw_ops.RandomGammaGrad(alpha=[2.0], sample=[1.5])
    np.testing.assert_allclose(near, [0.93663883], rtol=1e-3)
