"""Maxima and means of windows, against NumPy."""

import numpy as np
import pytest

import gradtape as tf

X = np.random.default_rng(0).normal(size=(2, 4, 6, 3))
BLOCKS = X.reshape(2, 2, 2, 3, 2, 3)


@pytest.mark.parametrize(("pool", "reduce"), [("max", np.max), ("avg", np.mean)])
def test_windows_side_by_side(pool, reduce):
    want = reduce(BLOCKS, (2, 4))
    named = {"max": tf.nn.max_pool2d, "avg": tf.nn.avg_pool2d}[pool]
    np.testing.assert_allclose(named(X, 2, 2, "VALID"), want)
    np.testing.assert_allclose(getattr(tf.nn, f"{pool}_pool")(X, 2, 2, "SAME"), want)
    general = tf.nn.pool(X, [2, 2], pool.upper(), [2, 2], "VALID")
    np.testing.assert_allclose(general, want)
    lines = getattr(tf.nn, f"{pool}_pool1d")(X[:, 0], 2, 2, "VALID")
    np.testing.assert_allclose(lines, reduce(X[:, 0].reshape(2, 3, 2, 3), 2))
    space = getattr(tf.nn, f"{pool}_pool3d")(X[:, None], [1, 2, 2], [1, 2, 2], "VALID")
    np.testing.assert_allclose(space[:, 0], want)


def test_padding_does_not_count():
    ones = tf.ones([1, 3, 3, 1])
    assert np.all(tf.nn.avg_pool2d(ones, 2, 2, "SAME") == 1.0)
    assert np.all(tf.nn.max_pool2d(-ones, 2, 2, "SAME") == -1.0)


def test_the_gradient_goes_to_the_first_maximum():
    x = tf.zeros([1, 2, 2, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    assert tape.gradient(y, x).numpy().ravel().tolist() == [1, 0, 0, 0]


def test_channels_first():
    turned = np.moveaxis(X, -1, 1)
    got = tf.nn.max_pool2d(turned, 2, 2, "VALID", data_format="NCHW")
    np.testing.assert_allclose(got, np.moveaxis(BLOCKS.max((2, 4)), -1, 1))


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("pool", [tf.nn.max_pool2d, tf.nn.avg_pool2d])
def test_windows_of_a_billion_elements(pool, is_compiled):
    if is_compiled:
        pytest.importorskip("jax")
    x = tf.constant(X)

    @tf.function(jit_compile=is_compiled)
    def derivatives(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = pool(x, 10**9, [1, 2], "SAME")
            g = tape.gradient(y, x, y)
        return y, g, outer.gradient(g, x, x)

    y, g, second = derivatives(x)
    reduce = np.max if pool is tf.nn.max_pool2d else np.mean
    best = reduce(X, (1, 2), keepdims=True)
    np.testing.assert_allclose(y, np.broadcast_to(best, (2, 4, 3, 3)))
    share = np.equal(X, best) if pool is tf.nn.max_pool2d else np.full(X.shape, 1 / 24)
    np.testing.assert_allclose(g, share * best * 12)
    np.testing.assert_allclose(second, share * best * 12)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.nn.max_pool2d(X, 0, 1, "VALID"),
        lambda: tf.nn.max_pool2d(X, 2, 2, "FULL"),
        lambda: tf.nn.avg_pool2d(X, 9, 1, "VALID"),
        lambda: tf.nn.pool(X, [2, 2], "MIN", [1, 1], "VALID"),
        lambda: tf.nn.max_pool2d(X, [2, 2, 2], 1, "VALID"),
    ],
)
def test_what_does_not_fit(call):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        call()
