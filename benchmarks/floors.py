"""Measures lower bounds for operations on small arrays in Python, next to gradtape's times.

    OMP_NUM_THREADS=1 python benchmarks/floors.py

A bound has what no recording library in Python can leave out: one function call, the call of
NumPy, a new object for the result, the look-up of the active tape, and a record (the rule, the ids
and the shapes). It checks no arguments and converts none.
"""

import argparse
import time
from contextvars import ContextVar

import gradtape as tf  # isort: skip  (before NumPy, as docs/performance.md advises)
import numpy as np
from rich.console import Console
from rich.table import Table

COUNT, ROUNDS = 64, 400
X = np.random.default_rng(0).standard_normal((3, 3)).astype("f4")
MASK = X > 0
tapes = ContextVar("tapes", default=())


class Value:
    """A tensor with nothing but its array and its number."""

    __slots__ = ("array", "number")


def recorded(kernel):
    """Returns the least that runs an operation of two inputs and records it."""
    new, active = object.__new__, tapes.get

    def run(x, y):
        a, b = x.array, y.array
        array = kernel(a, b)
        out = new(Value)
        out.array = array
        out.number = 1
        for tape in active():
            tape.append((run, 1, (x.number, y.number), (), (a.shape, b.shape)))
        return out

    return run


OPERATIONS = {
    "reshape": (lambda x, c: tf.reshape(x, [-1]), lambda a, b: a.reshape(-1)),
    "sum": (lambda x, c: tf.reduce_sum(x), lambda a, b: np.add.reduce(a, None)),
    "where": (lambda x, c: tf.where(c, x, x), lambda a, b: np.where(MASK, a, b)),
    "concat": (lambda x, c: tf.concat([x, x], 0), lambda a, b: np.concatenate((a, b))),
    "stack": (lambda x, c: tf.stack([x, x]), lambda a, b: np.array((a, b))),
    "add": (lambda x, c: x + x, lambda a, b: a + b),
}


def least(work):
    """Returns the least processor time of an operation in microseconds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return 1e6 * min(times) / COUNT


def ours(operation):
    """Returns the work that records an operation with gradtape."""
    x, mask = tf.constant(X), tf.constant(MASK)

    def work():
        with tf.GradientTape() as tape:
            tape.watch(x)
            for _ in range(COUNT):
                operation(x, mask)

    return work


def bound(kernel):
    """Returns the work of the lower bound."""
    run, x = recorded(kernel), Value()
    x.array, x.number = X, 1

    def work():
        token = tapes.set(([],))
        for _ in range(COUNT):
            run(x, x)
        tapes.reset(token)

    return work


def main():
    """Prints the table."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    table = Table(title="an operation on one (3, 3) array, recorded, in microseconds")
    for column in ("", "gradtape", "lower bound", "ratio"):
        table.add_column(column, justify="right")
    for name, (operation, kernel) in OPERATIONS.items():
        times = least(ours(operation)), least(bound(kernel))
        table.add_row(name, *[f"{t:.2f}" for t in times], f"{times[0] / times[1]:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
