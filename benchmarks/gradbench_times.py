"""Compares the answers and times of several tools for GradBench's functions.

    python benchmarks/gradbench_times.py [--torch /path/to/python] [--only lse gmm ...] [--rounds 1]

The tools are gradbench.py in its three modes, and gradbench_peers.py with PyTorch and JAX, each in
a process of its own. In each round, the tools take turns, and a function runs repeatedly; its time
is the least of all runs but the first of each round. The sizes are medium ones of GradBench, which
has more.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np
from options import interpreter, positive

HERE = pathlib.Path(__file__).parent
SECONDS, RUNS = 0.4, 5


def _rigid(rng):
    """Returns a rotation and a translation as a matrix of 4 by 4."""
    move = np.eye(4)
    move[:3, :3], move[:3, 3] = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3)
    return move.tolist()


def inputs():
    """Returns the input of each evaluation."""
    rng = np.random.default_rng(0)

    def normal(*shape):
        return rng.normal(size=shape).tolist()

    d, k = 10, 5
    gmm = {"alpha": normal(k), "mu": normal(k, d), "q": normal(k, d)}
    gmm["l"] = normal(k, d * (d - 1) // 2)
    ba = {"n": 10, "m": 500, "p": 2000, "cam": normal(11), "x": normal(3), "w": 0.7}
    bones, count, points = 22, 500, 100  # about the size of GradBench's simple models
    model = {
        "bone_names": [f"bone {i}" for i in range(bones)],
        "parents": [-1, *(int(rng.integers(0, i)) for i in range(1, bones))],
        "base_relatives": [_rigid(rng) for _ in range(bones)],
        "inverse_base_absolutes": [_rigid(rng) for _ in range(bones)],
        "base_positions": np.column_stack([rng.normal(size=(count, 3)), np.ones(count)]).tolist(),
        "weights": rng.random((count, bones)).tolist(),
        "triangles": rng.integers(0, count, (1000, 3)).tolist(),
        "is_mirrored": False,
    }
    data = {"model": model, "correspondences": rng.integers(0, 1000, points).tolist()}
    data["points"] = normal(points, 3)
    lstm = {"main_params": normal(4, 4 * 14), "extra_params": normal(3, 14)}
    return {
        "hello": 1.5,
        "lse": {"x": normal(100_000)},
        "llsq": {"x": normal(64), "n": 2048},
        "gmm": {**gmm, "x": normal(1000, d), "gamma": 1.0, "m": 0},
        "kmeans": {"points": normal(5000, 8), "centroids": normal(20, 8)},
        "det": {"A": normal(49), "ell": 7},
        "ode": {"x": (0.1 * rng.normal(size=50)).tolist(), "s": 10},
        "ba": {**ba, "feat": normal(2)},
        "ht": {"theta": normal(26), "data": data, "us": rng.random((points, 2)).tolist()},
        "lstm": {**lstm, "state": normal(4, 14), "sequence": normal(10, 14)},
    }


FUNCTIONS = {
    "hello": ("square", "double"),
    "gmm": ("objective", "jacobian"),
    "kmeans": ("cost", "dir"),
    "ba": ("objective", "jacobian"),
    "ht": ("objective", "jacobian"),
    "lstm": ("objective", "jacobian"),
}


class Asked:
    """A tool in a process of its own.

    Args:
      command: The command that starts it.
    """

    def __init__(self, command):
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)  # noqa: S603
        self._count = 0
        self.ask("start")

    def ask(self, kind, **more):
        """Sends a message; returns the answer."""
        message = {"id": self._count, "kind": kind, **more}
        self._count += 1
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"a tool ended with status {self._process.wait()}")
        return json.loads(line)

    def end(self):
        """Ends the process."""
        self._process.stdin.close()
        self._process.wait()


def time_of(tool, name, function, given):
    """Returns the milliseconds of a function, and its output."""
    once = isinstance(given, dict)
    if once:
        given = {**given, "min_runs": RUNS, "min_seconds": SECONDS}
    times = []
    for _ in range(1 if once else 200):
        found = tool.ask("evaluate", module=name, function=function, input=given)
        if not found["success"]:
            raise SystemExit(f"{name} {function}: {found['error']}")
        times += [t["nanoseconds"] for t in found["timings"]]
    return min(times[1:]) / 1e6, found["output"]


def _numbers(output):
    if isinstance(output, dict):
        return np.concatenate([_numbers(x) for x in output.values()])
    if isinstance(output, list):
        return np.concatenate([_numbers(x) for x in output]) if output else np.zeros(0)
    return np.array([output], float)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--torch", type=interpreter, help="the Python that has PyTorch")
    parser.add_argument("--rounds", type=positive, default=1)
    parser.add_argument("--only", nargs="+", choices=inputs())
    options = parser.parse_args()
    commands = {
        f"gradtape, {mode}": [sys.executable, HERE / "gradbench.py", "--mode", mode]
        for mode in ("eager", "function", "xla")
    }
    if options.torch:
        commands["PyTorch"] = [options.torch, HERE / "gradbench_peers.py", "torch"]
    commands["JAX, jit"] = [sys.executable, HERE / "gradbench_peers.py", "jax"]
    tools = {name: Asked([*map(str, command)]) for name, command in commands.items()}
    print(f"| ms | {' | '.join(tools)} |")
    print(f"|---|{'---:|' * len(tools)}")
    for name, given in inputs().items():
        if options.only and name not in options.only:
            continue
        for tool in tools.values():
            if not tool.ask("define", module=name)["success"]:
                raise SystemExit(f"a tool has no evaluation {name}")
        for function in FUNCTIONS.get(name, ("primal", "gradient")):
            rounds = [
                [time_of(tool, name, function, given) for tool in tools.values()]
                for _ in range(options.rounds)
            ]
            found = [min(of_tool, key=lambda f: f[0]) for of_tool in zip(*rounds, strict=True)]
            first = _numbers(found[0][1])
            for tool, (_, output) in zip(tools, found, strict=True):
                np.testing.assert_allclose(
                    _numbers(output), first, 1e-8, 1e-9, err_msg=f"{name} {function} of {tool}"
                )
            times = " | ".join(f"{time:.3f}" for time, _ in found)
            print(f"| {name}, {function} | {times} |", flush=True)
    for tool in tools.values():
        tool.end()


if __name__ == "__main__":
    main()
