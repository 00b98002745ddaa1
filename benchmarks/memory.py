"""Measures the peak memory of a training step of a transformer in Keras, library by library.

    python benchmarks/memory.py --peer tensorflow=/path/to/python --peer torch=... --peer jax=...

The model has four blocks of 256 units with four heads, and reads 16 rows of 128 words. Each library
runs in a process of its own. A row says by how many MB the resident memory of the process grew
beyond what the process took when the model and its optimizer had been built: at most during the
first four steps. In eager mode of gradtape, the prediction of `tape.summary()` is shown beside it.

With `--layers`, it is the gradient of 100 layers of `tanh` on a million numbers instead. The
results of all layers are the least that the rules of derivatives need.
"""

import argparse
import gc
import importlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from options import peers

LAYERS, SIZE = 100, 1_000_000
BLOCKS, WIDTH, HEADS, WORDS, ROWS, BATCH = 4, 256, 4, 128, 2000, 16
MODES = {
    "gradtape": ("eager", "recomputed", "function", "xla"),
    "tensorflow": ("eager", "function", "xla"),
    "torch": ("eager",),
    "jax": ("xla",),
}
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def model(keras, recomputed):
    """Returns a transformer that assigns one of ten classes to each text."""
    layers = keras.layers

    def block(x):
        normal = layers.LayerNormalization()(x)
        x = layers.Add()([x, layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(normal, normal)])
        y = layers.Dense(4 * WIDTH, activation="gelu")(layers.LayerNormalization()(x))
        return layers.Add()([x, layers.Dense(WIDTH)(y)])

    words = layers.Input((WORDS,), dtype="int32")
    with keras.RematScope(mode="full" if recomputed else None):
        x = layers.Embedding(ROWS, WIDTH)(words)
        for _ in range(BLOCKS):
            x = block(x)
        out = layers.Dense(10)(layers.GlobalAveragePooling1D()(x))
    return keras.Model(words, out)


def resident():
    """Returns the MB that the process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def restart_peak():
    """Makes the current memory the peak of the process (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")


def peak():
    """Returns the MB that the process held at most since `restart_peak`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e6


def step(library, mode):
    """Returns the MB beyond those before the first step, and gradtape's prediction."""
    if library == "gradtape":
        tf = importlib.import_module("gradtape")
        keras = tf.keras
    else:
        os.environ["KERAS_BACKEND"] = library
        keras = importlib.import_module("keras")
    keras.utils.set_random_seed(0)
    network = model(keras, mode == "recomputed")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    network.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss=loss,
        run_eagerly=mode in ("eager", "recomputed") and library != "torch",
        jit_compile=mode == "xla",
    )
    network.optimizer.build(network.trainable_variables)
    draw = np.random.default_rng(0)
    x = draw.integers(0, ROWS, (4 * BATCH, WORDS)).astype("int32")
    y = draw.integers(0, 10, 4 * BATCH).astype("int32")
    gc.collect()
    before = resident()
    restart_peak()
    for at in range(0, len(x), BATCH):
        network.train_on_batch(x[at : at + BATCH], y[at : at + BATCH])
    found = {"peak": peak() - before}
    if library == "gradtape" and mode in ("eager", "recomputed"):
        with tf.GradientTape() as tape:
            value = loss(y[:BATCH], network(x[:BATCH], training=True))
        found["predicted"] = tape.summary().peak / 1e6
        assert value.shape == ()
    return found


def layers(library):
    """Returns the MB beyond those before a gradient of layers of `tanh`, and gradtape's prediction.

    A gradient of a few numbers comes first, so that everything is loaded.
    """
    module = importlib.import_module(library)

    def gradient(size):
        x = np.random.default_rng(0).standard_normal(size).astype("f4")
        if library == "jax":
            found = module.grad(lambda x: _stack(module.numpy.tanh, x).sum())(x)
            return found.block_until_ready()
        if library == "torch":
            x = module.tensor(x, requires_grad=True)
            return module.autograd.grad(_stack(module.tanh, x).sum(), x)
        x = module.constant(x)
        with module.GradientTape() as tape:
            tape.watch(x)
            y = module.reduce_sum(_stack(module.tanh, x))
        if library == "gradtape":
            predicted.append(tape.summary().peak / 1e6)
        return tape.gradient(y, x)

    predicted = []
    gradient(10)
    gc.collect()
    before = resident()
    restart_peak()
    gradient(SIZE)
    return {"peak": peak() - before} | ({"predicted": predicted[-1]} if predicted else {})


def _stack(tanh, x):
    for _ in range(LAYERS):
        x = tanh(x)
    return x


def table(pythons, modes):
    """Prints the rows of the libraries and modes, each measured in a process of its own."""
    print("| | mode | peak, MB | predicted, MB |\n|---|---|---|---|")
    for library, python in pythons.items():
        for mode in modes(library):
            done = subprocess.run(  # noqa: S603  (our own program)
                [python, __file__, "--measure", library, mode],
                env={**os.environ, **ENVIRONMENT},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise SystemExit(f"{library}, {mode}, failed:\n{done.stderr[-2000:]}")
            found = json.loads(done.stdout.splitlines()[-1])
            predicted = f"{found['predicted']:.0f}" if "predicted" in found else ""
            print(f"| {library} | {mode} | {found['peak']:.0f} | {predicted} |", flush=True)


def main():
    """Prints the table, or one row as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", action="append", default=[], metavar="LIBRARY=PYTHON")
    parser.add_argument("--layers", action="store_true", help="the chain of layers instead")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        library, mode = options.measure
        print(json.dumps(layers(library) if mode == "layers" else step(library, mode)))
        return
    pythons = {"gradtape": sys.executable, **peers(parser, options.peer, MODES)}
    if options.layers:
        table(pythons, lambda library: ["layers"])
        print(f"\nThe results that the rules need take {LAYERS * SIZE * 4 / 1e6:.0f} MB.")
    else:
        table(pythons, MODES.get)


if __name__ == "__main__":
    main()
