"""Rosenbrock's function in 1,000 dimensions, to its minimum, by methods of first and second order.

    python examples/rosenbrock_1000.py

L-BFGS knows the gradient, trust-krylov also the Hessian times a vector, and the last method the
whole Hessian: it is tridiagonal, so three vectorized passes find it and a step is a sparse solve.
The figure has the value after each iteration, and the part of the Hessian at which the last method
starts.
"""

import argparse
import pathlib
import time

import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from scipy.sparse import eye_array
from scipy.sparse.linalg import spsolve

import gradtape as tf

parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
)
parser.add_argument("--short", action="store_true", help="take 50 dimensions in place of 1,000")
parser.add_argument(
    "--figure",
    type=pathlib.Path,
    default=pathlib.Path("figures/rosenbrock_1000.png"),
    help="where to save the figure (default: %(default)s)",
)
options = parser.parse_args()

N = 50 if options.short else 1000
START = np.tile([-1.2, 1.0], N // 2)


def rosenbrock(x):
    return tf.reduce_sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def by_scipy(method, settings):
    x = tf.Variable(START)
    values = [float(rosenbrock(x))]
    tf.optimize.minimize(
        lambda: rosenbrock(x),
        x,
        method=method,
        options=settings,
        callback=lambda step: values.append(step.loss),
        progress=True,
    )
    return x.numpy(), values


def by_newton(console):
    """Newton's method with the sparse Hessian, shifted until the step goes down."""
    x = tf.constant(START)
    sparsity = tf.autodiff.hessian_sparsity(rosenbrock, x)
    shift = 1.0
    values = []
    with Progress(*Progress.get_default_columns()[:1], console=console) as progress:
        task = progress.add_task("", total=None)
        while True:
            value, gradient = tf.autodiff.value_and_gradient(rosenbrock, x)
            values.append(float(value))
            progress.update(task, description=f"Newton {len(values) - 1} f = {value:.6g}")
            if np.abs(gradient).max() < 1e-9:
                return x.numpy(), values
            hessian = tf.autodiff.sparse_hessian(rosenbrock, x, sparsity)
            while True:
                direction = spsolve((hessian + shift * eye_array(N)).tocsc(), gradient.numpy())
                if rosenbrock(x - direction) < value:
                    shift /= 5
                    break
                shift *= 3
            x = x - direction


def draw(paths):
    """The values by iteration on the left, the first rows of the Hessian on the right."""
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(11, 4), layout="constrained", width_ratios=[1.6, 1]
    )
    for (name, values), color in zip(paths.items(), ["#c8553d", "#6a994e", "#2a6f97"], strict=True):
        steps = np.arange(1, len(values) + 1)
        left.loglog(steps, np.maximum(values, 1e-30), color=color, linewidth=2, label=name)
    left.set(xlabel="iteration", ylabel="value", title=f"Rosenbrock's function, {N} variables")
    left.spines[["top", "right"]].set_visible(False)
    left.legend(frameon=False)
    corner = tf.autodiff.sparse_hessian(rosenbrock, tf.constant(START))[:16, :16].toarray()
    limit = np.abs(corner).max()
    image = right.imshow(corner, cmap="RdBu_r", vmin=-limit, vmax=limit)
    figure.colorbar(image, ax=right, shrink=0.85)
    right.set(title="its Hessian at the start, first 16 rows", xticks=[], yticks=[])
    options.figure.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.figure, dpi=130)


def main():
    console = Console()
    console.print(f"Rosenbrock's function of {N} variables")
    sparsity = tf.autodiff.hessian_sparsity(rosenbrock, tf.constant(START))
    console.print(f"its Hessian: {sparsity!r}", soft_wrap=True)
    methods = {
        "L-BFGS-B, gradients": lambda: by_scipy(
            "L-BFGS-B", {"maxiter": 20000, "maxfun": 40000, "ftol": 0, "gtol": 1e-8, "maxcor": 20}
        ),
        "trust-krylov, Hessian products": lambda: by_scipy(
            "trust-krylov", {"gtol": 1e-9, "maxiter": 9999}
        ),
        "Newton, sparse Hessian": lambda: by_newton(console),
    }
    table = Table(title="How near each comes to the minimum, 0 at (1, ..., 1)", title_style="bold")
    for name in ("method", "iterations", "seconds", "f", "max |x - 1|"):
        table.add_column(name, justify="left" if name == "method" else "right")
    worst, paths = 0.0, {}
    for name, method in methods.items():
        begin = time.perf_counter()
        x, paths[name] = method()
        seconds = time.perf_counter() - begin
        off = np.abs(x - 1).max()
        worst = max(worst, off)
        f = float(rosenbrock(tf.constant(x)))
        table.add_row(name, str(len(paths[name]) - 1), f"{seconds:.2f}", f"{f:.1e}", f"{off:.1e}")
    console.print(table)
    draw(paths)
    console.print(f"figure saved as {options.figure}", soft_wrap=True)
    console.print("all reached the minimum" if worst < 1e-4 else "some did not reach the minimum")


if __name__ == "__main__":
    main()
