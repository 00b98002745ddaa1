"""Workloads that are parts of models: attention, an LSTM, dense blocks, a penalty on a gradient."""

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


nested = Maker("nested", "gradient of a penalty on a gradient, 64 by 96", 3, small=False)
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


# Parts of models at real sizes.

block = Maker("attention block", "attention block and gradients, 8 x 128 x 256", 1.6, small=False)
WORDS, WIDTH, HEADS = 128, 256, 4
_draw = np.random.default_rng(9).standard_normal
TEXT, INTO, BACK = [
    (_draw(shape) / scale).astype("f4")
    for shape, scale in (((8, WORDS, WIDTH), 1), ((WIDTH, 3 * WIDTH), 16), ((WIDTH, WIDTH), 16))
]
PARTS = (8, WORDS, 3, HEADS, WIDTH // HEADS)  # queries, keys and values
HEADS_FIRST = (2, 0, 3, 1, 4)


@block.way("tf")
def _(tf, compiled):
    x, into, back = tf.constant(TEXT), tf.Variable(INTO), tf.Variable(BACK)

    @compiled
    def work():
        with tf.GradientTape() as tape:
            tape.watch(x)
            q, k, v = tf.unstack(tf.transpose(tf.reshape(x @ into, PARTS), HEADS_FIRST))
            weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 8.0)
            mixed = tf.reshape(tf.transpose(weights @ v, (0, 2, 1, 3)), x.shape)
            y = tf.reduce_sum((x + mixed @ back) ** 2)
        return tape.gradient(y, [x, into, back])

    return work


@block.way("torch")
def _(torch):
    x, into, back = [torch.tensor(a, requires_grad=True) for a in (TEXT, INTO, BACK)]

    def work():
        q, k, v = (x @ into).reshape(PARTS).permute(HEADS_FIRST).unbind()
        weights = torch.softmax(q @ k.transpose(-1, -2) / 8.0, -1)
        mixed = (weights @ v).transpose(1, 2).reshape(x.shape)
        return torch.autograd.grad(((x + mixed @ back) ** 2).sum(), [x, into, back])

    return work


@block.way("numpy")
def _():
    rows = TEXT.reshape(-1, WIDTH)

    def work():
        q, k, v = np.ascontiguousarray((rows @ INTO).reshape(PARTS).transpose(HEADS_FIRST))
        weights = q @ k.swapaxes(-1, -2)
        weights /= np.float32(8)
        weights -= weights.max(-1, keepdims=True)
        np.exp(weights, weights)
        weights /= weights.sum(-1, keepdims=True)
        mixed = (weights @ v).transpose(0, 2, 1, 3).reshape(-1, WIDTH)
        g = mixed @ BACK
        g += rows
        g *= 2
        by_back = mixed.T @ g
        by_mixed = (g @ BACK.T).reshape(8, WORDS, HEADS, -1).transpose(0, 2, 1, 3)
        d = by_mixed @ v.swapaxes(-1, -2)
        d -= np.vecdot(d, weights)[..., None]
        d *= weights
        d /= np.float32(8)
        by_parts = np.empty(PARTS, "f4")
        for part, found in enumerate((d @ k, d.swapaxes(-1, -2) @ q)):
            by_parts[:, :, part] = found.transpose(0, 2, 1, 3)
        by_parts[:, :, 2] = (weights.swapaxes(-1, -2) @ by_mixed).transpose(0, 2, 1, 3)
        by_parts = by_parts.reshape(-1, 3 * WIDTH)
        g += by_parts @ INTO.T
        return g.reshape(TEXT.shape), rows.T @ by_parts, by_back

    return work


lstm = Maker("lstm", "LSTM and gradients, 50 x 64 x 128", 1.6, small=False)
STEPS, UNITS = _draw((50, 64, 128)).astype("f4"), 128
INPUT, RECURRENT, BIAS = [
    (_draw(shape) / 12).astype("f4") for shape in ((128, 4 * UNITS), (UNITS, 4 * UNITS), 4 * UNITS)
]


def _cells(split, sigmoid, tanh, steps, *weights):
    """Returns the last state of an LSTM."""
    by_input, recurrent, bias = weights
    h = c = steps[0] * 0
    for x in steps:
        i, f, o, u = split(x @ by_input + h @ recurrent + bias)
        c = c * sigmoid(f) + sigmoid(i) * tanh(u)
        h = sigmoid(o) * tanh(c)
    return h


