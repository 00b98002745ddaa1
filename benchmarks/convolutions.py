"""Compares convolution layers of known networks, with gradients, with TensorFlow and PyTorch.

    python benchmarks/convolutions.py                                # gradtape, compiled by XLA
    python benchmarks/convolutions.py --tensorflow /path/to/python   # and TensorFlow's `function`
    OMP_NUM_THREADS=1 python benchmarks/convolutions.py --eager      # eager, beside PyTorch

A layer computes a convolution, its sum of squares, and the gradients by image and filter; one layer
has ReLU and maximum pooling of windows of 2 by 2, too. In compiled mode, each library runs in a
process of its own, with one thread unless the environment names another number, and the result is
the least time of several calls. In eager mode, gradtape and PyTorch, which must both be installed,
take turns in one process. With one thread, times are processor times; with more, they are elapsed
times.
"""

import argparse
import functools
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from options import containing, interpreter


class Layer(NamedTuple):
    """One convolution.

    Attributes:
      batch, space, channels, outputs: Of the images, and the channels of the result.
      window, stride, dilation: The same along each axis.
      groups: The number of groups of channels.
      transposed: Whether it is a transposed convolution, as in decoders.
      block: Whether ReLU and maximum pooling follow.
    """

    batch: int
    space: tuple[int, ...]
    channels: int
    outputs: int
    window: int
    stride: int = 1
    dilation: int = 1
    groups: int = 1
    transposed: bool = False
    block: bool = False


LAYERS = {
    "3x3, 64 (ResNet)": Layer(8, (56, 56), 64, 64, 3),
    "3x3, 256 (ResNet)": Layer(8, (14, 14), 256, 256, 3),
    "3x3 / 2, 128 to 256 (ResNet)": Layer(8, (28, 28), 128, 256, 3, 2),
    "1x1, 64 to 256 (ResNet)": Layer(8, (56, 56), 64, 256, 1),
    "1x1, 256 to 64 (ResNet)": Layer(8, (56, 56), 256, 64, 1),
    "1x1 / 2, 256 to 512 (ResNet)": Layer(8, (56, 56), 256, 512, 1, 2),
    "7x7 / 2, 3 to 64 (ResNet)": Layer(8, (112, 112), 3, 64, 7, 2),
    "depthwise 3x3, 128 (MobileNet)": Layer(8, (56, 56), 128, 128, 3, groups=128),
    "depthwise 3x3 / 2, 128 (MobileNet)": Layer(8, (56, 56), 128, 128, 3, 2, groups=128),
    "depthwise 3x3, 512 (MobileNet)": Layer(8, (14, 14), 512, 512, 3, groups=512),
    "3x3, 32 (U-Net)": Layer(2, (128, 128), 32, 32, 3),
    "transposed 2x2 / 2, 128 to 64 (U-Net)": Layer(2, (64, 64), 128, 64, 2, 2, transposed=True),
    "transposed 4x4 / 2, 128 to 64 (DCGAN)": Layer(16, (16, 16), 128, 64, 4, 2, transposed=True),
    "3x3, 32 groups of 4 (ResNeXt)": Layer(8, (56, 56), 128, 128, 3, groups=32),
    "3x3, dilation 2, 256 (DeepLab)": Layer(4, (28, 28), 256, 256, 3, dilation=2),
    "1D, 3, dilation 16, 64 (WaveNet)": Layer(8, (4096,), 64, 64, 3, dilation=16),
    "1D, 9, 128": Layer(16, (1000,), 128, 128, 9),
    "3D, 3x3x3, 32": Layer(2, (16, 32, 32), 32, 32, 3),
    "3x3, 64, batch of 32": Layer(32, (32, 32), 64, 64, 3),
    "3x3, 64, batch of 32, ReLU, pooling": Layer(32, (32, 32), 64, 64, 3, block=True),
}


