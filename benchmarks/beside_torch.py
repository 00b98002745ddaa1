"""Compares single operations, functions of large arrays and layers with PyTorch, eagerly.

    OMP_NUM_THREADS=1 python benchmarks/beside_torch.py [--seconds 3] [--only softmax]

gradtape and PyTorch, which must both be installed, take turns of some milliseconds in one process
and one thread. A row has the least processor time of each, their ratio, and the median of the
ratios of all turns, which depends less on the load of the machine. Operations on one (3, 3) array
are recorded but not differentiated, and are compared with NumPy's functions, too. The rows of
optimizers are only about updates. All other rows include the gradient. A large array has a million
float32 numbers. If JAX is installed, gradtape runs once more after
`tf.config.optimizer.set_jit(True)`, in turn with the others, on the rows about more than one
operation.
"""

import argparse
import importlib.util
import pathlib
import statistics
import sys
import time

import gradtape as tf  # isort: skip  (before NumPy, as docs/performance.md advises)
import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from options import containing
from rich.console import Console
from rich.table import Table

F = torch.nn.functional
SLICE = 12e-3  # the seconds of a turn
RECORDED = 64  # the number of operations on one tape
ROWS = {}


def row(name, per=1):
    """Returns a decorator for a function that returns gradtape's, PyTorch's and NumPy's work."""

    def put(make):
        ROWS[name] = make, per
        return make

    return put


def draw(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype("f4")


# Single operations.

SMALL = {  # by name: functions of a matrix and a mask in gradtape, PyTorch and NumPy
    "add": (lambda x, c: x + x, lambda x, c: x + x, lambda x, c: x + x),
    "exp": (lambda x, c: tf.exp(x), lambda x, c: torch.exp(x), lambda x, c: np.exp(x)),
    "matmul": (lambda x, c: x @ x, lambda x, c: x @ x, lambda x, c: x.dot(x)),
    "getitem": (lambda x, c: x[0], lambda x, c: x[0], lambda x, c: x[0]),
    "transpose": (lambda x, c: tf.transpose(x), lambda x, c: x.T, lambda x, c: x.T),
    "reshape": (
        lambda x, c: tf.reshape(x, [-1]),
        lambda x, c: x.reshape(-1),
        lambda x, c: x.reshape(-1),
    ),
    "sum": (
        lambda x, c: tf.reduce_sum(x),
        lambda x, c: torch.sum(x),
        lambda x, c: np.add.reduce(x, None),
    ),
    "where": (
        lambda x, c: tf.where(c, x, x),
        lambda x, c: torch.where(c, x, x),
        lambda x, c: np.where(c, x, x),
    ),
    "concat": (
        lambda x, c: tf.concat([x, x], 0),
        lambda x, c: torch.cat([x, x]),
        lambda x, c: np.concatenate([x, x]),
    ),
    "stack": (
        lambda x, c: tf.stack([x, x]),
        lambda x, c: torch.stack([x, x]),
        lambda x, c: np.array([x, x]),
    ),
}


def _small(name, ours, theirs, bare):
    @row(f"(3, 3) {name}", RECORDED)
    def make():
        x = draw(3, 3)
        a, mask = tf.constant(x), tf.constant(x > 0)
        b, torch_mask = torch.tensor(x, requires_grad=True), torch.tensor(x > 0)

        def recorded():
            with tf.GradientTape() as tape:
                tape.watch(a)
                for _ in range(RECORDED):
                    ours(a, mask)

        def repeated(function, *arguments):
            def work():
                for _ in range(RECORDED):
                    function(*arguments)

            return work

        return recorded, repeated(theirs, b, torch_mask), repeated(bare, x, x > 0)


for _name, _three in SMALL.items():
    _small(_name, *_three)


# Functions and layers with their gradients.


def gradients(ours, theirs, *arrays):
    """Returns each library's work: it differentiates a function's sum by all arguments."""
    a = [tf.constant(x) for x in arrays]
    b = [torch.tensor(x, requires_grad=True) for x in arrays]

    def work():
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = tf.reduce_sum(ours(*a))
        return tape.gradient(y, a)

    return work, lambda: torch.autograd.grad(theirs(*b).sum(), b)


LARGE = {
    "exp": (tf.exp, torch.exp),
    "log of positive numbers": (lambda x: tf.math.log(x * x), lambda x: torch.log(x * x)),
    "tanh": (tf.tanh, torch.tanh),
    "sin": (tf.sin, torch.sin),
    "sigmoid": (tf.sigmoid, torch.sigmoid),
    "softplus": (tf.nn.softplus, F.softplus),
    "relu": (tf.nn.relu, torch.relu),
    "elu": (tf.nn.elu, F.elu),
    "silu": (tf.nn.silu, F.silu),
    "gelu": (tf.nn.gelu, F.gelu),
    "gelu by tanh": (
        lambda x: tf.nn.gelu(x, approximate=True),
        lambda x: F.gelu(x, approximate="tanh"),
    ),
    "softmax": (lambda x: tf.nn.softmax(x) ** 2, lambda x: torch.softmax(x, -1) ** 2),
    "log_softmax": (lambda x: tf.nn.log_softmax(x) ** 2, lambda x: torch.log_softmax(x, -1) ** 2),
}


def _large(name, ours, theirs):
    @row(f"1M {name}")
    def make():
        return gradients(ours, theirs, draw(1000, 1000))


for _name, _pair in LARGE.items():
    _large(_name, *_pair)


@row("1M layer normalization")
def _():
    def ours(x, scale, offset):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-5) ** 2

    def theirs(x, scale, offset):
        return F.layer_norm(x, (1000,), scale, offset) ** 2

    return gradients(ours, theirs, draw(1000, 1000), draw(1000), draw(1000, seed=1))


