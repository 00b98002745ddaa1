"""Answers the requests of GradBench with PyTorch or JAX, by the formulas of gradbench.py.

    python benchmarks/gradbench_peers.py torch|jax

PyTorch runs eagerly, JAX in `jax.jit`.
"""

import argparse
import math
import pathlib
import sys
from functools import cache

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from gradbench_protocol import CAMERA, MIXTURE, SMALLEST_ANGLE, Tool, hand_pose, minors


class Torch:
    """PyTorch's names and derivatives, for the formulas that it shares with JAX."""

    def __init__(self):
        import torch

        torch.set_num_threads(1)
        self.xp, self.sigmoid, self.logsumexp = torch, torch.sigmoid, torch.logsumexp
        self.wrap = lambda function: function

    def tensor(self, value):
        """Returns a float64 tensor."""
        return self.xp.as_tensor(np.asarray(value, "f8"))

    def gradient(self, function):
        """Returns the gradient function with respect to the first argument."""

        def run(x, *rest):
            x = self._leaf(x)
            y = function(x, *rest)
            several = isinstance(x, list)
            found = self.xp.autograd.grad(y, x)
            return list(found) if several else found[0]

        return run

    def _leaf(self, x):
        if isinstance(x, list):
            return [self._leaf(each) for each in x]
        return x.detach().requires_grad_()

    def newton(self, function):
        """Returns the function that divides the gradient by the Hessian's diagonal."""

        def run(x, *rest):
            x = self._leaf(x)
            (slope,) = self.xp.autograd.grad(function(x, *rest), x, create_graph=True)
            (curvature,) = self.xp.autograd.grad(slope.sum(), x)
            return slope.detach() / curvature

        return run

    def row_jacobians(self, function):
        """Returns the function that computes the Jacobian of each row."""
        return self.xp.func.vmap(self.xp.func.jacrev(function))

    def jacobian(self, function):
        """Returns the function that computes the Jacobian for few inputs and many outputs."""
        return self.xp.func.jacfwd(function)

    def arrays(self, output):
        """Returns results as arrays."""
        if isinstance(output, (tuple, list)):
            return tuple(map(self.arrays, output))
        return output.detach().numpy()


class Jax:
    """JAX's names and derivatives, for the formulas that it shares with PyTorch."""

    def __init__(self):
        import jax
        import jax.numpy as jnp

        jax.config.update("jax_enable_x64", True)
        self.jax, self.xp = jax, jnp
        self.sigmoid, self.logsumexp = jax.nn.sigmoid, jax.nn.logsumexp
        self.gradient = jax.grad

    def wrap(self, function):
        """Compiles a function once for each combination of its numbers and tuples."""
        fixed = int, float, tuple

        @cache
        def compiled(numbers):
            def run(arrays):
                rest, given = iter(arrays), iter(numbers)
                return function(*[next(rest) if n is None else next(given)[0] for n in kinds])

            kinds = [None if n is None else 1 for n in numbers]
            numbers = [(n,) for n in numbers if n is not None]
            return self.jax.jit(run)

        def run(*args):
            numbers = tuple(a if isinstance(a, fixed) else None for a in args)
            return compiled(numbers)([a for a in args if not isinstance(a, fixed)])

        return run

    def tensor(self, value):
        """Returns a float64 tensor."""
        return self.xp.asarray(np.asarray(value, "f8"))

    def newton(self, function):
        """Returns the function that divides the gradient by the Hessian's diagonal."""

        def run(x, *rest):
            slope = self.jax.grad(function)
            one = self.xp.ones_like(x)
            first, second = self.jax.jvp(lambda x: slope(x, *rest), (x,), (one,))
            return first / second

        return run

    def row_jacobians(self, function):
        """Returns the function that computes the Jacobian of each row."""
        return self.jax.vmap(self.jax.jacrev(function))

    def jacobian(self, function):
        """Returns the function that computes the Jacobian for few inputs and many outputs."""
        return self.jax.jacfwd(function)

    def arrays(self, output):
        """Returns results as arrays."""
        return self.jax.tree.map(np.asarray, output)


def _wishart(d, gamma, m):
    freedom = d + m + 1
    of_gamma = d * (d - 1) / 4 * math.log(math.pi)
    of_gamma += sum(math.lgamma((freedom - j) / 2) for j in range(d))
    return freedom * d * (math.log(gamma) - 0.5 * math.log(2)) - of_gamma


