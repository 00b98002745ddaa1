"""Newton's method on a small network, with the Hessian over all of its variables.

    python examples/newton.py

One tape's gradient, differentiated by another's `jacobian`, gives the Hessian of one variable. For
several variables `tf.autodiff.hessian` gives all the blocks, in one vectorized pass. The network
learns exclusive or, and gradient descent from the same start shows the difference. `--short` takes
fewer steps.
"""

import sys

import numpy as np
from rich.console import Console
from rich.table import Table

import gradtape as tf

STEPS = 15 if "--short" in sys.argv else 40
X = tf.constant([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], tf.float64)
Y = tf.constant([[0.0], [1.0], [1.0], [0.0]], tf.float64)


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
    """The Hessian by one variable, with the tapes written out."""
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            loss = loss_of(net)
        g = t1.gradient(loss, variable)
    return t2.jacobian(g, variable)


def newton_step(net, damping):
    """Solves (Hessian + damping) step = gradient; keeps the step where the loss falls."""
    names = sorted(net)
    loss, gradient = tf.autodiff.value_and_gradient(lambda: loss_of(net), net)
    hessian = tf.autodiff.hessian(lambda: loss_of(net), net)
    sizes = {name: int(tf.size(net[name])) for name in names}
    rows = [
        tf.concat([tf.reshape(hessian[a][b], [sizes[a], sizes[b]]) for b in names], axis=1)
        for a in names
    ]
    matrix = tf.concat(rows, axis=0)
    vector = tf.concat([tf.reshape(gradient[name], [-1, 1]) for name in names], axis=0)
    eye = tf.eye(len(matrix), dtype=tf.float64)
    while True:
        step = tf.linalg.solve(matrix + damping * eye, vector)
        parts = tf.split(step, [sizes[name] for name in names])
        for name, part in zip(names, parts, strict=True):
            net[name].assign_sub(tf.reshape(part, net[name].shape))
        if loss_of(net) < loss or damping > 1e8:
            return damping / 4
        for name, part in zip(names, parts, strict=True):
            net[name].assign_add(tf.reshape(part, net[name].shape))
        damping *= 4


def main():
    console = Console()
    newton, descent = build(), build()
    with_tapes = hessian_of_one(newton, newton["kernel1"])
    whole = tf.autodiff.hessian(lambda: loss_of(newton), newton)
    np.testing.assert_allclose(with_tapes, whole["kernel1"]["kernel1"])
    console.print(f"the block of kernel1 has shape {with_tapes.shape}")

    table = Table(title="Loss of a network that learns exclusive or", title_style="bold")
    for name in ("step", "gradient descent", "Newton"):
        table.add_column(name, justify="right")
    damping = 1e-1
    for step in range(STEPS + 1):
        if step % 5 == 0:
            losses = float(loss_of(descent)), float(loss_of(newton))
            table.add_row(str(step), *(f"{value:.3e}" for value in losses))
        gradient = tf.autodiff.gradient(lambda: loss_of(descent), descent)
        for name, variable in descent.items():
            variable.assign_sub(0.3 * gradient[name])
        damping = newton_step(newton, damping)
    console.print(table)
    better = float(loss_of(newton)) < 1e-3 * float(loss_of(descent))
    console.print("Newton's method is more than 1,000 times nearer" if better else "no better")


if __name__ == "__main__":
    main()
