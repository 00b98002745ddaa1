"""The training step of a physics-informed network under `function`, beside eager and TensorFlow.

    python benchmarks/function_graph.py [--tensorflow /path/to/python] [--rounds 3]

Two inner tapes and an outer one, 6 layers of 20, 100 points; milliseconds of a step, the least of
all rounds. Each library runs in a process of its own, on one thread, in turn.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import time

STEPS = 100
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def step_of(tf, np):
    """The step of Burgers' equation, and its two arguments."""
    rng = np.random.default_rng(0)
    sizes = [2, *[20] * 6, 1]
    pairs = itertools.pairwise(sizes)
    weights = [tf.Variable((rng.normal(size=p) / p[0] ** 0.5).astype("float32")) for p in pairs]
    biases = [tf.Variable(np.zeros(n, "float32")) for n in sizes[1:]]
    variables = [*weights, *biases]

    def network(x, t):
        h = tf.concat([x, t], 1)
        for w, b in zip(weights[:-1], biases[:-1], strict=True):
            h = tf.tanh(h @ w + b)
        return h @ weights[-1] + biases[-1]

    def step(x, t):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape(persistent=True) as first:
                    first.watch([x, t])
                    u = network(x, t)
                ux, ut = first.gradient(u, x), first.gradient(u, t)
            residual = ut + u * ux - 0.01 / np.pi * second.gradient(ux, x)
            loss = tf.reduce_mean(residual * residual)
        for v, g in zip(variables, outer.gradient(loss, variables), strict=True):
            if g is not None:
                v.assign_sub(0.001 * g)
        return loss

    points = [tf.constant(rng.uniform(low, 1, (100, 1)).astype("float32")) for low in (-1, 0)]
    return step, points


def least(call, points):
    """Milliseconds of a call: the least mean of a few runs of many."""
    for _ in range(5):
        call(*points)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(STEPS):
            out = call(*points)
        float(out)
        times.append((time.perf_counter() - start) / STEPS)
    return 1e3 * min(times)


def measure(library):
    """Prints the times of one library as JSON."""
    import importlib

    import numpy as np

    tf = importlib.import_module(library)
    step, points = step_of(tf, np)
    found = {"eager": least(step, points), "function": least(tf.function(step), points)}
    print(json.dumps(found))


def main():
    """Runs the libraries in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow", help="a Python that has TensorFlow")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--library", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.library:
        measure(options.library)
        return
    pythons = {"gradtape": sys.executable}
    if options.tensorflow:
        pythons["tensorflow"] = options.tensorflow
    times = {name: [] for name in pythons}
    for _ in range(options.rounds):
        for name, python in pythons.items():
            out = subprocess.run(  # noqa: S603 (the Python that was given)
                [python, __file__, "--library", name],
                env={**os.environ, **ENVIRONMENT},
                check=True,
                capture_output=True,
                text=True,
            )
            times[name].append(json.loads(out.stdout.splitlines()[-1]))
    for name, rounds in times.items():
        print(name, {mode: round(min(r[mode] for r in rounds), 3) for mode in rounds[0]})


if __name__ == "__main__":
    main()
