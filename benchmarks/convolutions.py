"""Compares convolution layers of known networks, with gradients, with TensorFlow and PyTorch.

    python benchmarks/convolutions.py                                # gradtape, compiled by XLA
    python benchmarks/convolutions.py --tensorflow /path/to/python   # and TensorFlow's `function`
    OMP_NUM_THREADS=1 python benchmarks/convolutions.py --eager      # eager, beside PyTorch

A layer computes a convolution, its sum of squares, and the gradients by image and filter. In
compiled mode, each library runs in a process of its own with one thread, and the result is the
least processor time of several calls. In eager mode, gradtape and PyTorch, which must both be
installed, take turns in one process. There, a block is timed, too: a convolution, ReLU and maximum
pooling of windows of 2 by 2.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import time

import numpy as np

LAYERS = {  # (batch, extent, channels, outputs, window, stride, depthwise)
    "3x3, 64 (ResNet)": (8, 56, 64, 64, 3, 1, False),
    "3x3, 256 (ResNet)": (8, 14, 256, 256, 3, 1, False),
    "3x3 / 2, 128 to 256 (ResNet)": (8, 28, 128, 256, 3, 2, False),
    "1x1, 64 to 256 (ResNet)": (8, 56, 64, 256, 1, 1, False),
    "1x1, 256 to 64 (ResNet)": (8, 56, 256, 64, 1, 1, False),
    "1x1 / 2, 256 to 512 (ResNet)": (8, 56, 256, 512, 1, 2, False),
    "7x7 / 2, 3 to 64 (ResNet)": (8, 112, 3, 64, 7, 2, False),
    "depthwise 3x3, 128 (MobileNet)": (8, 56, 128, 128, 3, 1, True),
    "depthwise 3x3 / 2, 128 (MobileNet)": (8, 56, 128, 128, 3, 2, True),
    "depthwise 3x3, 512 (MobileNet)": (8, 14, 512, 512, 3, 1, True),
    "3x3, 32 (U-Net)": (2, 128, 32, 32, 3, 1, False),
    "3x3, 64, batch of 32": (32, 32, 64, 64, 3, 1, False),
}
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}


def times(library, repeats=5):
    """Returns the milliseconds of each layer."""
    tf = importlib.import_module(library)
    draw = np.random.default_rng(0).standard_normal
    found = {}
    for name, (batch, extent, channels, outputs, window, stride, depthwise) in LAYERS.items():
        x = tf.constant(draw((batch, extent, extent, channels)).astype("f4"))
        shape = (channels, 1) if depthwise else (channels, outputs)
        w = tf.constant(draw((window, window, *shape)).astype("f4"))
        strides = (1, stride, stride, 1)
        convolve = tf.nn.depthwise_conv2d if depthwise else tf.nn.conv2d

        @tf.function(jit_compile=True if library == "gradtape" else None)
        def step(x, w, convolve=convolve, strides=strides):
            with tf.GradientTape() as tape:
                tape.watch([x, w])
                y = convolve(x, w, strides, "SAME")
                loss = tf.reduce_sum(y * y)
            return tape.gradient(loss, [x, w])

        best = float("inf")
        for i in range(repeats + 2):
            start = time.process_time()
            step(x, w)[1].numpy()
            if i > 1:  # the function is compiled after these calls
                best = min(best, time.process_time() - start)
        found[name] = best * 1e3
    return found


def eager_pairs():
    """Yields each layer, and the block: its name, gradtape's function and PyTorch's."""
    tf, torch = map(importlib.import_module, ("gradtape", "torch"))
    draw = np.random.default_rng(0).standard_normal
    layers = {name: (*layer, False) for name, layer in LAYERS.items()}
    layers["3x3, 64, batch of 32, ReLU, pooling"] = (*LAYERS["3x3, 64, batch of 32"], True)
    for name, (
        batch,
        extent,
        channels,
        outputs,
        window,
        stride,
        depthwise,
        block,
    ) in layers.items():
        image = draw((batch, extent, extent, channels)).astype("f4")
        filters = draw((window, window, *((channels, 1) if depthwise else (channels, outputs))))
        x, w = tf.constant(image), tf.constant(filters.astype("f4"))
        order = (2, 3, 0, 1) if depthwise else (3, 2, 0, 1)
        px = torch.tensor(image.transpose(0, 3, 1, 2).copy(), requires_grad=True)
        pw = torch.tensor(filters.astype("f4").transpose(order).copy(), requires_grad=True)
        groups, strides = channels if depthwise else 1, (1, stride, stride, 1)
        convolve = tf.nn.depthwise_conv2d if depthwise else tf.nn.conv2d

        def ours(x=x, w=w, convolve=convolve, strides=strides, block=block):
            with tf.GradientTape() as tape:
                tape.watch([x, w])
                y = convolve(x, w, strides, "SAME")
                y = tf.nn.max_pool2d(tf.nn.relu(y), 2, 2, "VALID") if block else y
                loss = tf.reduce_sum(y * y)
            return tape.gradient(loss, [x, w])

        def theirs(x=px, w=pw, s=stride, pad=window // 2, groups=groups, block=block):
            y = torch.conv2d(x, w, stride=s, padding=pad, groups=groups)
            y = torch.max_pool2d(torch.relu(y), 2) if block else y
            return torch.autograd.grad((y * y).sum(), (x, w))

        yield name, ours, theirs


def eager(rounds=8):
    """Prints the least processor times of gradtape and PyTorch, which take turns."""
    print("| milliseconds | gradtape | PyTorch | ratio |\n|---|---|---|---|")
    for name, *pair in eager_pairs():
        best = [float("inf")] * 2
        for i in range(rounds + 1):
            for who, work in enumerate(pair):
                start = time.process_time()
                work()
                if i:  # the first round maps memory
                    best[who] = min(best[who], (time.process_time() - start) * 1e3)
        print(f"| {name} | {best[0]:.1f} | {best[1]:.1f} | {best[0] / best[1]:.2f} |", flush=True)


def main():
    """Prints a table, or the times of one library as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", metavar="PYTHON")
    parser.add_argument("--eager", action="store_true", help="eager, beside PyTorch")
    parser.add_argument("--only-library", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only_library:
        print(json.dumps(times(options.only_library)))
        return
    if options.eager:
        eager()
        return
    peers = {"gradtape": sys.executable, "tensorflow": options.tensorflow}
    found = {}
    for library, python in peers.items():
        if python:
            command = [python, __file__, "--only-library", library]
            done = subprocess.run(  # noqa: S603  (our own program)
                command,
                env={**os.environ, **ONE_THREAD},
                capture_output=True,
                text=True,
                check=True,
            )
            found[library] = json.loads(done.stdout.splitlines()[-1])
    print("| milliseconds | " + " | ".join(found) + " |")
    print("|---|" + "---|" * len(found))
    for name in LAYERS:
        print(f"| {name} | " + " | ".join(f"{found[peer][name]:.1f}" for peer in found) + " |")


if __name__ == "__main__":
    main()
