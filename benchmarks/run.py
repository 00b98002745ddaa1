"""How long the everyday jobs of a tape take.

    python benchmarks/run.py [--module gradtape] [--only chain] [--json]

Any module with TensorFlow's API can be timed; run it once with the Python that has gradtape and
once with one that has TensorFlow (`--module tensorflow`) to compare. Each workload is timed beside
a plain NumPy loop in the same process, and the ratio of the two carries over between machines
better than the times do.
"""

import argparse
import importlib
import json
import subprocess
import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table

CHAIN = 50
REPEATS = 15


def chain(tf, shape):
    """Seconds an operation, forward and gradient, of a chain of multiplications and sines."""
    x = tf.constant(np.full(shape, 0.9, np.float32))

    def work():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(CHAIN // 2):
                y = tf.sin(y * x)
        return tape.gradient(y, x)

    return work, CHAIN


def dense(tf, batch=64, width=128):
    """Seconds a gradient of a two-layer network with respect to its four variables."""
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(batch, width)).astype("float32"))
    shapes = [(width, width), (width,), (width, 10), (10,)]
    weights = [tf.Variable(rng.normal(0, 0.1, s).astype("float32")) for s in shapes]

    def work():
        with tf.GradientTape() as tape:
            hidden = tf.tanh(x @ weights[0] + weights[1])
            loss = tf.reduce_mean((hidden @ weights[2] + weights[3]) ** 2)
        return tape.gradient(loss, weights)

    return work, 1


def jacobian(tf, n=100):
    """Seconds a full (n, n) Jacobian of an elementwise function after a matrix product."""
    rng = np.random.default_rng(0)
    matrix = tf.constant(rng.normal(size=(n, n)).astype("float32"))
    x = tf.constant(rng.normal(size=(n, 1)).astype("float32"))

    def work():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(matrix @ x)
        return tape.jacobian(y, x)

    return work, 1


def hessian(tf, n=50):
    """Seconds a Hessian of a scalar function of n variables, by two tapes."""
    x = tf.constant(np.linspace(0.1, 1, n, dtype="float32"))

    def work():
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.sin(x) * x) ** 2
            gradient = inner.gradient(y, x)
        return outer.jacobian(gradient, x)

    return work, 1


WORKLOADS = {
    "chain, scalar (per operation)": lambda tf: chain(tf, ()),
    "chain, 3 by 3 (per operation)": lambda tf: chain(tf, (3, 3)),
    "gradient of a dense network": dense,
    "Jacobian, 100 by 100": jacobian,
    "Hessian, 50 by 50": hessian,
}


def numpy_unit():
    """The yardstick: a NumPy multiplication of two (3, 3) arrays, a thousand times."""
    a = np.full((3, 3), 0.9, np.float32)

    def work():
        for _ in range(1000):
            np.multiply(a, a)

    return work, 1000


def best(work, count):
    """The least time of a few runs, per operation."""
    work()
    times = []
    begin = time.perf_counter()
    while len(times) < 3 or (len(times) < REPEATS and time.perf_counter() - begin < 2):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) / count


def import_time(module):
    """Seconds that importing `module` takes beyond what importing NumPy takes."""

    def fresh(code):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own code
        return time.perf_counter() - start

    with_numpy = min(fresh("import numpy") for _ in range(3))
    return min(fresh(f"import numpy, {module}") for _ in range(3)) - with_numpy


def main():
    """Times what was asked for and prints a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", default="gradtape", help="a module with TensorFlow's API")
    parser.add_argument("--only", default="", help="just the workloads with this in their name")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    tf = importlib.import_module(options.module)
    unit = best(*numpy_unit())
    chosen = {name: make for name, make in WORKLOADS.items() if options.only in name}
    seconds = {name: best(*make(tf)) for name, make in chosen.items()}
    if options.only in "import":
        seconds["import, beyond NumPy's"] = import_time(options.module)
    if options.json:
        print(json.dumps({"module": options.module, "numpy_unit": unit, "seconds": seconds}))
        return
    table = Table(title=f"{options.module}, beside NumPy at {unit * 1e6:.2f} µs a multiplication")
    table.add_column("workload")
    table.add_column("time", justify="right")
    table.add_column("ratio to NumPy", justify="right")
    for name, value in seconds.items():
        table.add_row(name, f"{value * 1e6:,.1f} µs", f"{value / unit:,.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
