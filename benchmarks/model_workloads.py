"""Workloads that are parts of models: attention, and a penalty on a gradient."""

import numpy as np
from workloads import Maker

attention = Maker("attention", "attention and gradients, 8 x 4 x 128 x 64", 1.6, small=False)
QUERIES, KEYS, VALUES = np.random.default_rng(5).standard_normal((3, 8, 4, 128, 64)).astype("f4")


@attention.way("tf")
def _(tf, compiled):
    q, k, v = tf.constant(QUERIES), tf.constant(KEYS), tf.constant(VALUES)

    @compiled
    def work():
        with tf.GradientTape() as tape:
            tape.watch([q, k, v])
            weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 8.0)
            y = tf.reduce_sum(tf.matmul(weights, v) ** 2)
        return tape.gradient(y, [q, k, v])

    return work


@attention.way("torch")
def _(torch):
    q, k, v = [torch.tensor(x, requires_grad=True) for x in (QUERIES, KEYS, VALUES)]

    def work():
        weights = torch.softmax(q @ k.transpose(-1, -2) / 8.0, -1)
        return torch.autograd.grad(((weights @ v) ** 2).sum(), [q, k, v])

    return work


@attention.way("numpy")
def _():
    q, k, v = QUERIES, KEYS, VALUES

    def work():
        weights = q @ k.swapaxes(-1, -2)
        weights /= np.float32(8)
        weights -= weights.max(-1, keepdims=True)
        np.exp(weights, weights)
        weights /= weights.sum(-1, keepdims=True)
        g = weights @ v
        g *= 2
        d = g @ v.swapaxes(-1, -2)
        d -= np.vecdot(d, weights)[..., None]
        d *= weights
        d /= np.float32(8)
        return d @ k, d.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ g

    return work


nested = Maker("nested", "gradient of a penalty on a gradient, 64 by 96", 4, small=False)
X = np.random.default_rng(6).standard_normal((64, 96)).astype("f4")
INNER = np.random.default_rng(7).standard_normal((96, 96)).astype("f4") / 10
OUTER = np.random.default_rng(8).standard_normal((96, 1)).astype("f4") / 10


@nested.way("tf")
def _(tf, compiled):
    x, inner, outer = tf.constant(X), tf.Variable(INNER), tf.Variable(OUTER)

    @compiled
    def work():
        with tf.GradientTape() as tape:
            with tf.GradientTape() as input_tape:
                input_tape.watch(x)
                y = tf.reduce_sum(tf.tanh(x @ inner) @ outer)
            penalty = tf.reduce_sum(input_tape.gradient(y, x) ** 2)
        return tape.gradient(penalty, [inner, outer])

    return work


@nested.way("torch")
def _(torch):
    x, inner, outer = [torch.tensor(a, requires_grad=True) for a in (X, INNER, OUTER)]

    def work():
        y = (torch.tanh(x @ inner) @ outer).sum()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        return torch.autograd.grad((g**2).sum(), [inner, outer])

    return work


@nested.way("numpy")
def _():
    def work():
        h = np.tanh(X @ INNER)
        slope = 1 - h * h
        row = OUTER[:, 0]
        a = slope * row
        g = 2 * (a @ INNER.T)
        da = g @ INNER
        dz = da * row
        dz *= -2 * h
        dz *= slope
        return g.T @ a + X.T @ dz, (da * slope).sum(0)[:, None]

    return work
