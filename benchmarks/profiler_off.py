"""Compares a step with a tape before the profiler is loaded with one after a profile has ended.

    python benchmarks/profiler_off.py

A ratio is the processor time after the profile divided by that before, in one process. A process
cannot unload modules, so that the two cannot take turns. Therefore the median ratio of several
processes is printed.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from options import positive

ROUNDS = 40
STEPS = 200


def least(step: Callable[[], object]) -> float:
    """Returns the least processor time of some rounds."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(STEPS):
            step()
        times.append(time.process_time() - began)
    return min(times)


def one_process() -> None:
    """Prints the ratio of one process."""
    import gradtape as tf

    w = tf.Variable(np.ones((4, 4), np.float32))

    def step() -> None:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.tanh(tf.matmul(w, w)) * w)
        w.assign_sub(0.001 * tape.gradient(y, w))

    least(step)
    assert "gradtape._src.profiling.recording" not in sys.modules
    before = least(step)
    with tf.GradientTape() as tape:
        profile = tape.profile()
        y = tf.reduce_sum(w)
    tape.gradient(y, w)
    assert profile.report.operations
    print(least(step) / before)


def main() -> None:
    """Prints the median ratio of several processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=positive, default=7)
    parser.add_argument("--one", action="store_true", help="print the ratio of this process alone")
    given = parser.parse_args()
    if given.one:
        one_process()
        return
    command = [sys.executable, __file__, "--one"]
    ratios = [
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)  # noqa: S603
        for _ in range(given.processes)
    ]
    low, high = min(ratios), max(ratios)
    print(f"with the profiler off: {statistics.median(ratios):.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
