"""Convolutions, against sums written out."""

import numpy as np
import pytest

import gradtape as tf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 5, 6, 3))
W = RNG.normal(size=(3, 2, 3, 4))


def plain(x, w, stride=(1, 1), rate=(1, 1)):
    """The sum over all places of a filter, without padding."""
    reach = [(k - 1) * r + 1 for k, r in zip(w.shape, rate, strict=False)]
    rows = range(0, x.shape[1] - reach[0] + 1, stride[0])
    columns = range(0, x.shape[2] - reach[1] + 1, stride[1])
    out = np.zeros((len(x), len(rows), len(columns), w.shape[-1]))
    for i, top in enumerate(rows):
        for j, left in enumerate(columns):
            part = x[:, top : top + reach[0] : rate[0], left : left + reach[1] : rate[1]]
            out[:, i, j] = np.tensordot(part, w, 3)
    return out


@pytest.mark.parametrize(("stride", "rate"), [((1, 1), (1, 1)), ((2, 3), (1, 1)), ((1, 1), (2, 3))])
def test_strides_and_dilations(stride, rate):
    got = tf.nn.conv2d(X, W, list(stride), "VALID", dilations=list(rate))
    np.testing.assert_allclose(got, plain(X, W, stride, rate))
    general = tf.nn.convolution(X, W, list(stride), "VALID", dilations=list(rate))
    np.testing.assert_allclose(general, got)


def test_padding_keeps_the_size():
    wide = np.pad(X, [(0, 0), (1, 1), (0, 1), (0, 0)])
    np.testing.assert_allclose(tf.nn.conv2d(X, W, 1, "SAME"), plain(wide, W))
    explicit = tf.nn.conv2d(X, W, 1, [[0, 0], [1, 1], [0, 1], [0, 0]])
    np.testing.assert_allclose(explicit, plain(wide, W))


def test_one_and_three_dimensions():
    line = tf.nn.conv1d(X[:, 0], W[0], 1, "VALID")
    np.testing.assert_allclose(line, plain(X[:, :1], W[:1])[:, 0])
    space = tf.nn.conv3d(X[:, None], W[None], [1] * 5, "VALID")
    np.testing.assert_allclose(space[:, 0], plain(X, W))


def test_channels_apart():
    deep = tf.nn.depthwise_conv2d(X, W, [1] * 4, "VALID")
    assert deep.shape == (2, 3, 5, 12)
    np.testing.assert_allclose(deep[..., :4], plain(X[..., :1], W[:, :, :1]))
    mix = RNG.normal(size=(1, 1, 12, 2))
    both = tf.nn.separable_conv2d(X, W, mix, [1] * 4, "VALID")
    np.testing.assert_allclose(both, plain(deep.numpy(), mix))
    np.testing.assert_allclose(tf.nn.atrous_conv2d(X, W, 2, "VALID"), plain(X, W, rate=(2, 2)))


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.nn.conv2d(X, W[:, :, :2], 1, "VALID"),
        lambda: tf.nn.conv2d(X, W, 1, "FULL"),
        lambda: tf.nn.conv2d(X, W, 0, "VALID"),
        lambda: tf.nn.conv2d(X[0], W, 1, "VALID"),
    ],
)
def test_what_does_not_fit(call):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        call()