@row("batch normalization, 64 x 16 x 16 x 64")
def _():
    def ours(x, scale, offset):
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3) ** 2

    def theirs(x, scale, offset):
        x = x.permute(0, 3, 1, 2)
        return F.batch_norm(x, None, None, scale, offset, True, 0.0, 1e-3) ** 2

    return gradients(ours, theirs, draw(64, 16, 16, 64), draw(64), draw(64, seed=1))


def _pool(name, ours, theirs):
    @row(f"{name}, 16 x 64 x 64 x 32")
    def make():
        return gradients(
            lambda x: ours(x) ** 2,
            lambda x: theirs(x.permute(0, 3, 1, 2)) ** 2,
            draw(16, 64, 64, 32),
        )


for _name, _of_ours, _of_theirs in (
    ("max", tf.nn.max_pool2d, F.max_pool2d),
    ("average", tf.nn.avg_pool2d, F.avg_pool2d),
):
    for _k, _step in ((2, 2), (3, 2), (3, 1)):
        _pool(
            f"{_name} pooling {_k} by {_step}",
            lambda x, f=_of_ours, k=_k, step=_step: f(x, k, step, "VALID"),
            lambda x, f=_of_theirs, k=_k, step=_step: f(x, k, step),
        )


@row("attention, 8 x 4 x 128 x 64")
def _():
    def ours(q, k, v):
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 8.0)
        return tf.matmul(weights, v) ** 2

    def theirs(q, k, v):
        return (torch.softmax(q @ k.transpose(-1, -2) / 8.0, -1) @ v) ** 2

    return gradients(ours, theirs, *[draw(8, 4, 128, 64, seed=k) for k in range(3)])


@row("LSTM, 50 x 64 x 128")
def _():
    def run(split, sigmoid, tanh, steps, wx, wh, b):
        h = c = steps[0] * 0
        for x in steps:
            i, f, o, u = split(x @ wx + h @ wh + b)
            c = c * sigmoid(f) + sigmoid(i) * tanh(u)
            h = sigmoid(o) * tanh(c)
        return h * h

    x = draw(50, 64, 128)
    ours, theirs = tf.unstack(tf.constant(x)), torch.tensor(x).unbind()
    return gradients(
        lambda *w: run(lambda z: tf.split(z, 4, 1), tf.sigmoid, tf.tanh, ours, *w),
        lambda *w: run(lambda z: z.split(128, 1), torch.sigmoid, torch.tanh, theirs, *w),
        draw(128, 512) / 12,
        draw(128, 512, seed=1) / 12,
        draw(512) / 12,
    )


@row("four feed-forward blocks, 512 x 2048, 256 rows")
def _():
    def run(relu, x, *weights):
        for into, back in zip(weights[::2], weights[1::2], strict=True):
            x = x + relu(x @ into) @ back
        return x * x

    weights = [draw(*s, seed=k) / 40 for k in range(4) for s in ((512, 2048), (2048, 512))]
    x = draw(256, 512)
    return gradients(
        lambda *w: run(tf.nn.relu, tf.constant(x), *w),
        lambda *w: run(torch.relu, torch.tensor(x), *w),
        *weights,
    )