def evals(lib):
    """Returns the functions by evaluation and name, each with converters for its arguments."""
    xp, tensor = lib.xp, lib.tensor

    def log_sum_exp(x):
        largest = xp.max(x)
        return largest + xp.log(xp.sum(xp.exp(x - largest)))

    def least_squares(x, n):
        t = np.linspace(-1.0, 1.0, n)
        powers = tensor(np.vander(t, x.shape[0], increasing=True))
        return 0.5 * xp.sum((tensor(np.sign(t)) - powers @ x) ** 2)

    def distances(centroids, points):
        between = points[:, None, :] - centroids[None, :, :]
        return xp.sum(xp.amin(xp.sum(between * between, 2), 1))

    def determinant(matrix, size):
        found = matrix[:size]
        for places, smaller, signs in minors(size):
            found = xp.sum(tensor(signs) * matrix[places] * found[smaller], 1)
        return found[0]

    def ode(x, steps):
        one, h = tensor([1.0]), 2.0 / steps

        def slope(y):
            return x * xp.concatenate([one, y[:-1]], 0)

        y = xp.zeros_like(x)
        for _ in range(steps):
            a = slope(y)
            b = slope(y + h / 2 * a)
            c = slope(y + h / 2 * b)
            y = y + h / 6 * (a + 2.0 * b + 2.0 * c + slope(y + h * c))
        return y

    def mixture(parameters, x, gamma, m):
        alphas, means, logs, below = parameters
        (n, d), k = x.shape, alphas.shape[0]
        columns, rows = np.triu_indices(d, 1)
        place = np.full((d, d), d * (d - 1) // 2)
        place[rows, columns] = np.arange(len(rows))
        padded = xp.concatenate([below, tensor(np.zeros([k, 1]))], 1)
        factor = padded[:, place] + xp.exp(logs)[:, :, None] * tensor(np.eye(d))
        moved = xp.einsum("kij,nkj->nki", factor, x[:, None, :] - means)
        sums = xp.sum(logs, 1)
        inner = alphas + sums - 0.5 * xp.sum(moved * moved, 2)
        likelihood = xp.sum(lib.logsumexp(inner, 1)) - n * log_sum_exp(alphas)
        size = xp.sum(xp.exp(2.0 * logs)) + xp.sum(below * below)
        prior = 0.5 * gamma**2 * size - m * xp.sum(sums)
        constant = n * d * 0.5 * math.log(2 * math.pi) + k * _wishart(d, gamma, m)
        return likelihood + prior - constant

    def cross(a, b):
        (x, y, z), (u, v, w) = a, b
        return xp.stack([y * w - z * v, z * u - x * w, x * v - y * u])

    def reprojection(row, feature):
        rotation, point = row[:3], row[CAMERA : CAMERA + 3] - row[3:6]
        square = xp.sum(rotation * rotation)
        none = square == 0.0
        angle = xp.sqrt(xp.where(none, xp.ones_like(square), square))
        axis = rotation / angle
        along = xp.sum(axis * point) * (1.0 - xp.cos(angle))
        turned = point * xp.cos(angle) + cross(axis, point) * xp.sin(angle) + axis * along
        seen = xp.where(none, point + cross(rotation, point), turned)
        flat = seen[:2] / seen[2:]
        radius = xp.sum(flat * flat)
        distorted = flat * (1.0 + row[9] * radius + row[10] * radius * radius)
        return row[-1:] * (distorted * row[6] + row[7:9] - feature)

    def of_all(function):
        return (lib.jax.vmap if hasattr(lib, "jax") else xp.func.vmap)(function)

    def errors(rows, features):
        return of_all(reprojection)(rows, features), 1.0 - rows[:, -1] ** 2

    def jacobians(rows, features):
        return lib.row_jacobians(reprojection)(rows, features), -2.0 * rows[:, -1]

    def turned_about(angles):
        (cx, sx), (cz, sz), (cy, sy) = ((xp.cos(a), xp.sin(a)) for a in angles.T)
        rows = [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ]
        return xp.stack([xp.stack(row, -1) for row in rows], -2)

    def turned_by(vector):
        square = xp.sum(vector * vector)
        small = square < SMALLEST_ANGLE**2
        angle = xp.sqrt(xp.where(small, xp.ones_like(square), square))
        axis, one = vector / angle, tensor(np.eye(3))
        x, y, z = axis
        zero, cos = xp.zeros_like(x), xp.cos(angle)
        across = xp.stack([zero, -z, y, z, zero, -x, -y, x, zero]).reshape(3, 3)
        outer = axis[:, None] * axis[None, :]
        return xp.where(small, one, outer + (one - outer) * cos + across * xp.sin(angle))

    def vertices(theta, model, parents):
        base, inverse, positions, weights, mirror = model
        pose = xp.concatenate([theta, tensor([0.0, 1.0])])[hand_pose(len(parents))]
        turned = turned_about(pose[3:])
        side, below = np.zeros((len(parents), 3, 1)), np.zeros((len(parents), 1, 4))
        below[..., 3] = 1.0
        whole = xp.concatenate([xp.concatenate([turned, tensor(side)], 2), tensor(below)], 1)
        absolute = []
        for parent, own in zip(parents, base @ whole, strict=True):
            absolute.append(own if parent == -1 else absolute[parent] @ own)
        moves = (xp.stack(absolute) @ inverse)[:, :3]
        moved = xp.einsum("bij,vj->vbi", moves, positions)
        skinned = xp.einsum("vbi,vb->vi", moved, weights) * mirror
        return skinned @ (turned_by(pose[0]) * pose[1]).T + pose[2]

    def hand_errors(theta, model, data, parents, step=None):
        points, places, us = data
        found = vertices(theta, model, parents)[places]
        if len(us):
            us = us if step is None else us + step
            last = 1.0 - xp.sum(us, 1)[:, None]
            found = xp.sum(found * xp.concatenate([us, last], 1)[:, :, None], 1)
        return xp.reshape(points - found, [-1])

    def hand_jacobian(theta, model, data, parents):
        if not len(data[2]):
            return lib.jacobian(lambda t: hand_errors(t, model, data, parents))(theta)
        everything = xp.concatenate([tensor([0.0, 0.0]), theta])
        return lib.jacobian(lambda v: hand_errors(v[2:], model, data, parents, v[:2]))(everything)

    def lstm(parameters, state, sequence):
        main, extra = parameters
        (into, out, bias), states, total = extra, list(state), 0.0
        for t in range(len(sequence) - 1):
            x = sequence[t] * into
            for i in range(main.shape[0]):
                weights, biases = main[i]
                hidden, cell = states[2 * i], states[2 * i + 1]
                forget = lib.sigmoid(x * weights[0] + biases[0])
                new = lib.sigmoid(hidden * weights[1] + biases[1])
                passed = lib.sigmoid(x * weights[2] + biases[2])
                cell = cell * forget + new * xp.tanh(hidden * weights[3] + biases[3])
                x = passed * xp.tanh(cell)
                states[2 * i], states[2 * i + 1] = x, cell
            predicted = x * out + bias
            normal = predicted - xp.log(xp.sum(xp.exp(predicted)) + 2.0)
            total = total + xp.sum(sequence[t + 1] * normal)
        return -total / ((len(sequence) - 1) * into.shape[0])

    def flat(function):
        slopes = lib.gradient(function)
        return lambda *args: xp.concatenate([xp.reshape(g, [-1]) for g in slopes(*args)], 0)

    def read(name):
        return lambda given: tensor(given[name])

    def number(name):
        return lambda given: given[name]

    def parameters(given):
        return [tensor(given[name]) for name in MIXTURE]

    def hand_model(given):
        model = given["data"]["model"]
        names = "base_relatives", "inverse_base_absolutes", "base_positions", "weights"
        mirror = [-1.0 if model["is_mirrored"] else 1.0, 1.0, 1.0]
        return [*[tensor(model[name]) for name in names], tensor(mirror)]

    def hand_data(given):
        data, us = given["data"], given["us"]
        places = np.array(data["correspondences"])
        if us:
            places = np.array(data["model"]["triangles"])[places]
        return [tensor(data["points"]), xp.asarray(places), tensor(us)]

    def parents(given):
        return tuple(given["data"]["model"]["parents"])

    def lstm_inputs(given):
        main = np.array(given["main_params"])
        shape = (len(main) // 2, 2, 4, main.shape[1] // 4)
        return [tensor(main.reshape(shape)), tensor(given["extra_params"])]

    def observations(given):
        one = np.concatenate([given["cam"], given["x"], [given["w"]]])
        return tensor(np.tile(one, (given["p"], 1)))

    def features(given):
        return tensor(np.tile(given["feat"], (given["p"], 1)))

    vector, clusters = (read("x"),), (read("centroids"), read("points"))
    squares, matrix, steps = (*vector, number("n")), (read("A"), number("ell")), number("s")
    mixed = (parameters, read("x"), number("gamma"), number("m"))
    seen, characters = (observations, features), (lstm_inputs, read("state"), read("sequence"))
    hand = (read("theta"), hand_model, hand_data, parents)
    square, last = (lambda x: x * x), lambda x, n: ode(x, n)[-1]
    slope = lib.gradient
    return {
        "hello": {"square": (square, (tensor,)), "double": (slope(square), (tensor,))},
        "lse": {"primal": (log_sum_exp, vector), "gradient": (slope(log_sum_exp), vector)},
        "llsq": {"primal": (least_squares, squares), "gradient": (slope(least_squares), squares)},
        "gmm": {"objective": (mixture, mixed), "jacobian": (slope(mixture), mixed)},
        "kmeans": {"cost": (distances, clusters), "dir": (lib.newton(distances), clusters)},
        "det": {"primal": (determinant, matrix), "gradient": (slope(determinant), matrix)},
        "ode": {"primal": (ode, (*vector, steps)), "gradient": (slope(last), (*vector, steps))},
        "ba": {"objective": (errors, seen), "jacobian": (jacobians, seen)},
        "ht": {"objective": (hand_errors, hand), "jacobian": (hand_jacobian, hand)},
        "lstm": {"objective": (lstm, characters), "jacobian": (flat(lstm), characters)},
    }


LIBRARIES = {"torch": Torch, "jax": Jax}


def main():
    """Answers the messages on standard input."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("library", choices=LIBRARIES)
    name = parser.parse_args().library
    lib = LIBRARIES[name]()
    Tool(name, evals(lib), lib.wrap, lib.arrays).talk()


if __name__ == "__main__":
    main()
