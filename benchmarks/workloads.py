"""The workloads that are timed, written once for each kind of library.

A workload makes its data once. It defines the same work with TensorFlow's functions (for gradtape
and TensorFlow), with PyTorch's, with JAX's, and as derivatives written by hand in NumPy, which are
the lower bound for an eager library on NumPy. Each is a function without arguments that does the
work once, or None if a library has no natural way to do it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

f32 = np.float32
RATE = 1e-3


@dataclass(frozen=True)
class Workload:
    """One workload.

    Attributes:
      title: Its name in tables.
      per: The number of operations by which the time is divided.
      ways: For each library, a function that returns the function that does the work. For "tf", its
        arguments are the module and a decorator that compiles; for "jax", the module and whether
        to compile.
      limit: The greatest allowed ratio of gradtape's time to NumPy's.
      small: Whether it measures overhead rather than arithmetic.
    """

    title: str
    per: int
    ways: dict[str, Callable]
    limit: float
    small: bool = True


WORKLOADS: dict[str, Workload] = {}


@dataclass
class Maker:
    """Collects a workload's ways by decorators."""

    name: str
    title: str
    limit: float
    per: int = 1
    small: bool = True
    ways: dict[str, Callable] = field(default_factory=dict)

    def __post_init__(self):
        WORKLOADS[self.name] = Workload(self.title, self.per, self.ways, self.limit, self.small)

    def way(self, library):
        """Returns a decorator for the function that makes the work of a library."""

        def put(make):
            self.ways[library] = make
            return make

        return put


