"""Compares training steps of DeepXDE's programs on gradtape and on TensorFlow's graphs.

    python benchmarks/deepxde_programs.py --tensorflow /path/to/python [--rounds 20]

Both Pythons need DeepXDE 1.15. The programs are those of its examples: Poisson's equation, the heat
equation, Burgers' equation, and two inverse problems (a diffusion equation, and Lorenz' equations,
whose observations are sines here). Adam trains the networks, without XLA. Each library has one
process with one thread, which traces the step first, and the processes take turns of `--turn`
seconds. The table shows the processor time of a step in milliseconds: the least of the rounds, the
ratio of the least times, and the ratio of the medians in brackets.
"""

import argparse
import contextlib
import io
import os
import statistics
import subprocess
import sys
import time

from options import chosen, interpreter, positive

ENVIRONMENT = {
    "DDE_BACKEND": "tensorflow",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


def constantly(value):
    """Returns a function of one argument that always returns the same value."""
    return lambda _: value


def poisson(dde, tf, np):
    """Returns the model of Poisson's equation on an interval, and its other variables."""

    def pde(x, y):
        return -dde.grad.hessian(y, x) - np.pi**2 * tf.sin(np.pi * x)

    line = dde.geometry.Interval(-1, 1)
    ends = dde.icbc.DirichletBC(line, lambda x: np.sin(np.pi * x), lambda _, on: on)
    data = dde.data.PDE(line, pde, ends, 16, 2, num_test=100)
    return dde.Model(data, dde.nn.FNN([1, 50, 50, 50, 1], "tanh", "Glorot uniform")), []


def heat(dde, tf, np):
    """Returns the model of the heat equation, and its other variables."""

    def pde(x, y):
        return dde.grad.jacobian(y, x, i=0, j=1) - 0.4 * dde.grad.hessian(y, x, i=0, j=0)

    line = dde.geometry.Interval(0, 1)
    both = dde.geometry.GeometryXTime(line, dde.geometry.TimeDomain(0, 1))
    conditions = [
        dde.icbc.DirichletBC(both, lambda _: 0, lambda _, on: on),
        dde.icbc.IC(both, lambda x: np.sin(np.pi * x[:, :1]), lambda _, on: on),
    ]
    data = dde.data.TimePDE(both, pde, conditions, 2540, 80, 160, num_test=2540)
    return dde.Model(data, dde.nn.FNN([2, 20, 20, 20, 1], "tanh", "Glorot normal")), []


def burgers(dde, tf, np):
    """Returns the model of Burgers' equation, and its other variables."""

    def pde(x, y):
        slope = dde.grad.jacobian(y, x, i=0, j=0)
        change = dde.grad.jacobian(y, x, i=0, j=1)
        return change + y * slope - 0.01 / np.pi * dde.grad.hessian(y, x, i=0, j=0)

    line = dde.geometry.Interval(-1, 1)
    both = dde.geometry.GeometryXTime(line, dde.geometry.TimeDomain(0, 0.99))
    conditions = [
        dde.icbc.DirichletBC(both, lambda _: 0, lambda _, on: on),
        dde.icbc.IC(both, lambda x: -np.sin(np.pi * x[:, :1]), lambda _, on: on),
    ]
    data = dde.data.TimePDE(both, pde, conditions, 2540, 80, 160)
    return dde.Model(data, dde.nn.FNN([2, 20, 20, 20, 1], "tanh", "Glorot normal")), []


def diffusion(dde, tf, np):
    """Returns the model that finds a diffusion coefficient, and the coefficient."""
    coefficient = dde.Variable(2.0)

    def pde(x, y):
        change = dde.grad.jacobian(y, x, i=0, j=1)
        source = tf.exp(-x[:, 1:]) * (1 - np.pi**2) * tf.sin(np.pi * x[:, 0:1])
        return change - coefficient * dde.grad.hessian(y, x, i=0, j=0) + source

    def solution(x):
        return np.sin(np.pi * x[:, 0:1]) * np.exp(-x[:, 1:])

    line = dde.geometry.Interval(-1, 1)
    both = dde.geometry.GeometryXTime(line, dde.geometry.TimeDomain(0, 1))
    seen = np.vstack((np.linspace(-1, 1, num=10), np.full((10), 1))).T
    conditions = [
        dde.icbc.DirichletBC(both, solution, lambda _, on: on),
        dde.icbc.IC(both, solution, lambda _, on: on),
        dde.icbc.PointSetBC(seen, solution(seen)),
    ]
    data = dde.data.TimePDE(both, pde, conditions, 40, 20, 10, anchors=seen, num_test=1000)
    net = dde.nn.FNN([2, 32, 32, 32, 1], "tanh", "Glorot uniform")
    return dde.Model(data, net), [coefficient]


def lorenz(dde, tf, np):
    """Returns the model that finds the parameters of Lorenz' equations, and the parameters."""
    parameters = [dde.Variable(1.0) for _ in range(3)]
    sigma, rho, beta = parameters

    def pde(t, y):
        a, b, c = y[:, 0:1], y[:, 1:2], y[:, 2:]
        da, db, dc = (dde.grad.jacobian(y, t, i=i) for i in range(3))
        return [
            da - sigma * (b - a),
            db - (a * (rho - c) - b),
            dc - (a * b - beta * c),
        ]

    times = dde.geometry.TimeDomain(0, 3)
    seen = np.linspace(0, 3, 25)[:, None]
    conditions = [
        dde.icbc.IC(times, constantly(start), lambda _, on: on, component=i)
        for i, start in enumerate((-8, 7, 27))
    ]
    conditions += [dde.icbc.PointSetBC(seen, np.sin(seen + i), component=i) for i in range(3)]
    data = dde.data.PDE(times, pde, conditions, 400, 2, anchors=seen)
    return dde.Model(data, dde.nn.FNN([1, 40, 40, 40, 3], "tanh", "Glorot uniform")), parameters


PROGRAMS = {f.__name__: f for f in (poisson, heat, burgers, diffusion, lorenz)}


def stepping(name):
    """Returns a function that trains the model of a program for some steps."""
    with contextlib.redirect_stdout(io.StringIO()):
        import deepxde as dde
        import numpy as np
        from deepxde.backend import tf

        dde.config.set_random_seed(0)
        model, others = PROGRAMS[name](dde, tf, np)
        model.compile("adam", lr=1e-3, external_trainable_variables=others)
        model.train(iterations=10, display_every=1000, verbose=0)

    def steps(count):
        state = model.train_state
        for _ in range(count):
            state.set_data_train(*model.data.train_next_batch(None))
            model.train_step(state.X_train, state.y_train, state.train_aux_vars)

    return steps


def work(library, name, turn):
    """Runs a turn for each line of standard input, and prints its processor time per step."""
    if library == "gradtape":
        import gradtape

        gradtape.install()
    steps = stepping(name)
    start = time.perf_counter()
    steps(20)
    count = max(1, int(20 * turn / (time.perf_counter() - start)))
    for _ in sys.stdin:
        start = time.process_time()
        steps(count)
        print(f"step {(time.process_time() - start) / count}", flush=True)


def in_turn(pythons, name, rounds, turn):
    """Returns the times of each library's steps, from processes that take turns."""
    running, times = {}, {library: [] for library in pythons}
    for library, python in pythons.items():
        running[library] = subprocess.Popen(  # noqa: S603 (the Python from the command line)
            [python, __file__, "--work", library, name, "--turn", str(turn)],
            env={**os.environ, **ENVIRONMENT},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    for round_ in range(rounds + 1):
        for library, process in running.items():
            print("go", file=process.stdin, flush=True)
            line = process.stdout.readline()
            while not line.startswith("step "):
                if not line:
                    raise SystemExit(f"{name} on {library} failed")
                line = process.stdout.readline()
            if round_:  # the first turn waits until the process is ready
                times[library].append(float(line.split()[1]))
    for process in running.values():
        process.communicate()
    return times


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tensorflow", type=interpreter, help="a Python that has TensorFlow and DeepXDE"
    )
    parser.add_argument("--rounds", type=positive, default=20)
    parser.add_argument("--turn", type=float, default=0.2, help="seconds")
    parser.add_argument("--only", nargs="+", default=[*PROGRAMS], metavar="NAME")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(*options.work, options.turn)
        return
    names = chosen(parser, options.only, PROGRAMS)
    pythons = {"gradtape": sys.executable}
    if options.tensorflow:
        pythons["tensorflow"] = options.tensorflow
    print(f"| ms | {' | '.join(pythons)} | ratio |\n|{'---|' * (len(pythons) + 2)}")
    for name in names:
        times = in_turn(pythons, name, options.rounds, options.turn)
        least = [1e3 * min(found) for found in times.values()]
        median = [1e3 * statistics.median(found) for found in times.values()]
        ratio = f"{least[0] / least[-1]:.2f} ({median[0] / median[-1]:.2f})"
        print(f"| {name} | {' | '.join(f'{x:.3f}' for x in least)} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
