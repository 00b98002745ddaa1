"""The networks of devices.py in JAX by hand and in PyTorch, with the same training step."""

import time

from worker_program import HEADS, LENGTH, WIDTH


def digits(ops, weights, x):
    """Returns the logits of the network for digits."""
    for w in weights[:-1]:
        x = ops.relu(x @ w)
    return x @ weights[-1]


def transformer(ops, weights, x):
    """Returns the logits of the transformer with one block."""
    joint, out, wide, narrow, last = weights
    x = x.reshape(-1, LENGTH, WIDTH)
    parts = (x @ joint).reshape(-1, LENGTH, 3, HEADS, WIDTH // HEADS)
    q, k, v = [ops.swap(parts[:, :, i], 1, 2) for i in range(3)]
    attention = ops.softmax(q @ ops.swap(k, 2, 3) / (WIDTH / HEADS) ** 0.5)
    x = x + ops.swap(attention @ v, 1, 2).reshape(-1, LENGTH, WIDTH) @ out
    x = x + ops.gelu(x @ wide) @ narrow
    return x.mean(1) @ last


def convolutions(ops, weights, x):
    """Returns the logits of the network with convolutions of 3 by 3."""
    for w in weights[:-1]:
        x = ops.relu(ops.convolution(x, w, 1 if w.shape[2] == 3 else 2))
    return ops.mean_of_space(x) @ weights[-1]


LOGITS = {"digits": digits, "transformer": transformer, "convolutions": convolutions}


class Jax:
    """JAX's names; a step is one function under `jax.jit`, whose weights are donated."""

    def __init__(self):
        import jax
        import jax.numpy as jnp

        self.jax, self.jnp = jax, jnp
        self.relu, self.softmax, self.swap = jax.nn.relu, jax.nn.softmax, jnp.swapaxes

    def gelu(self, x):
        """The exact form, as in TensorFlow."""
        return self.jax.nn.gelu(x, approximate=False)

    def convolution(self, x, w, stride):
        """Images and results are (batch, rows, columns, channels)."""
        layout = ("NHWC", "HWIO", "NHWC")
        conv = self.jax.lax.conv_general_dilated
        return conv(x, w, (stride, stride), "SAME", dimension_numbers=layout)

    def mean_of_space(self, x):
        """Returns the mean of rows and columns."""
        return x.mean((1, 2))

    def step(self, logits, weights, x, y):
        """Returns a function that trains for one step and returns the loss as a number."""
        jax, jnp = self.jax, self.jnp

        def loss(ws, x, y):
            rows = jax.nn.log_softmax(logits(self, ws, x))
            return -jnp.take_along_axis(rows, y[:, None], 1).mean()

        def update(ws, x, y):
            value, slopes = jax.value_and_grad(loss)(ws, x, y)
            return value, [w - 0.1 * g for w, g in zip(ws, slopes, strict=True)]

        run = jax.jit(update, donate_argnums=0)
        held, x, y = [jnp.asarray(w) for w in weights], jnp.asarray(x), jnp.asarray(y)

        def once():
            nonlocal held
            value, held = run(held, x, y)
            return float(value)

        return once


class Torch:
    """PyTorch's names; a step runs eagerly on the GPU, if there is one.

    Products of float32 use TF32, as in XLA.
    """

    def __init__(self):
        import torch

        torch.set_float32_matmul_precision("high")
        self.torch, self.functions = torch, torch.nn.functional
        self.relu, self.swap = torch.relu, torch.swapaxes
        self.gelu = torch.nn.functional.gelu
        self.device = "cuda" if torch.cuda.is_available() else "cpu"

    def softmax(self, x):
        """Along the last axis."""
        return self.torch.softmax(x, -1)

    def convolution(self, x, w, stride):
        """Images and results are (batch, channels, rows, columns), and filters as in TensorFlow."""
        # As in TensorFlow, an even length with a stride of two is padded at its end only.
        before = 1 if stride == 1 else 0
        x = self.functions.pad(x, (before, 1, before, 1))
        return self.functions.conv2d(x, w.permute(3, 2, 0, 1), stride=stride)

    def mean_of_space(self, x):
        """Returns the mean of rows and columns."""
        return x.mean((2, 3))

    def step(self, logits, weights, x, y):
        """Returns a function that trains for one step and returns the loss as a number."""
        torch = self.torch
        held = [torch.tensor(w, device=self.device, requires_grad=True) for w in weights]
        x, y = torch.tensor(x, device=self.device), torch.tensor(y, device=self.device)
        if x.ndim == 4:
            x = x.permute(0, 3, 1, 2)

        def once():
            loss = self.functions.cross_entropy(logits(self, held, x), y)
            slopes = torch.autograd.grad(loss, held)
            with torch.no_grad():
                for w, slope in zip(held, slopes, strict=True):
                    w.sub_(slope, alpha=0.1)
            return loss.item()

        return once


PEERS = {"jax.jit by hand": Jax, "PyTorch": Torch}


def available():
    """Returns the peers whose libraries are installed, by name."""
    found = {}
    for name, peer in PEERS.items():
        try:
            found[name] = peer()
        except ImportError:
            continue
    return found


def timed(step, steps):
    """Returns the seconds of each step, and the losses that `step` returns."""
    times, losses = [], []
    for _ in range(steps):
        start = time.perf_counter()
        losses.append(step())
        times.append(time.perf_counter() - start)
    return times, losses
