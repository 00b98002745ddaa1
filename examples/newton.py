"""Newton's method on a small network, with the Hessian over all of its variables.

    python examples/newton.py

One tape's gradient, differentiated by another tape's `jacobian`, gives the Hessian of one variable.
For several variables `tf.autodiff.hessian` gives all the blocks, in one vectorized pass. The
network learns exclusive or, and gradient descent from the same start shows the difference. The
figure has the loss by step, and the Hessian with its eigenvalues at the start and at the end.
"""

import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import gradtape as tf

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument("--short", action="store_true", help="take 15 steps in place of 40")
parser.add_argument(
    "--figure",
    type=pathlib.Path,
    default=pathlib.Path("figures/newton.png"),
    help="where to save the figure (default: %(default)s)",
)
options = parser.parse_args()

STEPS = 15 if options.short else 40
X = tf.constant([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], tf.float64)
Y = tf.constant([[0.0], [1.0], [1.0], [0.0]], tf.float64)
DESCENT, NEWTON = "#c8553d", "#2a6f97"


def build():
    rng = np.random.default_rng(1)
    return {
        "kernel1": tf.Variable(rng.normal(size=(2, 4))),
        "bias1": tf.Variable(np.zeros(4)),
        "kernel2": tf.Variable(rng.normal(size=(4, 1))),
        "bias2": tf.Variable(np.zeros(1)),
    }


def loss_of(net):
    hidden = tf.tanh(X @ net["kernel1"] + net["bias1"])
    return tf.reduce_mean((hidden @ net["kernel2"] + net["bias2"] - Y) ** 2)


def hessian_of_one(net, variable):
    """The Hessian with respect to one variable, with the tapes written out."""
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            loss = loss_of(net)
        g = t1.gradient(loss, variable)
    return t2.jacobian(g, variable)


def whole_hessian(net):
    """The Hessian with respect to all variables, as one matrix."""
    sizes = {name: int(tf.size(variable)) for name, variable in net.items()}
    blocks = tf.autodiff.hessian(lambda: loss_of(net), net)
    rows = [
        tf.concat([tf.reshape(blocks[a][b], [sizes[a], sizes[b]]) for b in net], axis=1)
        for a in net
    ]
    return tf.concat(rows, axis=0)


def newton_step(net, damping):
    """Solves (Hessian + damping) step = gradient; keeps the step where the loss falls."""
    loss, gradient = tf.autodiff.value_and_gradient(lambda: loss_of(net), net)
    matrix = whole_hessian(net)
    vector = tf.concat([tf.reshape(gradient[name], [-1, 1]) for name in net], axis=0)
    eye = tf.eye(len(matrix), dtype=tf.float64)
    while True:
        step = tf.linalg.solve(matrix + damping * eye, vector)
        parts = tf.split(step, [int(tf.size(variable)) for variable in net.values()])
        for variable, part in zip(net.values(), parts, strict=True):
            variable.assign_sub(tf.reshape(part, variable.shape))
        if loss_of(net) < loss or damping > 1e8:
            return damping / 4
        for variable, part in zip(net.values(), parts, strict=True):
            variable.assign_add(tf.reshape(part, variable.shape))
        damping *= 4


def train(console, newton, descent):
    """The losses of both networks before each step."""
    losses = []
    damping = 1e-1
    for step in track(range(STEPS + 1), "training both", console=console):
        losses.append((float(loss_of(descent)), float(loss_of(newton))))
        if step < STEPS:
            gradient = tf.autodiff.gradient(lambda: loss_of(descent), descent)
            for name, variable in descent.items():
                variable.assign_sub(0.3 * gradient[name])
            damping = newton_step(newton, damping)
    return losses


def draw(losses, before, after):
    """The losses on the left, both Hessians in the middle, their eigenvalues on the right."""
    figure, axes = plt.subplots(1, 4, figsize=(14, 3.6), layout="constrained")
    for values, name, color in zip(
        zip(*losses, strict=True),
        ("gradient descent", "Newton"),
        (DESCENT, NEWTON),
        strict=True,
    ):
        axes[0].semilogy(values, color=color, linewidth=2, label=name)
    axes[0].set(xlabel="step", title="loss")
    axes[0].legend(frameon=False)
    for axis, matrix, title in zip(
        axes[1:3], (before, after), ("Hessian at the start", "at Newton's minimum"), strict=True
    ):
        limit = np.abs(matrix).max()
        image = axis.imshow(matrix, cmap="RdBu_r", vmin=-limit, vmax=limit)
        figure.colorbar(image, ax=axis, shrink=0.8)
        axis.set(xticks=[], yticks=[], title=title)
    for matrix, name, marker in ((before, "at the start", "o"), (after, "at the minimum", "s")):
        axes[3].plot(np.linalg.eigvalsh(matrix)[::-1], marker, label=name, clip_on=False)
    axes[3].axhline(0, color="#b0b0b0", linewidth=1, zorder=0)
    axes[3].set_yscale("symlog", linthresh=1e-2)
    axes[3].set(title="eigenvalues", xlabel="number")
    axes[3].legend(frameon=False)
    for axis in (axes[0], axes[3]):
        axis.spines[["top", "right"]].set_visible(False)
    options.figure.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.figure, dpi=130)


def main():
    console = Console()
    newton, descent = build(), build()
    with_tapes = hessian_of_one(newton, newton["kernel1"])
    whole = tf.autodiff.hessian(lambda: loss_of(newton), newton)
    np.testing.assert_allclose(with_tapes, whole["kernel1"]["kernel1"])
    console.print(f"the block of kernel1 has shape {with_tapes.shape}")

    before = whole_hessian(newton).numpy()
    losses = train(console, newton, descent)
    table = Table(title="Loss of a network that learns exclusive or", title_style="bold")
    for name in ("step", "gradient descent", "Newton"):
        table.add_column(name, justify="right")
    for step in range(0, STEPS + 1, 5):
        table.add_row(str(step), *(f"{value:.3e}" for value in losses[step]))
    console.print(table)
    better = losses[-1][1] < 1e-3 * losses[-1][0]
    console.print("Newton's method is more than 1,000 times nearer" if better else "no better")
    draw(losses, before, whole_hessian(newton).numpy())
    console.print(f"figure saved as {options.figure}", soft_wrap=True)


if __name__ == "__main__":
    main()