@row("step on 1,000 rows of 100,000 x 64")
def _():
    places = np.random.default_rng(11).integers(0, 100_000, 1000)
    table, ids = tf.Variable(draw(100_000, 64)), tf.constant(places)
    layer = torch.nn.Embedding(100_000, 64, sparse=True, _weight=torch.tensor(draw(100_000, 64)))
    torch_ids, optimizer = torch.tensor(places), torch.optim.SGD(layer.parameters(), lr=1e-3)

    def ours():
        with tf.GradientTape() as tape:
            taken = tf.gather(table, ids)
            loss = tf.reduce_sum(taken * taken)
        slope = tape.gradient(loss, table)
        table.scatter_sub(tf.IndexedSlices(1e-3 * slope.values, slope.indices))

    def theirs():
        optimizer.zero_grad()
        (layer(torch_ids) ** 2).sum().backward()
        optimizer.step()

    return ours, theirs


SHAPES = (16, 32), (32,), (32, 32), (32,), (32, 10), (10,)  # the variables of a small network
OPTIMIZERS = {  # by name: options that the classes of Keras and of PyTorch share
    "SGD": ("SGD", {}),
    "SGD with momentum": ("SGD", {"momentum": 0.9}),
    "Adam": ("Adam", {}),
}


def _update(name, kind, options):
    @row(f"six small updates by {name}")
    def make():
        values = [draw(*s, seed=k) for k, s in enumerate(SHAPES)]
        variables = [tf.Variable(v) for v in values]
        pairs = [(tf.constant(v * 1e-3), own) for v, own in zip(values, variables, strict=True)]
        optimizer = getattr(tf.keras.optimizers, kind)(1e-3, **options)
        parameters = [torch.tensor(v, requires_grad=True) for v in values]
        for p, v in zip(parameters, values, strict=True):
            p.grad = torch.tensor(v * 1e-3)
        theirs = getattr(torch.optim, kind)(parameters, lr=1e-3, **options)
        return lambda: optimizer.apply_gradients(pairs), theirs.step


for _name, _kind_and_options in OPTIMIZERS.items():
    _update(_name, *_kind_and_options)


def in_turn(works, seconds):
    """Returns the least processor times of a call, and the medians of the ratios to PyTorch's.

    Args:
      works: By column, a function and whether it runs after `set_jit(True)`.
      seconds: The time for all of them.
    """
    counts = {}
    for column, (work, jit) in works.items():
        tf.config.optimizer.set_jit(jit)
        for _ in range(4 if jit else 1):  # XLA compiles for the third array of a shape
            work()
        begin = time.process_time()
        work()
        work()
        counts[column] = max(1, int(2 * SLICE / max(time.process_time() - begin, 1e-6)))
    turns = {column: [] for column in works}
    end = time.perf_counter() + seconds
    while len(turns["PyTorch"]) < 7 or time.perf_counter() < end:
        for column, (work, jit) in works.items():
            tf.config.optimizer.set_jit(jit)
            begin = time.process_time()
            for _ in range(counts[column]):
                work()
            turns[column].append((time.process_time() - begin) / counts[column])
    least = {column: min(times) for column, times in turns.items()}
    medians = {
        column: statistics.median(a / b for a, b in zip(times, turns["PyTorch"], strict=True))
        for column, times in turns.items()
    }
    return least, medians


def columns(small, make):
    """Returns the columns of a row, by name: a function, and whether it runs after `set_jit`."""
    works = make()
    found = {"gradtape": (works[0], False), "PyTorch": (works[1], False)}
    if small:
        return found | {"NumPy's call": (works[2], False)}
    if importlib.util.find_spec("jax") is None:
        return found
    tf.config.optimizer.set_jit(True)  # also while the program makes its constants
    return found | {"set_jit": (make()[0], True)}


def main():
    """Times the selected rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3, help="for each row")
    parser.add_argument("--only", default="", help="just the rows with this in their name")
    options = parser.parse_args()
    torch.set_num_threads(1)
    table = Table(title="a call, microseconds of processor time; medians of ratios to PyTorch")
    table.add_column("")
    for column in ("gradtape", "set_jit", "PyTorch", "NumPy's call", "ratio", "with set_jit"):
        table.add_column(column, justify="right")
    for name in containing(parser, options.only, {name: name for name in ROWS}):
        make, per = ROWS[name]
        least, medians = in_turn(columns(per > 1, make), options.seconds)
        times = {
            k: f"{1e6 * t / per:.2f}" if per > 1 else f"{1e6 * t:.0f}" for k, t in least.items()
        }
        table.add_row(
            name,
            *[times.get(k, "") for k in ("gradtape", "set_jit", "PyTorch", "NumPy's call")],
            *[f"{medians[k]:.2f}" if k in medians else "" for k in ("gradtape", "set_jit")],
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
