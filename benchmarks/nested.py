"""Compares gradients of gradients with PyTorch's, by turns in one process.

    python benchmarks/nested.py [--seconds 4] [--only physics maml ...]

It times five computations on small dense networks: steps of a physics-informed network, a
Hessian-vector product, a gradient through five inner steps (MAML), a penalty on the gradient with
respect to the input, and the penalty of WGAN-GP. gradtape and PyTorch must both be installed,
and must use one thread (set `OMP_NUM_THREADS=1`). The two take turns of some milliseconds; the
results are the least processor time of each, and the median of the ratios of all turns.
"""

import argparse
import itertools
import pathlib
import statistics
import sys
import time

import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from options import chosen
from rich.console import Console
from rich.table import Table

import gradtape as tf

f32 = np.float32
SLICE = 20e-3  # the seconds of a turn


class Network:
    """Dense layers with tanh between them, with the same weights in both libraries."""

    def __init__(self, *sizes):
        rng = np.random.default_rng(0)
        pairs = list(itertools.pairwise(sizes))
        arrays = [(rng.normal(size=pair) / np.sqrt(pair[0])).astype(f32) for pair in pairs]
        arrays += [np.zeros(b, f32) for _, b in pairs]
        self.count = len(pairs)
        self.ours = [tf.Variable(a) for a in arrays]
        self.theirs = [torch.tensor(a, requires_grad=True) for a in arrays]

    def __call__(self, parameters, x, tanh):
        """Returns the result for the given parameters, computed with a library's `tanh`."""
        weights, biases = parameters[: self.count], parameters[self.count :]
        for w, b in zip(weights[:-1], biases[:-1], strict=True):
            x = tanh(x @ w + b)
        return x @ weights[-1] + biases[-1]


def normal(*shape, seed=1):
    """Returns an array of normally distributed numbers, as tensors of both libraries."""
    array = np.random.default_rng([seed, *shape]).normal(size=shape).astype(f32)
    return tf.constant(array), torch.tensor(array)


def physics():
    """Returns steps for Burgers' equation: two derivatives by inputs, then one by weights."""
    network = Network(2, 20, 20, 20, 20, 20, 1)
    (x, px), (t, pt) = normal(100, 1), normal(100, 1, seed=2)
    px.requires_grad_()
    pt.requires_grad_()

    def ours():
        with tf.GradientTape() as outer:
            with tf.GradientTape(watch_accessed_variables=False) as second:
                second.watch(x)
                with tf.GradientTape(watch_accessed_variables=False) as first:
                    first.watch([x, t])
                    u = network(network.ours, tf.concat([x, t], 1), tf.tanh)
                ux, ut = first.gradient(u, [x, t])
            uxx = second.gradient(ux, x)
            loss = tf.reduce_mean((ut + u * ux - 0.01 * uxx) ** 2)
        return outer.gradient(loss, network.ours)

    def theirs():
        u = network(network.theirs, torch.cat([px, pt], 1), torch.tanh)
        ux, ut = torch.autograd.grad(u.sum(), (px, pt), create_graph=True)
        (uxx,) = torch.autograd.grad(ux.sum(), px, create_graph=True)
        loss = ((ut + u * ux - 0.01 * uxx) ** 2).mean()
        return torch.autograd.grad(loss, network.theirs)

    return ours, theirs, None


def product():
    """Returns each library's function that computes a Hessian-vector product."""
    network = Network(16, 32, 32, 1)
    x, px = normal(64, 16)
    vectors = [normal(*v.shape, seed=3) for v in network.ours]
    ours_v, theirs_v = zip(*vectors, strict=True)

    def ours():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_mean(network(network.ours, x, tf.tanh) ** 2)
            slopes = inner.gradient(loss, network.ours)
        return outer.gradient(slopes, network.ours, output_gradients=list(ours_v))

    def value(*parameters):
        return (network(parameters, px, torch.tanh) ** 2).mean()

    def theirs():
        slopes = torch.autograd.grad(value(*network.theirs), network.theirs, create_graph=True)
        return torch.autograd.grad(slopes, network.theirs, grad_outputs=theirs_v)

    detached = tuple(p.detach() for p in network.theirs)
    slopes = torch.func.grad(value, argnums=tuple(range(len(detached))))
    return ours, theirs, lambda: torch.func.jvp(slopes, detached, theirs_v)[1]


def maml():
    """Returns functions that differentiate a loss after five steps of gradient descent."""
    network = Network(1, 40, 40, 1)
    (x, px), (new, pnew) = normal(10, 1), normal(10, 1, seed=2)

    def ours():
        with tf.GradientTape() as outer:
            p = [tf.convert_to_tensor(v) for v in network.ours]
            for _ in range(5):
                with tf.GradientTape(watch_accessed_variables=False) as inner:
                    inner.watch(p)
                    loss = tf.reduce_mean((network(p, x, tf.tanh) - tf.sin(x)) ** 2)
                slopes = inner.gradient(loss, p)
                p = [a - 0.01 * g for a, g in zip(p, slopes, strict=True)]
            loss = tf.reduce_mean((network(p, new, tf.tanh) - tf.sin(new)) ** 2)
        return outer.gradient(loss, network.ours)

    def theirs():
        p = network.theirs
        for _ in range(5):
            loss = ((network(p, px, torch.tanh) - torch.sin(px)) ** 2).mean()
            slopes = torch.autograd.grad(loss, p, create_graph=True)
            p = [a - 0.01 * g for a, g in zip(p, slopes, strict=True)]
        loss = ((network(p, pnew, torch.tanh) - torch.sin(pnew)) ** 2).mean()
        return torch.autograd.grad(loss, network.theirs)

    return ours, theirs, None


