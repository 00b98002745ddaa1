"""Compares training steps on the device that JAX selects with the same steps in NumPy.

    make test-gpu                        # on a GPU, after the tests of compiled functions
    JAX_PLATFORMS=cpu python benchmarks/devices.py
    JAX_PLATFORMS=cuda,cpu python benchmarks/devices.py --device     # only names the device

It is an error if the device that JAX_PLATFORMS names first is missing: JAX would use the processor.
The networks are those of worker_program.py. Their weights after the steps are compared.
"""

import os
import sys
import time
from pathlib import Path

import jax
import numpy as np

import gradtape as tf

tf.install()
sys.path.insert(0, str(Path(__file__).parent))

from worker_program import NETWORKS  # noqa: E402 (it imports tensorflow)

BATCHES = {"digits": (128, 2048), "transformer": (16, 128)}
STEPS = 8


def trained(name, batch, compiled):
    """Returns the seconds of each step, and the weights after all steps."""
    rng = np.random.default_rng(0)
    weights, logits, shape = NETWORKS[name](rng)
    x = tf.constant(rng.standard_normal((batch, *shape)).astype("f4"))
    y = tf.constant(rng.integers(0, 10, batch))

    def step(x, y):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits(x))
            loss = tf.reduce_mean(losses)
        for w, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            w.assign_sub(0.1 * gradient)
        return loss

    run, times = tf.function(step, jit_compile=True) if compiled else step, []
    for _ in range(STEPS):
        start = time.perf_counter()
        float(run(x, y))
        times.append(time.perf_counter() - start)
    return times, [w.numpy() for w in weights]


def device():
    """Returns the description of the device; ends the program if it is not the one asked for."""
    asked = os.environ.get("JAX_PLATFORMS", "").split(",")[0]
    first = jax.devices()[0]
    if asked not in {"", "cpu"} and first.platform == "cpu":
        raise SystemExit(
            f"JAX finds no device of the platform {asked}: is JAX installed for it (such as "
            f"jax[cuda12]), and the device visible?"
        )
    return f"{first.device_kind} ({first.platform}), JAX {jax.__version__}"


def main():
    print(f"{device()}\n")
    if "--device" in sys.argv:
        return
    print("| Network | Batch | First call, s | Step, ms | NumPy, ms | Weights differ by |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, batches in BATCHES.items():
        for batch in batches:
            times, found = trained(name, batch, compiled=True)
            plain, expected = trained(name, batch, compiled=False)
            size = max(np.abs(w).max() for w in expected)
            off = max(np.abs(a - b).max() for a, b in zip(found, expected, strict=True)) / size
            print(
                f"| {name} | {batch} | {times[0]:.2f} | {1e3 * min(times[1:]):.2f} "
                f"| {1e3 * min(plain[1:]):.2f} | {off:.0e} |",
                flush=True,
            )
            if off > 1e-2:
                raise SystemExit(f"{name}: the compiled steps give other weights")


if __name__ == "__main__":
    main()