def data(layer):
    """Returns the images and the filter of a layer."""
    draw = np.random.default_rng(0).standard_normal
    shapes = [(layer.batch, *layer.space, layer.channels)]
    window = (layer.window,) * len(layer.space)
    if layer.transposed:
        shapes.append((*window, layer.outputs, layer.channels))
    else:
        shapes.append((*window, layer.channels // layer.groups, layer.outputs))
    return [draw(shape).astype("f4") for shape in shapes]


def convolved(tf, layer, x, w):
    """Computes a layer in gradtape or TensorFlow, and returns its result."""
    rank = len(layer.space)
    if layer.transposed:
        out = (layer.batch, *(n * layer.stride for n in layer.space), layer.outputs)
        return tf.nn.conv_transpose(x, w, out, [layer.stride] * rank, "SAME")
    if 1 < layer.groups == layer.channels:
        w = tf.reshape(w, (*w.shape[:rank], layer.channels, 1))
        return tf.nn.depthwise_conv2d(x, w, (1, layer.stride, layer.stride, 1), "SAME")
    rates = [layer.dilation] * rank
    return tf.nn.convolution(x, w, [layer.stride] * rank, "SAME", dilations=rates)


def gradients(tf, layer, x, w):
    """Computes a layer in gradtape or TensorFlow, and returns its gradients."""
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = convolved(tf, layer, x, w)
        y = tf.nn.max_pool2d(tf.nn.relu(y), 2, 2, "VALID") if layer.block else y
        loss = tf.reduce_sum(y * y)
    return tape.gradient(loss, [x, w])


def clock_of(threads):
    """Returns the clock for a number of threads."""
    return time.process_time if str(threads) == "1" else time.perf_counter


def environment():
    """Returns the environment of both libraries, with `OMP_NUM_THREADS` threads each, or one."""
    threads = os.environ.get("OMP_NUM_THREADS", "1")
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS")
    found = {**dict.fromkeys(names, threads), "TF_NUM_INTEROP_THREADS": "1"}
    if threads == "1":
        found["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    return {"TF_CPP_MIN_LOG_LEVEL": "3", **found, **os.environ}


def times(library, names, repeats=5):
    """Returns the milliseconds of each layer; None if the library refuses it."""
    tf = importlib.import_module(library)
    found = {}
    for name in names:
        layer = LAYERS[name]
        x, w = map(tf.constant, data(layer))
        jit = True if library == "gradtape" else None
        step = tf.function(functools.partial(gradients, tf, layer), jit_compile=jit)
        best, clock = float("inf"), clock_of(os.environ.get("OMP_NUM_THREADS"))
        try:
            for i in range(repeats + 2):
                start = clock()
                step(x, w)[1].numpy()
                if i > 1:  # the function is compiled after these calls
                    best = min(best, clock() - start)
        except tf.errors.OpError:
            found[name] = None
        else:
            found[name] = best * 1e3
    return found


def of_torch(torch, layer, images, filters):
    """Returns the function that computes a layer and its gradients in PyTorch."""
    rank = len(layer.space)
    x = torch.tensor(np.ascontiguousarray(np.moveaxis(images, -1, 1)), requires_grad=True)
    w = torch.tensor(filters.transpose(rank + 1, rank, *range(rank)).copy(), requires_grad=True)
    convolve = getattr(torch, f"conv{'_transpose' * layer.transposed}{rank}d")
    reach = layer.window - layer.stride if layer.transposed else layer.window - 1
    pad = reach * layer.dilation // 2
    options = {"stride": layer.stride, "padding": pad, "groups": layer.groups}
    options["dilation"] = layer.dilation

    def step():
        y = convolve(x, w, **options)
        y = torch.max_pool2d(torch.relu(y), 2) if layer.block else y
        return torch.autograd.grad((y * y).sum(), (x, w))

    return step


def eager(names, rounds=8):
    """Prints the times of gradtape and PyTorch, which take turns, and the median of the ratios."""
    tf, torch = map(importlib.import_module, ("gradtape", "torch"))
    clock = clock_of(torch.get_num_threads())
    print("| milliseconds | gradtape | PyTorch | ratio |\n|---|---|---|---|")
    for name in names:
        layer = LAYERS[name]
        images, filters = data(layer)
        ours = functools.partial(gradients, tf, layer, tf.constant(images), tf.constant(filters))
        theirs = of_torch(torch, layer, images, filters)
        found = [[], []]
        for i in range(rounds + 1):
            for work, spent in zip((ours, theirs), found, strict=True):
                work()
                start = clock()
                work()
                if i:  # the first round maps memory
                    spent.append((clock() - start) * 1e3)
        ratio = statistics.median(a / b for a, b in zip(*found, strict=True))
        a, b = map(min, found)
        print(f"| {name} | {a:.1f} | {b:.1f} | {ratio:.2f} |", flush=True)


def main():
    """Prints a table, or the times of one library as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", type=interpreter, metavar="PYTHON")
    parser.add_argument("--eager", action="store_true", help="eager, beside PyTorch")
    parser.add_argument("--only", metavar="TEXT", default="", help="in the names of layers")
    parser.add_argument("--only-library", help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = containing(parser, options.only, {name: name for name in LAYERS})
    if options.only_library:
        print(json.dumps(times(options.only_library, names)))
        return
    if options.eager:
        eager(names)
        return
    peers = {"gradtape": sys.executable, "tensorflow": options.tensorflow}
    found = {}
    for library, python in peers.items():
        if python:
            command = [python, __file__, "--only-library", library, "--only", options.only]
            done = subprocess.run(  # noqa: S603  (our own program)
                command,
                env=environment(),
                capture_output=True,
                text=True,
                check=True,
            )
            found[library] = json.loads(done.stdout.splitlines()[-1])
    print("| milliseconds | " + " | ".join(found) + " | ratio |")
    print("|---|" + "---|" * (len(found) + 1))
    for name in names:
        own = [found[peer][name] for peer in found]
        shown = [f"{t:.1f}" if t else "refused" for t in own]
        shown.append(f"{own[0] / own[1]:.2f}" if all(own) and len(own) > 1 else "")
        print(f"| {name} | " + " | ".join(shown) + " |")


if __name__ == "__main__":
    main()
