"""Rosenbrock's function in 1,000 dimensions, to its minimum, by methods of first and second order.

    python examples/rosenbrock_1000.py

L-BFGS knows the gradient, trust-krylov also the Hessian times a vector, and the last method the
whole Hessian: it is tridiagonal, so three vectorized passes find it and a step is a sparse solve.
`--short` takes 50 dimensions.
"""

import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.sparse import eye_array
from scipy.sparse.linalg import spsolve

import gradtape as tf

N = 50 if "--short" in sys.argv else 1000
START = np.tile([-1.2, 1.0], N // 2)


def rosenbrock(x):
    return tf.reduce_sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def by_scipy(method, options):
    x = tf.Variable(START)
    result = tf.optimize.minimize(
        lambda: rosenbrock(x), x, method=method, options=options, progress=True
    )
    return x.numpy(), result.nit


def by_newton():
    """Newton's method with the sparse Hessian, shifted until the step goes down."""
    x = tf.constant(START)
    sparsity = tf.autodiff.hessian_sparsity(rosenbrock, x)
    shift = 1.0
    steps = 0
    while True:
        value, gradient = tf.autodiff.value_and_gradient(rosenbrock, x)
        if np.abs(gradient).max() < 1e-9:
            return x.numpy(), steps
        hessian = tf.autodiff.sparse_hessian(rosenbrock, x, sparsity)
        while True:
            direction = spsolve((hessian + shift * eye_array(N)).tocsc(), gradient.numpy())
            if rosenbrock(x - direction) < value:
                shift /= 5
                break
            shift *= 3
        x = x - direction
        steps += 1


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
        "Newton, sparse Hessian": by_newton,
    }
    table = Table(title="How near each comes to the minimum, 0 at (1, ..., 1)", title_style="bold")
    for name in ("method", "iterations", "seconds", "f", "max |x - 1|"):
        table.add_column(name, justify="left" if name == "method" else "right")
    worst = 0.0
    for name, method in methods.items():
        begin = time.perf_counter()
        x, steps = method()
        seconds = time.perf_counter() - begin
        off = np.abs(x - 1).max()
        worst = max(worst, off)
        f = float(rosenbrock(tf.constant(x)))
        table.add_row(name, str(steps), f"{seconds:.2f}", f"{f:.1e}", f"{off:.1e}")
    console.print(table)
    console.print("all reached the minimum" if worst < 1e-4 else "some did not reach the minimum")


if __name__ == "__main__":
    main()
