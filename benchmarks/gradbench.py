"""Answers the requests of GradBench, which compares tools for derivatives, with gradtape.

    python benchmarks/gradbench.py [--mode eager|function|xla]

gradbench_protocol.py has the protocol. This file is the tool for the evaluations `hello`, `lse`,
`llsq`, `gmm`, `kmeans`, `det`, `ode`, and, with adbench.py, `ba`, `ht` and `lstm`. GradBench's
README of each evaluation has the formulas. tests/test_gradbench.py and tests/test_adbench.py check
values and derivatives against NumPy and finite differences. To run an evaluation:

    gradbench run --eval "gradbench eval lse" --tool "python benchmarks/gradbench.py --mode xla"
"""

import argparse
import math
import pathlib
import sys
from functools import partial

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import adbench
from gradbench_protocol import MIXTURE, Tool, minors

import gradtape as tf

f64 = tf.float64
END_TIME = 2.0  # the end of the interval of the differential equation


def gradient(function, x, *rest):
    """Returns the gradient of a function with respect to its first argument."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x, *rest)
    return tf.convert_to_tensor(tape.gradient(y, x))  # IndexedSlices become a vector


def square(x):
    """Returns the square of a number."""
    return x * x


def log_sum_exp(x):
    """Returns log Σ exp x, computed without overflow."""
    largest = tf.reduce_max(x)
    return largest + tf.math.log(tf.reduce_sum(tf.exp(x - largest)))


def least_squares(x, n):
    """Returns half the squared distance of a polynomial from sign(x) at n points of [-1, 1]."""
    t = np.linspace(-1.0, 1.0, n)
    powers = tf.constant(np.vander(t, x.shape[0], increasing=True))
    return 0.5 * tf.reduce_sum((np.sign(t) - tf.linalg.matvec(powers, x)) ** 2)


def distances(centroids, points):
    """Returns the sum of the points' squared distances from the nearest centroid."""
    between = points[:, None, :] - centroids[None, :, :]
    return tf.reduce_sum(tf.reduce_min(tf.reduce_sum(between * between, axis=2), axis=1))


def newton_direction(centroids, points):
    """Returns the gradient divided by the diagonal of the Hessian, which is diagonal."""
    with tf.GradientTape() as outer:
        outer.watch(centroids)
        slope = gradient(distances, centroids, points)
    return slope / outer.gradient(slope, centroids)


def determinant(matrix, size):
    """Returns the determinant of a matrix, given row by row, by expansion by minors."""
    found = matrix[:size]
    for places, smaller, signs in minors(size):
        found = tf.reduce_sum(signs * tf.gather(matrix, places) * tf.gather(found, smaller), axis=1)
    return found[0]


def ode(x, steps):
    """Returns y(2) for y' = x * (1, y[:-1]) with y(0) = 0, by the Runge-Kutta method."""
    one, h = tf.ones([1], f64), END_TIME / steps

    def slope(y):
        return x * tf.concat([one, y[:-1]], 0)

    y = tf.zeros_like(x)
    for _ in range(steps):
        a = slope(y)
        b = slope(y + h / 2 * a)
        c = slope(y + h / 2 * b)
        y = y + h / 6 * (a + 2.0 * b + 2.0 * c + slope(y + h * c))
    return y


def last_of_ode(x, steps):
    """Returns the last element of the solution."""
    return ode(x, steps)[-1]