def penalty():
    """Returns steps for a classifier's loss, with a penalty on its slope in the input."""
    network = Network(64, 96, 96, 10)
    x, px = normal(64, 64)
    px.requires_grad_()
    labels = np.random.default_rng(0).integers(0, 10, 64)
    y, py = tf.constant(labels), torch.tensor(labels)
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits

    def ours():
        with tf.GradientTape() as outer:
            with tf.GradientTape(watch_accessed_variables=False) as inner:
                inner.watch(x)
                loss = tf.reduce_mean(cross_entropy(y, network(network.ours, x, tf.tanh)))
            slope = inner.gradient(loss, x)
            loss += 0.7 * tf.reduce_mean(tf.reduce_sum(slope**2, 1))
        return outer.gradient(loss, network.ours)

    def theirs():
        loss = torch.nn.functional.cross_entropy(network(network.theirs, px, torch.tanh), py)
        (slope,) = torch.autograd.grad(loss, px, create_graph=True)
        loss = loss + 0.7 * (slope**2).sum(1).mean()
        return torch.autograd.grad(loss, network.theirs)

    return ours, theirs, None


def critic():
    """Returns steps for WGAN-GP's critic, whose slope at mixed points should be 1."""
    network = Network(32, 64, 64, 1)
    (real, preal), (fake, pfake) = normal(64, 32), normal(64, 32, seed=2)
    middle, pmiddle = 0.4 * real + 0.6 * fake, (0.4 * preal + 0.6 * pfake).requires_grad_()

    def ours():
        with tf.GradientTape() as outer:
            with tf.GradientTape(watch_accessed_variables=False) as inner:
                inner.watch(middle)
                score = network(network.ours, middle, tf.tanh)
            slope = inner.gradient(score, middle)
            length = tf.sqrt(tf.reduce_sum(slope**2, 1) + 1e-12)
            gap = network(network.ours, fake, tf.tanh) - network(network.ours, real, tf.tanh)
            loss = tf.reduce_mean(gap) + 10 * tf.reduce_mean((length - 1) ** 2)
        return outer.gradient(loss, network.ours)

    def theirs():
        score = network(network.theirs, pmiddle, torch.tanh)
        (slope,) = torch.autograd.grad(score.sum(), pmiddle, create_graph=True)
        length = ((slope**2).sum(1) + 1e-12).sqrt()
        gap = network(network.theirs, pfake, torch.tanh) - network(
            network.theirs, preal, torch.tanh
        )
        loss = gap.mean() + 10 * ((length - 1) ** 2).mean()
        return torch.autograd.grad(loss, network.theirs)

    return ours, theirs, None


TASKS = {
    "physics": physics,
    "product": product,
    "maml": maml,
    "penalty": penalty,
    "critic": critic,
}


def check(found, expected):
    """Makes sure that both libraries compute the same."""
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), b.detach().numpy(), rtol=1e-3, atol=1e-4)


def in_turn(works, seconds):
    """Returns each one's least processor seconds, and the medians of ratios to the first."""
    counts, turns = [], []
    for work in works:
        begin = time.perf_counter()
        work()
        counts.append(max(1, int(SLICE / (time.perf_counter() - begin))))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        turn = []
        for work, count in zip(works, counts, strict=True):
            begin = time.process_time()
            for _ in range(count):
                work()
            turn.append((time.process_time() - begin) / count)
        turns.append(turn)
    medians = [statistics.median(turn[0] / turn[k] for turn in turns) for k in range(len(works))]
    return [min(column) for column in zip(*turns, strict=True)], medians


def main():
    """Times the selected computations."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--only", nargs="+", default=list(TASKS))
    options = parser.parse_args()
    torch.set_num_threads(1)
    table = Table(title="a call, milliseconds of processor time")
    for column in (
        "task",
        "gradtape",
        "PyTorch",
        "torch.func",
        "ratio to the better one",
        "median",
    ):
        table.add_column(column, justify="left" if column == "task" else "right")
    for name in chosen(parser, options.only, TASKS):
        ours, *peers = TASKS[name]()
        works = [ours, *(peer for peer in peers if peer)]
        for peer in works[1:]:
            check(ours(), peer())
        times, medians = in_turn(works, options.seconds)
        shown = [f"{1e3 * t:.3f}" for t in times] + [""] * (3 - len(works))
        table.add_row(name, *shown, f"{times[0] / min(times[1:]):.2f}", f"{max(medians[1:]):.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
