"""The protocol of GradBench (https://github.com/gradbench/gradbench) for tools in Python.

GradBench starts an evaluation and a tool and passes messages between them, one JSON object in each
line. This module needs only NumPy.
"""

import itertools
import json
import sys
import time
import traceback
from functools import cache

import numpy as np

CAMERA = 11  # rotation, center, focal length, principal point and radial distortion
BLOCK = CAMERA + 3 + 1  # the number of inputs of an observation: a camera, a point and a weight
MIXTURE = ("alpha", "mu", "q", "l")  # the parameters of a mixture of Gaussians
FINGERS, FIRST_FINGER = 5, 5  # the number of fingers, and the first one's column in poses
SMALLEST_ANGLE = 1e-4  # the smallest angle by which a hand is rotated


def hand_pose(bones):
    """Returns the index of each parameter of a hand's pose in the vector (theta, 0, 1)."""
    zero, one = 26, 27
    pose = np.full((bones + 3, 3), zero)
    pose[:3] = [[0, 1, 2], [one] * 3, [3, 4, 5]]
    at = 6
    for finger in range(FINGERS):
        for joint in range(3):
            angles = 2 if joint == 0 else 1
            column = FIRST_FINGER + 4 * finger + joint
            pose[column, :angles] = range(at, at + angles)
            at += angles
    return pose


@cache
def minors(size):
    """Returns what expands the minors of a matrix of n by n, for each number of first rows from 2.

    A minor of k rows has any k columns. For each minor and each of its columns, the arrays are: the
    places of the elements of row k in the matrix, given row by row; the places of the minors
    without this row and column; and the signs.
    """
    levels, places = [], {(column,): column for column in range(size)}
    for k in range(2, size + 1):
        chosen = list(itertools.combinations(range(size), k))
        smaller = [[places[c[:i] + c[i + 1 :]] for i in range(k)] for c in chosen]
        signs = (-1.0) ** (np.arange(k) + k - 1)
        levels.append((np.array(chosen) + size * (k - 1), np.array(smaller), signs))
        places = {columns: place for place, columns in enumerate(chosen)}
    return levels


def shown_errors(output, _):
    """Returns the first errors and the number of repetitions, in GradBench's format."""
    errors, weights = output
    return {
        "reproj_error": {"elements": errors[0].tolist(), "repeated": len(errors)},
        "w_err": {"element": weights[0], "repeated": len(weights)},
    }


def shown_sparse(output, given):
    """Returns the first elements of the sparse Jacobian, and the last one."""
    blocks, weights = output
    n, m, p = given["n"], given["m"], given["p"]
    rows = np.concatenate([BLOCK * np.arange(2 * p + 1), 2 * BLOCK * p + 1 + np.arange(p)])
    columns = np.concatenate([np.arange(CAMERA), CAMERA * n + np.arange(3), [CAMERA * n + 3 * m]])
    first = 2 * BLOCK
    return {
        "rows": [*rows[:first].tolist(), int(rows[-1])],
        "cols": [*columns.tolist() * 2, CAMERA * n + 3 * m + p - 1],
        "vals": [*blocks[0].ravel().tolist(), weights[-1]],
    }


def shown_mixture(output, _):
    """Returns the gradients by the names of the parameters."""
    return {name: gradient.tolist() for name, gradient in zip(MIXTURE, output, strict=True)}


SHOWN = {  # evaluations whose answers need a conversion
    ("ba", "objective"): shown_errors,
    ("ba", "jacobian"): shown_sparse,
    ("gmm", "jacobian"): shown_mixture,
}


class Tool:
    """The tool of one conversation.

    Args:
      name: The name of the tool.
      evals: By evaluation and name: a function, and for each of its arguments a function that
        makes it from the input of a message.
      wrap: A function that converts each function before its first call, such as a compiler.
      arrays: A function that converts results to arrays, and waits for them.
    """

    def __init__(self, name, evals, wrap, arrays):
        self.name, self.evals = name, evals
        self.wrap, self.arrays = wrap, arrays
        self.functions = {}

    def answer(self, message):
        """Returns the answer to a message, without its number."""
        kind = message["kind"]
        if kind == "start":
            return {"tool": self.name}
        if kind == "define":
            known = message["module"] in self.evals
            return {"success": known} | ({} if known else {"error": "no such evaluation"})
        if kind == "evaluate":
            try:
                return self.evaluated(message)
            except Exception:  # noqa: BLE001 (GradBench goes on with the next message)
                return {"success": False, "error": traceback.format_exc()}
        return {}

    def evaluated(self, message):
        """Returns the value of a function, and the time of each run."""
        place = module, name = message["module"], message["function"]
        if name not in self.evals.get(module, {}):
            return {"success": False, "error": f"no function {name} of an evaluation {module}"}
        function, arguments = self.evals[module][name]
        if place not in self.functions:
            self.functions[place] = self.wrap(function)
        run, given = self.functions[place], message["input"]
        args = [argument(given) for argument in arguments]
        options = given if isinstance(given, dict) else {}
        shown = SHOWN.get(place, lambda output, _: output.tolist())
        runs, seconds = options.get("min_runs", 1), options.get("min_seconds", 0)
        timings = []
        while len(timings) < runs or sum(timings) < seconds * 1e9:
            start = time.perf_counter_ns()
            output = self.arrays(run(*args))
            timings.append(time.perf_counter_ns() - start)
        return {
            "success": True,
            "output": shown(output, given),
            "timings": [{"name": "evaluate", "nanoseconds": t} for t in timings],
        }

    def talk(self):
        """Answers the messages on standard input."""
        for line in sys.stdin:
            message = json.loads(line)
            print(json.dumps({"id": message["id"], **self.answer(message)}), flush=True)