def _random(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(f32)


def _ready(result):
    """Waits for what JAX computes in the background."""
    for leaf in result if isinstance(result, (list, tuple)) else [result]:
        leaf.block_until_ready()
    return result


# Chains of operations on scalars measure the cost of recording and of backward passes.

chain = Maker("chain", "chain of 50 scalar operations, each", 7.5, per=50)


@chain.way("numpy")
def _(np=np):
    def work():
        y = f32(0.7)
        kept = []
        for _ in range(12):
            kept.append(y)
            s = np.sin(y)
            y = y + s * f32(0.02)
            y = y - f32(0.001)
        g = f32(1)
        for y in reversed(kept):
            g = g + g * f32(0.02) * np.cos(y)
        return g

    return work


@chain.way("tf")
def _(tf, compiled):
    x = tf.constant(0.7)

    @compiled
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(12):
                y = y + tf.sin(y) * 0.02
                y = y - 0.001
        return tape.gradient(y, x)

    return lambda: derivative(x)


@chain.way("torch")
def _(torch):
    x = torch.tensor(0.7, requires_grad=True)

    def work():
        y = x
        for _ in range(12):
            y = y + torch.sin(y) * 0.02
            y = y - 0.001
        return torch.autograd.grad(y, x)

    return work


@chain.way("jax")
def _(jax, compiled):
    def function(x):
        y = x
        for _ in range(12):
            y = y + jax.numpy.sin(y) * 0.02
            y = y - 0.001
        return y

    derivative = jax.grad(function)
    derivative = jax.jit(derivative) if compiled else derivative
    x = jax.numpy.float32(0.7)
    return lambda: _ready(derivative(x))


single = Maker("single", "gradient of one (3, 3) operation", 5.5)


@single.way("numpy")
def _():
    x = _random(3, 3)

    def work():
        y = x * x
        g = np.ones_like(y)
        return g * x + g * x

    return work


@single.way("tf")
def _(tf, compiled):
    x = tf.constant(_random(3, 3))

    @compiled
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    return lambda: derivative(x)


@single.way("torch")
def _(torch):
    x = torch.tensor(_random(3, 3), requires_grad=True)
    one = torch.ones(3, 3)
    return lambda: torch.autograd.grad(x * x, x, one)


@single.way("jax")
def _(jax, compiled):
    def derivative(x):
        y, pull = jax.vjp(lambda x: x * x, x)
        return pull(jax.numpy.ones_like(y))[0]

    derivative = jax.jit(derivative) if compiled else derivative
    x = jax.numpy.asarray(_random(3, 3))
    return lambda: _ready(derivative(x))


# Operations that move or reduce a small array, on one tape, measure the cost of recording.

moves = Maker("moves", "reshape, sum, where, concat and stack of (3, 3), each", 5.5, per=40)


@moves.way("numpy")
def _():
    x = _random(3, 3)
    mask = x > 0

    def work():
        for _ in range(8):
            x.reshape(-1)
            np.add.reduce(x, None)
            np.where(mask, x, x)
            np.concatenate([x, x])
            np.array([x, x])

    return work


@moves.way("tf")
def _(tf, compiled):
    x, mask = tf.constant(_random(3, 3)), tf.constant(_random(3, 3) > 0)

    @compiled
    def results(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            for _ in range(8):
                last = [tf.reshape(x, [-1]), tf.reduce_sum(x), tf.where(mask, x, x)]
                last += [tf.concat([x, x], 0), tf.stack([x, x])]
        return last

    return lambda: results(x)


@moves.way("torch")
def _(torch):
    x = torch.tensor(_random(3, 3), requires_grad=True)
    mask = torch.tensor(_random(3, 3) > 0)

    def work():
        for _ in range(8):
            x.reshape(-1)
            torch.sum(x)
            torch.where(mask, x, x)
            torch.cat([x, x])
            torch.stack([x, x])

    return work


# Steps of a small and of a medium network with plain gradient descent.


def _network(batch, width):
    x = _random(batch, width, seed=1)
    labels = np.random.default_rng(2).integers(0, 10, batch).astype(np.int32)
    scale = f32(width**-0.5)
    weights = [
        _random(width, width, seed=3) * scale,
        np.zeros(width, f32),
        _random(width, width, seed=4) * scale,
        np.zeros(width, f32),
        _random(width, 10, seed=5) * scale,
        np.zeros(10, f32),
    ]
    return x, labels, weights


def _network_workload(name, title, batch, width, limit, small):
    network = Maker(name, title, limit, small=small)

    @network.way("numpy")
    def _():
        x, labels, (w1, b1, w2, b2, w3, b3) = _network(batch, width)
        rows = np.arange(batch)

        def work():
            h1 = np.tanh(x @ w1 + b1)
            h2 = np.tanh(h1 @ w2 + b2)
            z = h2 @ w3 + b3
            g = np.exp(z - z.max(1, keepdims=True))
            g /= g.sum(1, keepdims=True)
            g[rows, labels] -= 1
            g /= f32(batch)
            d2 = (g @ w3.T) * (1 - h2 * h2)
            d1 = (d2 @ w2.T) * (1 - h1 * h1)
            steps = ((w3, h2.T @ g), (b3, g.sum(0)), (w2, h1.T @ d2), (b2, d2.sum(0)))
            for w, d in (*steps, (w1, x.T @ d1), (b1, d1.sum(0))):
                np.subtract(w, RATE * d, out=w)

        return work

    @network.way("tf")
    def _(tf, compiled):
        x, labels, weights = _network(batch, width)
        x, labels, weights = tf.constant(x), tf.constant(labels), list(map(tf.Variable, weights))
        w1, b1, w2, b2, w3, b3 = weights

        @compiled
        def step(x, labels):
            with tf.GradientTape() as tape:
                h = tf.tanh(tf.matmul(x, w1) + b1)
                h = tf.tanh(tf.matmul(h, w2) + b2)
                logits = tf.matmul(h, w3) + b3
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
                loss = tf.reduce_mean(losses)
            for w, d in zip(weights, tape.gradient(loss, weights), strict=True):
                w.assign_sub(RATE * d)

        return lambda: step(x, labels)

    @network.way("torch")
    def _(torch):
        x, labels, weights = _network(batch, width)
        x, labels = torch.tensor(x), torch.tensor(labels).long()
        weights = [torch.tensor(w, requires_grad=True) for w in weights]
        w1, b1, w2, b2, w3, b3 = weights

        def step():
            h = torch.tanh(x @ w1 + b1)
            h = torch.tanh(h @ w2 + b2)
            loss = torch.nn.functional.cross_entropy(h @ w3 + b3, labels)
            with torch.no_grad():
                for w, d in zip(weights, torch.autograd.grad(loss, weights), strict=True):
                    w.sub_(d, alpha=RATE)

        return step

    @network.way("jax")
    def _(jax, compiled):
        x, labels, weights = _network(batch, width)

        def loss(weights, x, labels):
            w1, b1, w2, b2, w3, b3 = weights
            h = jax.numpy.tanh(x @ w1 + b1)
            h = jax.numpy.tanh(h @ w2 + b2)
            logits = jax.nn.log_softmax(h @ w3 + b3)
            return -jax.numpy.take_along_axis(logits, labels[:, None], 1).mean()

        def step(weights, x, labels):
            slopes = jax.grad(loss)(weights, x, labels)
            return [w - RATE * d for w, d in zip(weights, slopes, strict=True)]

        step = jax.jit(step, donate_argnums=0) if compiled else step
        kept = [[jax.numpy.asarray(w) for w in weights]]
        x, labels = jax.numpy.asarray(x), jax.numpy.asarray(labels)

        def work():
            kept[0] = _ready(step(kept[0], x, labels))

        return work


_network_workload("network small", "step of a network, 32 by 16", 32, 16, 4, small=True)
_network_workload("network", "step of a network, 256 by 128", 256, 128, 1.8, small=False)

# Jacobians and Hessians.

jacobian = Maker("jacobian", "Jacobian, 201 outputs by a scalar", 25)


@jacobian.way("numpy")
def _():
    x, d = np.linspace(-10, 10, 201, dtype=f32), f32(0)

    def work():
        y = 1 / (1 + np.exp(-(x + d)))
        return y * (1 - y)

    return work


@jacobian.way("tf")
def _(tf, compiled):
    x, d = tf.linspace(-10.0, 10.0, 201), tf.Variable(0.0)

    @compiled
    def derivative():
        with tf.GradientTape() as tape:
            y = tf.nn.sigmoid(x + d)
        return tape.jacobian(y, d)

    return derivative


@jacobian.way("torch")
def _(torch):
    x, d = torch.linspace(-10, 10, 201), torch.tensor(0.0)
    derivative = torch.func.jacrev(lambda d: torch.sigmoid(x + d))
    return lambda: derivative(d)


@jacobian.way("jax")
def _(jax, compiled):
    x, d = jax.numpy.linspace(-10, 10, 201), jax.numpy.float32(0)
    derivative = jax.jacfwd(lambda d: jax.nn.sigmoid(x + d))
    derivative = jax.jit(derivative) if compiled else derivative
    return lambda: _ready(derivative(d))


def _two_layers(batch, inputs, hidden, outputs):
    return (
        _random(batch, inputs, seed=6),
        _random(inputs, hidden, seed=7) * f32(inputs**-0.5),
        0.1 * _random(hidden, seed=8),
        _random(hidden, outputs, seed=9) * f32(hidden**-0.5),
        0.1 * _random(outputs, seed=10),
    )


batch_jacobian = Maker("batch jacobian", "batch Jacobian, (256, 64, 64)", 3, small=False)


@batch_jacobian.way("numpy")
def _():
    x, w1, b1, w2, b2 = _two_layers(256, 64, 64, 64)

    def work():
        z1 = x @ w1 + b1
        h = np.where(z1 > 0, z1, np.expm1(z1))
        z2 = h @ w2 + b2
        s1 = np.where(z1 > 0, 1, np.exp(z1))
        s2 = np.where(z2 > 0, 1, np.exp(z2))
        return (s2[:, :, None] * w2.T) * s1[:, None, :] @ w1.T

    return work


@batch_jacobian.way("tf")
def _(tf, compiled):
    x, w1, b1, w2, b2 = map(tf.constant, _two_layers(256, 64, 64, 64))

    @compiled
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = tf.nn.elu(tf.matmul(x, w1) + b1)
            y = tf.nn.elu(tf.matmul(h, w2) + b2)
        return tape.batch_jacobian(y, x)

    return lambda: derivative(x)


@batch_jacobian.way("torch")
def _(torch):
    x, w1, b1, w2, b2 = map(torch.tensor, _two_layers(256, 64, 64, 64))
    elu = torch.nn.functional.elu
    one = torch.func.jacrev(lambda x: elu(elu(x @ w1 + b1) @ w2 + b2))
    derivative = torch.func.vmap(one)
    return lambda: derivative(x)


@batch_jacobian.way("jax")
def _(jax, compiled):
    x, w1, b1, w2, b2 = map(jax.numpy.asarray, _two_layers(256, 64, 64, 64))
    one = jax.jacrev(lambda x: jax.nn.elu(jax.nn.elu(x @ w1 + b1) @ w2 + b2))
    derivative = jax.jit(jax.vmap(one)) if compiled else jax.vmap(one)
    return lambda: _ready(derivative(x))


hessian = Maker("hessian", "Hessian by 1,000 weights", 5.5, small=False)


@hessian.way("numpy")
def _():
    x, w1, b1, w2, b2 = _two_layers(64, 25, 40, 10)

    def work():
        h = np.tanh(x @ w1 + b1)
        y = h @ w2 + b2
        scale = f32(2 / y.size)
        slope = 1 - h * h
        inner = (y @ w2.T) * (-2 * h * slope)  # second derivative through tanh
        cross = w2 @ w2.T
        outer = np.einsum("bi,bj,bh->hij", x, x, inner, optimize=True)
        both = np.einsum("bi,bj,bh,bk->ihjk", x, x, slope, slope, optimize=True)
        full = both * cross[None, :, None, :]
        for k in range(h.shape[1]):
            full[:, k, :, k] += outer[k]
        return full * scale

    return work


@hessian.way("tf")
def _(tf, compiled):
    x, w1, b1, w2, b2 = map(tf.constant, _two_layers(64, 25, 40, 10))

    @compiled
    def derivative(w):
        with tf.GradientTape() as outer:
            outer.watch(w)
            with tf.GradientTape() as inner:
                inner.watch(w)
                y = tf.matmul(tf.tanh(tf.matmul(x, w) + b1), w2) + b2
                loss = tf.reduce_mean(y**2)
            slope = inner.gradient(loss, w)
        return outer.jacobian(slope, w)

    return lambda: derivative(w1)


@hessian.way("torch")
def _(torch):
    x, w1, b1, w2, b2 = map(torch.tensor, _two_layers(64, 25, 40, 10))
    derivative = torch.func.hessian(lambda w: ((torch.tanh(x @ w + b1) @ w2 + b2) ** 2).mean())
    return lambda: derivative(w1)


@hessian.way("jax")
def _(jax, compiled):
    x, w1, b1, w2, b2 = map(jax.numpy.asarray, _two_layers(64, 25, 40, 10))
    tanh = jax.numpy.tanh
    derivative = jax.hessian(lambda w: ((tanh(x @ w + b1) @ w2 + b2) ** 2).mean())
    derivative = jax.jit(derivative) if compiled else derivative
    return lambda: _ready(derivative(w1))


# Rows of a large table: the gradient and the update must not access the other rows.

rows = Maker("rows", "step on 1,000 rows of 100,000", 0.8, small=False)


def _table():
    return _random(100_000, 64), np.random.default_rng(11).integers(0, 100_000, 1000)


@rows.way("numpy")
def _():
    table, places = _table()

    def work():
        np.subtract.at(table, places, f32(RATE) * 2 * table[places])

    return work


@rows.way("tf")
def _(tf, compiled):
    table, places = _table()
    table, places = tf.Variable(table), tf.constant(places)

    @compiled
    def step(places):
        with tf.GradientTape() as tape:
            taken = tf.gather(table, places)
            loss = tf.reduce_sum(taken * taken)
        slope = tape.gradient(loss, table)
        table.scatter_sub(tf.IndexedSlices(RATE * slope.values, slope.indices))

    return lambda: step(places)


@rows.way("torch")
def _(torch):
    table, places = _table()
    layer = torch.nn.Embedding(*table.shape, sparse=True, _weight=torch.tensor(table))
    places = torch.tensor(places)
    optimizer = torch.optim.SGD(layer.parameters(), lr=RATE)

    def step():
        optimizer.zero_grad()
        (layer(places) ** 2).sum().backward()
        optimizer.step()

    return step


# Functions of a million elements, and their gradients.


def _large_workload(name, title, limit, tf_function, torch_function, jax_function, by_hand):
    large = Maker(name, title, limit, small=False)

    @large.way("numpy")
    def _():
        x = _random(1000, 1000)
        return lambda: by_hand(x)

    @large.way("tf")
    def _(tf, compiled):
        x = tf.constant(_random(1000, 1000))

        @compiled
        def derivative(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf_function(tf, x))
            return tape.gradient(y, x)

        return lambda: derivative(x)

    @large.way("torch")
    def _(torch):
        x = torch.tensor(_random(1000, 1000), requires_grad=True)
        return lambda: torch.autograd.grad(torch_function(torch, x).sum(), x)

    @large.way("jax")
    def _(jax, compiled):
        x = jax.numpy.asarray(_random(1000, 1000))
        derivative = jax.grad(lambda x: jax_function(jax, x).sum())
        derivative = jax.jit(derivative) if compiled else derivative
        return lambda: _ready(derivative(x))


def _tanh_by_hand(x):
    y = np.tanh(x)
    return y.sum(), 1 - y * y


def _where_by_hand(x):
    mask = x > 0
    return np.where(mask, x, f32(0.1) * x).sum(), np.where(mask, f32(1), f32(0.1))


def _sigmoid_by_hand(x):
    y = 1 / (1 + np.exp(-x))
    return y.sum(), y * (1 - y)


def _softplus_by_hand(x):
    z = np.exp(-np.abs(x))
    slope = np.where(x > 0, f32(1), z) / (1 + z)
    return (np.maximum(x, 0) + np.log1p(z)).sum(), slope


def _gelu_by_hand(x):
    from scipy.special import ndtr  # TensorFlow's Python may lack SciPy

    below = ndtr(x)
    return (x * below).sum(), below + x * np.exp(x * x * f32(-0.5)) * f32(0.39894228)


def _softmax_by_hand(x):
    e = np.exp(x - x.max(1, keepdims=True))
    y = e / e.sum(1, keepdims=True)
    g = 2 * y
    return (y * y).sum(), (g - (g * y).sum(1, keepdims=True)) * y


_large_workload(
    "large tanh",
    "tanh and gradient, 1M",
    1.5,
    lambda tf, x: tf.tanh(x),
    lambda torch, x: torch.tanh(x),
    lambda jax, x: jax.numpy.tanh(x),
    _tanh_by_hand,
)
_large_workload(
    "large where",
    "where and gradient, 1M",
    0.5,
    lambda tf, x: tf.where(x > 0, x, 0.1 * x),
    lambda torch, x: torch.where(x > 0, x, 0.1 * x),
    lambda jax, x: jax.numpy.where(x > 0, x, 0.1 * x),
    _where_by_hand,
)
_large_workload(
    "large softmax",
    "softmax and gradient, 1M",
    1.5,
    lambda tf, x: tf.nn.softmax(x) ** 2,
    lambda torch, x: torch.softmax(x, -1) ** 2,
    lambda jax, x: jax.nn.softmax(x) ** 2,
    _softmax_by_hand,
)
_large_workload(
    "large sigmoid",
    "sigmoid and gradient, 1M",
    1.5,
    lambda tf, x: tf.sigmoid(x),
    lambda torch, x: torch.sigmoid(x),
    lambda jax, x: jax.nn.sigmoid(x),
    _sigmoid_by_hand,
)
_large_workload(
    "large softplus",
    "softplus and gradient, 1M",
    0.7,
    lambda tf, x: tf.nn.softplus(x),
    lambda torch, x: torch.nn.functional.softplus(x),
    lambda jax, x: jax.nn.softplus(x),
    _softplus_by_hand,
)
_large_workload(
    "large gelu",
    "GELU and gradient, 1M",
    0.7,
    lambda tf, x: tf.nn.gelu(x),
    lambda torch, x: torch.nn.functional.gelu(x),
    lambda jax, x: jax.nn.gelu(x, approximate=False),
    _gelu_by_hand,
)
