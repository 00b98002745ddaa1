"""Compares training steps on the device that JAX selects with the same steps in NumPy.

    make test-gpu                        # on a GPU, after the tests of compiled functions
    JAX_PLATFORMS=cpu python benchmarks/devices.py
    JAX_PLATFORMS=cuda,cpu python benchmarks/devices.py --device     # only names the device

It is an error if the device that JAX_PLATFORMS names first is missing: JAX would use the processor.
The networks are those of worker_program.py, and one of convolutions. The same steps by hand in JAX,
and in PyTorch if it is installed, are measured beside them on the same device. All losses are
compared. A time is the least of 16 steps, each of which returns its loss.
"""

import argparse
import itertools
import os
import sys
from pathlib import Path

import jax
import numpy as np

import gradtape as tf

tf.install()
sys.path.insert(0, str(Path(__file__).parent))

import device_peers  # noqa: E402 (it imports worker_program)
from worker_program import NETWORKS  # noqa: E402 (it imports tensorflow)

BATCHES = {"digits": (128, 2048), "transformer": (16, 128), "convolutions": (32, 256)}
STEPS, PLAIN_STEPS = 16, 2
CHANNELS = (3, 64, 128, 256)


def convolutions(rng):
    """Returns the variables and the logits' function of a network for images of 32 by 32."""
    sizes = [(3, 3, n, m) for n, m in itertools.pairwise(CHANNELS)]
    weights = [
        tf.Variable((rng.standard_normal(size) / np.prod(size[:-1]) ** 0.5).astype("f4"))
        for size in [*sizes, (CHANNELS[-1], 10)]
    ]

    def logits(x):
        for w in weights[:-1]:
            x = tf.nn.relu(tf.nn.conv2d(x, w, 1 if w.shape[2] == 3 else 2, "SAME"))
        return tf.reduce_mean(x, axis=(1, 2)) @ weights[-1]

    return weights, logits, (32, 32, 3)


def made(name, batch):
    """Returns a network's variables, logits, images and labels; the same ones each time."""
    rng = np.random.default_rng(0)
    weights, logits, shape = {**NETWORKS, "convolutions": convolutions}[name](rng)
    x = rng.standard_normal((batch, *shape)).astype("f4")
    return weights, logits, x, rng.integers(0, 10, batch)


def trained(name, batch, compiled, steps):
    """Returns the seconds of each step, and the losses."""
    weights, logits, x, y = made(name, batch)
    x, y = tf.constant(x), tf.constant(y)

    def step(x, y):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits(x))
            loss = tf.reduce_mean(losses)
        for w, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            w.assign_sub(0.1 * gradient)
        return loss

    run = tf.function(step, jit_compile=True) if compiled else step
    return device_peers.timed(lambda: float(run(x, y)), steps)


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", action="store_true", help="only name the device")
    options = parser.parse_args()
    print(f"{device()}\n")
    if options.device:
        return
    peers = device_peers.available()
    titles = ["Network", "Batch", "First call, s", "Step, ms", *peers, "NumPy, ms"]
    print(f"| {' | '.join(titles)} |\n|---|{'---:|' * (len(titles) - 1)}")
    for name, batches in BATCHES.items():
        for batch in batches:
            times, losses = trained(name, batch, compiled=True, steps=STEPS)
            cells = [f"{times[0]:.2f}", f"{1e3 * min(times[1:]):.2f}"]
            for peer in peers.values():
                weights, _, x, y = made(name, batch)
                once = peer.step(device_peers.LOGITS[name], [w.numpy() for w in weights], x, y)
                beside, expected = device_peers.timed(once, STEPS)
                check(name, losses, expected)
                cells.append(f"{1e3 * min(beside[1:]):.2f}")
            plain, expected = trained(name, batch, compiled=False, steps=PLAIN_STEPS)
            check(name, losses, expected)
            print(
                f"| {name} | {batch} | {' | '.join(cells)} | {1e3 * min(plain):.2f} |", flush=True
            )


def check(name, losses, expected):
    """Ends the program if losses differ by more than products of TF32 explain."""
    if not np.allclose(losses[: len(expected)], expected, rtol=1e-2):
        raise SystemExit(f"{name}: the compiled steps give the losses {losses}, not {expected}")


if __name__ == "__main__":
    main()
