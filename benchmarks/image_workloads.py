"""The workloads on images and rows: layers with their gradients."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from workloads import Maker

layer = Maker("convolution", "3x3 layer of 64 channels, ReLU and pooling", 1.0, small=False)


def _data():
    draw = np.random.default_rng(5).standard_normal
    return draw((16, 32, 32, 64)).astype("f4"), (draw((3, 3, 64, 64)) / 24).astype("f4")


def _convolved(x, w):
    """Returns a convolution that keeps the size, and the windows as rows of a matrix."""
    wide = np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)])
    windows = sliding_window_view(wide, (3, 3), (1, 2)).transpose(0, 1, 2, 4, 5, 3)
    rows = windows.reshape(-1, 9 * x.shape[-1])
    return (rows @ w.reshape(-1, w.shape[-1])).reshape(*x.shape[:3], -1), rows


@layer.way("numpy")
def _():
    x, w = _data()

    def work():
        y, rows = _convolved(x, w)
        y = np.maximum(y, 0)
        parts = [y[:, i::2, j::2] for i in range(2) for j in range(2)]
        pooled = np.maximum(np.maximum(parts[0], parts[1]), np.maximum(parts[2], parts[3]))
        slope = np.repeat(np.repeat(2 * pooled, 2, 1), 2, 2)
        chosen = y == np.repeat(np.repeat(pooled, 2, 1), 2, 2)
        g = np.where(chosen & (y > 0), slope, np.float32(0))
        by_filter = rows.T @ g.reshape(-1, g.shape[-1])
        return _convolved(g, w[::-1, ::-1].swapaxes(2, 3))[0], by_filter

    return work


@layer.way("tf")
def _(tf, compiled):
    x, w = map(tf.constant, _data())

    @compiled
    def derivative(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME")), 2, 2, "VALID")
            loss = tf.reduce_sum(y * y)
        return tape.gradient(loss, [x, w])

    return lambda: derivative(x, w)


@layer.way("torch")
def _(torch):
    x, w = _data()
    x = torch.tensor(x.transpose(0, 3, 1, 2).copy(), requires_grad=True)
    w = torch.tensor(w.transpose(3, 2, 0, 1).copy(), requires_grad=True)

    def work():
        y = torch.max_pool2d(torch.relu(torch.conv2d(x, w, padding=1)), 2)
        return torch.autograd.grad((y * y).sum(), (x, w))

    return work


pooling = Maker("pooling", "max pooling 2 and gradient, 16 x 64 x 64 x 32", 1.5, small=False)


def _images():
    return np.random.default_rng(6).standard_normal((16, 64, 64, 32)).astype("f4")


@pooling.way("numpy")
def _():
    x = _images()

    def work():
        parts = [x[:, i::2, j::2] for i in range(2) for j in range(2)]
        pooled = np.maximum(np.maximum(parts[0], parts[1]), np.maximum(parts[2], parts[3]))
        slope = np.repeat(np.repeat(2 * pooled, 2, 1), 2, 2)
        return np.where(x == np.repeat(np.repeat(pooled, 2, 1), 2, 2), slope, np.float32(0))

    return work


@pooling.way("tf")
def _(tf, compiled):
    x = tf.constant(_images())

    @compiled
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.max_pool2d(x, 2, 2, "VALID")
            loss = tf.reduce_sum(y * y)
        return tape.gradient(loss, x)

    return lambda: derivative(x)


normalization = Maker("normalization", "layer normalization and gradients, 1M", 1.6, small=False)


def _rows():
    draw = np.random.default_rng(7).standard_normal
    return draw((1000, 1000)).astype("f4"), draw(1000).astype("f4"), draw(1000).astype("f4")


@normalization.way("numpy")
def _():
    x, scale, offset = _rows()

    def work():
        away = x - x.mean(1, keepdims=True)
        inverse = 1 / np.sqrt((away * away).mean(1, keepdims=True) + np.float32(1e-5))
        unit = away * inverse
        g = 2 * (unit * scale + offset)
        by_scale, by_offset = (g * unit).sum(0), g.sum(0)
        g *= scale
        by_unit = (g * unit).mean(1, keepdims=True)
        return (g - g.mean(1, keepdims=True) - unit * by_unit) * inverse, by_scale, by_offset

    return work


@normalization.way("tf")
def _(tf, compiled):
    x, scale, offset = map(tf.constant, _rows())

    @compiled
    def derivative(x, scale, offset):
        with tf.GradientTape() as tape:
            tape.watch([x, scale, offset])
            mean, variance = tf.nn.moments(x, [-1], keepdims=True)
            y = tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-5)
            loss = tf.reduce_sum(y * y)
        return tape.gradient(loss, [x, scale, offset])

    return lambda: derivative(x, scale, offset)


batches = Maker(
    "batch normalization", "batch normalization, ReLU, 64 x 16 x 16 x 64", 2, small=False
)


def _batch():
    draw = np.random.default_rng(10).standard_normal
    return draw((64, 16, 16, 64)).astype("f4"), draw(64).astype("f4"), draw(64).astype("f4")


@batches.way("tf")
def _(tf, compiled):
    x, scale, offset = map(tf.constant, _batch())

    @compiled
    def derivative(x, scale, offset):
        with tf.GradientTape() as tape:
            tape.watch([x, scale, offset])
            mean, variance = tf.nn.moments(x, [0, 1, 2])
            y = tf.nn.relu(tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3))
            loss = tf.reduce_sum(y * y)
        return tape.gradient(loss, [x, scale, offset])

    return lambda: derivative(x, scale, offset)


@batches.way("torch")
def _(torch):
    x, scale, offset = [torch.tensor(a, requires_grad=True) for a in _batch()]
    normal = torch.nn.functional.batch_norm

    def work():
        y = normal(x.permute(0, 3, 1, 2), None, None, scale, offset, True, 0.0, 1e-3).relu()
        return torch.autograd.grad((y * y).sum(), [x, scale, offset])

    return work


@batches.way("numpy")
def _():
    images, scale, offset = _batch()
    x, count = images.reshape(-1, 64), np.float32(images.size // 64)

    def work():
        away = x - x.mean(0)
        inverse = 1 / np.sqrt(np.einsum("ij,ij->j", away, away) / count + np.float32(1e-3))
        away *= inverse
        g = away * scale
        g += offset
        np.maximum(g, 0, out=g)
        g *= 2
        by_scale, by_offset = np.einsum("ij,ij->j", g, away), g.sum(0)
        g -= by_offset / count
        away *= by_scale / count
        g -= away
        g *= scale * inverse
        return g.reshape(images.shape), by_scale, by_offset

    return work
