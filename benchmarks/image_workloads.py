"""The workloads on images: a layer of a convolutional network with its gradients."""

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