@lstm.way("tf")
def _(tf, compiled):
    steps = tf.unstack(tf.constant(STEPS))
    weights = [tf.Variable(a) for a in (INPUT, RECURRENT, BIAS)]

    @compiled
    def work():
        with tf.GradientTape() as tape:
            h = _cells(lambda z: tf.split(z, 4, 1), tf.sigmoid, tf.tanh, steps, *weights)
            y = tf.reduce_sum(h * h)
        return tape.gradient(y, weights)

    return work


@lstm.way("torch")
def _(torch):
    steps = torch.tensor(STEPS).unbind()
    weights = [torch.tensor(a, requires_grad=True) for a in (INPUT, RECURRENT, BIAS)]

    def work():
        h = _cells(lambda z: z.split(UNITS, 1), torch.sigmoid, torch.tanh, steps, *weights)
        return torch.autograd.grad((h * h).sum(), weights)

    return work


@lstm.way("numpy")
def _():
    count, rows, _ = STEPS.shape

    def work():
        gates = (STEPS.reshape(-1, UNITS) @ INPUT + BIAS).reshape(count, rows, -1)
        h, c = np.zeros((2, count + 1, rows, UNITS), "f4")  # the state before each step
        sigmoids, candidates = gates[..., : 3 * UNITS], gates[..., 3 * UNITS :]
        for t in range(count):
            gates[t] += h[t] @ RECURRENT
            sigmoids[t] = 1 / (1 + np.exp(-sigmoids[t]))
            np.tanh(candidates[t], candidates[t])
            i, f, o, u = np.split(gates[t], 4, 1)
            c[t + 1] = c[t] * f + i * u
            h[t + 1] = o * np.tanh(c[t + 1])
        by_gates, dh, dc = np.empty_like(gates), 2 * h[-1], np.float32(0)
        for t in reversed(range(count)):
            (i, f, o, u), tanh = np.split(gates[t], 4, 1), np.tanh(c[t + 1])
            dc = dc + dh * o * (1 - tanh * tanh)
            parts = dc * u * i * (1 - i), dc * c[t] * f * (1 - f), dh * tanh * o * (1 - o)
            np.concatenate((*parts, dc * i * (1 - u * u)), 1, by_gates[t])
            dh, dc = by_gates[t] @ RECURRENT.T, dc * f
        flat = by_gates.reshape(-1, 4 * UNITS)
        return STEPS.reshape(-1, UNITS).T @ flat, h[:-1].reshape(-1, UNITS).T @ flat, flat.sum(0)

    return work


forward = Maker("feed-forward", "4 feed-forward blocks, 512 x 2048, 256 rows", 1.5, small=False)
ROWS = _draw((256, 512)).astype("f4")
LAYERS = [(_draw(s) / 40).astype("f4") for _ in range(4) for s in ((512, 2048), (2048, 512))]


def _blocks(relu, x, weights):
    """Returns the result of blocks of two layers with a residual connection."""
    for into, back in zip(weights[::2], weights[1::2], strict=True):
        x = x + relu(x @ into) @ back
    return x


@forward.way("tf")
def _(tf, compiled):
    x, weights = tf.constant(ROWS), [tf.Variable(w) for w in LAYERS]

    @compiled
    def work():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(_blocks(tf.nn.relu, x, weights) ** 2)
        return tape.gradient(y, weights)

    return work


@forward.way("torch")
def _(torch):
    x, weights = torch.tensor(ROWS), [torch.tensor(w, requires_grad=True) for w in LAYERS]
    return lambda: torch.autograd.grad((_blocks(torch.relu, x, weights) ** 2).sum(), weights)


@forward.way("numpy")
def _():
    def work():
        x, kept, found = ROWS, [], []
        for into, back in zip(LAYERS[::2], LAYERS[1::2], strict=True):
            h = x @ into
            np.maximum(h, 0, out=h)
            kept.append((x, h))
            x = h @ back
            x += kept[-1][0]
        g = 2 * x
        for at in reversed(range(4)):
            x, h = kept[at]
            d = g @ LAYERS[2 * at + 1].T
            d *= h > 0
            found[:0] = x.T @ d, h.T @ g
            g += d @ LAYERS[2 * at].T if at else 0
        return found

    return work
