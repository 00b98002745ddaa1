"""Compares gradtape's compiled functions with `jax.jit`, by turns in one process.

    python benchmarks/in_turn.py [--seconds 3] [--only network single ...]

The times of small calls differ by less than a machine's speed varies between two processes. So the
two libraries take turns of some milliseconds, and the result is the least time of each.
"""

import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import image_workloads  # noqa: F401  (adds its workloads to the table)
import model_workloads  # noqa: F401
from contender import works
from options import chosen
from rich.console import Console
from rich.table import Table
from workloads import WORKLOADS

SLICE = 4e-3  # the seconds of a turn


def repeats(work):
    """Returns the number of calls that fill a slice of time."""
    for _ in range(20):
        work()
    begin = time.perf_counter()
    work()
    return max(1, int(SLICE / max(time.perf_counter() - begin, 1e-6)))


def in_turn(works_of_both, seconds):
    """Returns the least time of a call of each function."""
    counts = [repeats(work) for work in works_of_both]
    least = [float("inf")] * len(works_of_both)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for i, (work, count) in enumerate(zip(works_of_both, counts, strict=True)):
            begin = time.perf_counter()
            for _ in range(count):
                work()
            least[i] = min(least[i], (time.perf_counter() - begin) / count)
    return least


def main():
    """Times the selected workloads."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--only", nargs="+", default=list(WORKLOADS))
    options = parser.parse_args()
    ours, theirs = works("gradtape", "compiled"), works("jax", "compiled")
    table = Table(title="a call, microseconds")
    for column in ("workload", "gradtape + XLA", "jax.jit", "ratio"):
        table.add_column(column, justify="left" if column == "workload" else "right")
    for name in chosen(parser, options.only, WORKLOADS):
        made = [way[name]() for way in (ours, theirs) if name in way]
        if len(made) == 2 and all(made):
            a, b = in_turn(made, options.seconds)
            table.add_row(WORKLOADS[name].title, f"{1e6 * a:.1f}", f"{1e6 * b:.1f}", f"{a / b:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
