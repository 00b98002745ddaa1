"""A physics-informed network for Burgers' equation, trained with Adam and then with L-BFGS.

    python examples/burgers_pinn.py

The network u(t, x) is to satisfy u_t + u u_x = (0.01 / pi) u_xx for -1 < x < 1, 0 < t < 1, with
u(0, x) = -sin(pi x) and u(t, -1) = u(t, 1) = 0: a sine that steepens into a shock (Raissi,
Perdikaris and Karniadakis, 2019). It sees no solution, only the equation; the known one (Cole,
1951, and Hopf, 1950) tells the error at the end.
"""

import argparse
import os
import pathlib
from itertools import pairwise

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console
from rich.progress import track

import gradtape as tf

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument("--short", action="store_true", help="train for a few steps only")
parser.add_argument(
    "--figure",
    type=pathlib.Path,
    default=pathlib.Path("figures/burgers_pinn.png"),
    help="where to save the figure (default: %(default)s)",
)
options = parser.parse_args()

ADAM_STEPS, LBFGS_STEPS, POINTS = (20, 20, 100) if options.short else (400, 6000, 2000)
VISCOSITY = 0.01 / np.pi
LAYERS = [2, 20, 20, 20, 20, 1]
console = Console()
rng = np.random.default_rng(0)


def variables():
    """Weights by Glorot and Bengio's rule, and biases."""
    made = []
    for n, m in pairwise(LAYERS):
        made += [
            tf.Variable(rng.normal(size=(n, m)) * np.sqrt(2 / (n + m))),
            tf.Variable(np.zeros(m)),
        ]
    return made


weights = variables()


def network(t, x):
    h = tf.concat([2 * t - 1, x], axis=1)
    for w, b in zip(weights[:-2:2], weights[1:-2:2], strict=True):
        h = tf.tanh(h @ w + b)
    return h @ weights[-2] + weights[-1]


def residual(t, x):
    """Computes the residual of the equation at some points."""
    with tf.GradientTape(watch_accessed_variables=False) as outer:
        outer.watch(x)
        with tf.GradientTape(watch_accessed_variables=False) as inner:
            inner.watch([t, x])
            u = network(t, x)
        u_t, u_x = inner.gradient(u, [t, x])
    u_xx = outer.gradient(u_x, x)
    return u_t + u * u_x - VISCOSITY * u_xx


def column(values):
    return tf.constant(np.reshape(values, (-1, 1)))


# Points in the strip, more of them where the shock will be; on its first line, and on its sides.
T = column(rng.uniform(0, 1, POINTS))
near = rng.normal(0, 0.1, POINTS // 3).clip(-1, 1)
X = column(np.concatenate([near, rng.uniform(-1, 1, POINTS - len(near))]))
X0 = column(np.linspace(-1, 1, 101))
T1 = column(np.linspace(0, 1, 51))
U0 = -tf.sin(np.pi * X0)
SIDE = tf.ones_like(T1)


def loss():
    inside = tf.reduce_mean(residual(T, X) ** 2)
    start = tf.reduce_mean((network(tf.zeros_like(X0), X0) - U0) ** 2)
    sides = tf.reduce_mean(network(T1, SIDE) ** 2 + network(T1, -SIDE) ** 2)
    return inside + 10 * (start + sides)


def exact(t, x):
    """Cole's and Hopf's solution, its integrals by Gauss and Hermite's rule."""
    z, weight = np.polynomial.hermite.hermgauss(100)
    shifted = x[..., None] - 2 * np.sqrt(VISCOSITY * t[..., None]) * z
    kernel = weight * np.exp(-np.cos(np.pi * shifted) / (2 * np.pi * VISCOSITY))
    return -np.sum(np.sin(np.pi * shifted) * kernel, -1) / np.sum(kernel, -1)


def train():
    optimizer = tf.keras.optimizers.Adam(learning_rate=3e-3)
    for _ in track(range(ADAM_STEPS), "Adam  ", console=console):
        with tf.GradientTape() as tape:
            value = loss()
        optimizer.apply_gradients(zip(tape.gradient(value, weights), weights, strict=True))
    console.print(f"loss after Adam:   {float(loss()):.3e}")
    result = tf.optimize.minimize(
        loss,
        weights,
        method="L-BFGS-B",
        options={"maxiter": LBFGS_STEPS, "maxfun": 2 * LBFGS_STEPS, "maxcor": 50, "ftol": 1e-12},
        progress=True,
    )
    console.print(f"loss after L-BFGS: {result.fun:.3e} in {result.nit} iterations")


def draw(t, x, found, true):
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
    image = left.pcolormesh(t, x, found, cmap="RdBu_r", vmin=-1, vmax=1, shading="gouraud")
    figure.colorbar(image, ax=left, label="u")
    left.set(xlabel="t", ylabel="x", title="the network")
    for k, color in zip([25, 50, 75], ["#2a6f97", "#6a994e", "#c8553d"], strict=True):
        right.plot(x[:, k], true[:, k], color=color, alpha=0.4, linewidth=5)
        right.plot(x[:, k], found[:, k], color=color, label=f"t = {t[0, k]:.2f}")
    right.set(xlabel="x", ylabel="u", title="network (thin) and exact solution (thick)")
    right.spines[["top", "right"]].set_visible(False)
    right.legend(frameon=False)
    options.figure.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.figure, dpi=130)


def main():
    train()
    t, x = np.meshgrid(np.linspace(0, 1, 101), np.linspace(-1, 1, 201))
    true = np.where(t > 0, exact(np.maximum(t, 1e-9), x), -np.sin(np.pi * x))
    found = network(column(t), column(x)).numpy().reshape(t.shape)
    error = np.linalg.norm(found - true) / np.linalg.norm(true)
    console.print(f"relative error against the exact solution: {error:.2e}")
    draw(t, x, found, true)
    console.print(f"figure saved as {options.figure}", soft_wrap=True)


if __name__ == "__main__":
    main()