def mixture(parameters, given):
    """Returns the logarithm of the posterior of a mixture of Gaussians.

    The matrices are lower triangular, and given by the logarithms of their diagonals and by the
    columns below the diagonals.
    """
    alphas, means, logs, below = parameters
    x, gamma, m = given
    (n, d), k = x.shape, alphas.shape[0]
    columns, rows = np.triu_indices(d, 1)
    place = np.full((d, d), d * (d - 1) // 2)
    place[rows, columns] = np.arange(len(rows))
    padded = tf.concat([below, tf.zeros([k, 1], f64)], 1)
    factor = tf.gather(padded, place, axis=1) + tf.linalg.diag(tf.exp(logs))
    moved = tf.einsum("kij,nkj->nki", factor, x[:, None, :] - means)
    sums = tf.reduce_sum(logs, axis=1)
    inner = alphas + sums - 0.5 * tf.reduce_sum(moved * moved, axis=2)
    likelihood = tf.reduce_sum(tf.reduce_logsumexp(inner, axis=1)) - n * log_sum_exp(alphas)
    size = tf.reduce_sum(tf.exp(2.0 * logs)) + tf.reduce_sum(below * below)
    prior = 0.5 * gamma**2 * size - m * tf.reduce_sum(sums)
    return likelihood + prior - n * d * 0.5 * math.log(2 * math.pi) - k * _wishart(d, gamma, m)


def _wishart(d, gamma, m):
    """Returns the logarithm of the Wishart distribution's normalizing constant."""
    freedom = d + m + 1
    of_gamma = d * (d - 1) / 4 * math.log(math.pi) + sum(
        math.lgamma((freedom - j) / 2) for j in range(d)
    )
    return freedom * d * (math.log(gamma) - 0.5 * math.log(2)) - of_gamma


def mixture_gradient(parameters, given):
    """Returns the gradients with respect to weights, means and the two parts of the matrices."""
    with tf.GradientTape() as tape:
        tape.watch(parameters)
        value = mixture(parameters, given)
    return tape.gradient(value, parameters)


def _tensor(name):
    return lambda given: tf.constant(given[name], f64)


def _number(name):
    return lambda given: given[name]


def _parameters(given):
    return [tf.constant(given[name], f64) for name in MIXTURE]


VECTOR = (_tensor("x"),)
CLUSTERS = (_tensor("centroids"), _tensor("points"))
MATRIX = (_tensor("A"), _number("ell"))
SEEN = (lambda given: adbench.observations(given)[0], lambda given: adbench.observations(given)[1])
HAND = (_tensor("theta"), adbench.Hand)
CHARACTERS = (adbench.lstm_inputs, _tensor("state"), _tensor("sequence"))
EVALS = {
    "hello": {
        "square": (square, (lambda given: tf.constant(given, f64),)),
        "double": (partial(gradient, square), (lambda given: tf.constant(given, f64),)),
    },
    "lse": {
        "primal": (log_sum_exp, VECTOR),
        "gradient": (partial(gradient, log_sum_exp), VECTOR),
    },
    "llsq": {
        "primal": (least_squares, (*VECTOR, _number("n"))),
        "gradient": (partial(gradient, least_squares), (*VECTOR, _number("n"))),
    },
    "gmm": {
        name: (function, (_parameters, lambda g: (_tensor("x")(g), g["gamma"], g["m"])))
        for name, function in (("objective", mixture), ("jacobian", mixture_gradient))
    },
    "kmeans": {"cost": (distances, CLUSTERS), "dir": (newton_direction, CLUSTERS)},
    "det": {
        "primal": (determinant, MATRIX),
        "gradient": (partial(gradient, determinant), MATRIX),
    },
    "ode": {
        "primal": (ode, (*VECTOR, _number("s"))),
        "gradient": (partial(gradient, last_of_ode), (*VECTOR, _number("s"))),
    },
    "ba": {
        "objective": (adbench.reprojection_errors, SEEN),
        "jacobian": (adbench.reprojection_jacobians, SEEN),
    },
    "ht": {
        "objective": (adbench.hand_errors, HAND),
        "jacobian": (adbench.hand_jacobian, HAND),
    },
    "lstm": {
        "objective": (adbench.lstm_loss, CHARACTERS),
        "jacobian": (adbench.lstm_gradient, CHARACTERS),
    },
}
MODES = {
    "eager": lambda f: f,
    "function": tf.function,
    "xla": partial(tf.function, jit_compile=True),
}


def tool(mode):
    """Returns the tool that runs functions in one of `MODES`."""
    return Tool("gradtape", EVALS, MODES[mode], arrays)


def arrays(output):
    """Returns the results of a function as arrays."""
    return tf.nest.map_structure(lambda value: value.numpy(), output)


def main():
    """Answers the messages on standard input."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mode", choices=MODES, default="eager")
    tool(parser.parse_args().mode).talk()


if __name__ == "__main__":
    main()
