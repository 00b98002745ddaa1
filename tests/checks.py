"""Derivatives computed in every way there is, for tests to compare.

Complex numbers stand for pairs of reals, as in TensorFlow: the inner product of two values is
the real part of sum(conj(a) * b), and the gradient of a real L by z = a + ib is dL/da + i dL/db.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gradtape as tf
from gradtape._src.autodiff.jacobian import push_forward
from gradtape._src.autodiff.vectorize import Batch, Vectorizer
from gradtape._src.autodiff.walk import pull_back, relevant
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core import recorder
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.recorder import Recorder
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.row_sums import to_dense

Function = Callable[..., Any]


def rng(*words: str) -> np.random.Generator:
    """Random numbers that depend on nothing but some words."""
    return np.random.default_rng([ord(c) for c in "/".join(words)])


def draw(generator: np.random.Generator, like: Any) -> Any:
    """Normal numbers of `like`'s shape and dtype."""
    like = np.asarray(like)
    value = generator.standard_normal(like.shape)
    if like.dtype.kind == "c":
        value = value + 1j * generator.standard_normal(like.shape)
    return value.astype(like.dtype)


def tensors(arrays: Sequence[Any]) -> list[Tensor]:
    """Fresh tensors, one per array."""
    return [convert_to_tensor(np.array(a)) for a in arrays]


def outputs(function: Function, xs: Sequence[Any]) -> list[Tensor]:
    """The outputs that have derivatives, as a list."""
    return [tensor(y) for y in all_outputs(function, xs) if tensor(y).dtype.differentiable]


def all_outputs(function: Function, xs: Sequence[Any]) -> list[Any]:
    """Returns a function's results as a list."""
    y = function(*xs)
    return list(y) if isinstance(y, (tuple, list)) else [y]


def inner(us: Sequence[Any], vs: Sequence[Any]) -> float:
    """The real inner product of two lists of values."""
    pairs = zip(us, vs, strict=True)
    return float(sum(np.real(np.sum(np.conj(np.asarray(u)) * np.asarray(v))) for u, v in pairs))


def dense(g: Any, like: Any) -> Any:
    """A gradient as an array-like of its source's shape; None as zeros."""
    if g is None:
        return np.zeros(np.shape(like), np.asarray(like).dtype)
    return to_dense(g) if isinstance(g, IndexedSlices) else g


def values(function: Function, arrays: Sequence[Any]) -> list[Any]:
    """The outputs that have derivatives, as arrays."""
    return [np.asarray(y) for y in outputs(function, tensors(arrays))]


def difference(
    function: Callable[[Sequence[Any]], list[Any]],
    arrays: Sequence[Any],
    direction: Sequence[Any],
    step: float = 1e-4,
) -> list[Any]:
    """The derivative of arrays by arrays along a direction, by a central difference of order 4."""

    def at(h: float) -> list[Any]:
        return function([x + h * d for x, d in zip(arrays, direction, strict=True)])

    rows = zip(at(step), at(-step), at(2 * step), at(-2 * step), strict=True)
    return [(8 * minus(a, b) - minus(c, d)) / (12 * step) for a, b, c, d in rows]


def minus(a: Any, b: Any) -> Any:
    """`a - b`, zero where both are the same infinity."""
    return np.subtract(a, b, out=np.zeros_like(a), where=a != b)


def vjp(function: Function, arrays: Sequence[Any], us: Sequence[Any]) -> list[Any]:
    """The pull-back of cotangents, as the tape's `gradient` computes it."""
    xs = tensors(arrays)
    with tf.GradientTape() as tape:
        tape.watch(xs)
        ys = outputs(function, xs)
    grads = tape.gradient(ys, xs, output_gradients=tensors(us))
    return [np.asarray(dense(g, x)) for g, x in zip(grads, arrays, strict=True)]


def jvp(function: Function, arrays: Sequence[Any], vs: Sequence[Any]) -> list[Any] | None:
    """Returns the push-forward of tangents over the tape's records; None if a rule is missing."""
    xs = tensors(arrays)
    with tf.GradientTape() as tape:
        tape.watch(xs)
        ys = outputs(function, xs)
    if any(plan.jvp is None for plan, *_ in tape.records):
        return None
    seeds = {x._id: v for x, v in zip(xs, tensors(vs), strict=True)}
    found = push_forward(tape.records, seeds)
    return [np.asarray(found[y._id]) if y._id in found else np.zeros(y.shape) for y in ys]


def double_vjp(
    function: Function, arrays: Sequence[Any], us: Sequence[Any], ws: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """The gradient of <w, J'u> with respect to the inputs and by u."""
    xs, dys = tensors(arrays), tensors(us)
    with tf.GradientTape() as outer:
        outer.watch([xs, dys])
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = outputs(function, xs)
        grads = tape.gradient(ys, xs, output_gradients=dys)
        grads = [tensor(dense(g, x)) for g, x in zip(grads, arrays, strict=True)]
    by_x, by_u = outer.gradient(grads, [xs, dys], output_gradients=tensors(ws))
    return (
        [np.asarray(dense(g, x)) for g, x in zip(by_x, arrays, strict=True)],
        [np.asarray(dense(g, u)) for g, u in zip(by_u, us, strict=True)],
    )


def unit_vectors(like: Any) -> Any:
    """The unit vectors in the space of `like`, along axis 0."""
    like = like.numpy() if isinstance(like, Tensor) else np.asarray(like)
    return np.eye(like.size, dtype=like.dtype).reshape(like.size, *like.shape)


def rows_one_by_one(tape: Any, y: Tensor, xs: Sequence[Tensor]) -> list[Any]:
    """For each source the gradients of each of y's elements: the Jacobian by a Python loop."""
    rows = [tape.gradient(y, xs, output_gradients=convert_to_tensor(e)) for e in unit_vectors(y)]
    return [
        np.reshape(
            [np.asarray(dense(row[k], x)) for row in rows], (*np.shape(y), *np.shape(x))
        ).astype(np.asarray(x).dtype)
        for k, x in enumerate(xs)
    ]


def vectorized_vjp(tape: Any, y: Tensor, xs: Sequence[Tensor]) -> list[Any]:
    """Computes the Jacobian by one pull-back of a batch of cotangents."""
    eye = unit_vectors(y)
    records = relevant(tape.records, {x._id for x in xs})

    def run(vectorizer: Vectorizer) -> list[Any]:
        seed = {y._id: vectorizer.wrap(eye)}
        found = pull_back(list(records), seed, [x._id for x in xs], raw=False)
        return [dense(found.get(x._id), x) for x in xs]

    rows = batched(len(eye), run)
    return [r.reshape((*np.shape(y), *np.shape(x))) for r, x in zip(rows, xs, strict=True)]


def batched(size: int, function: Callable[[Vectorizer], list[Any]]) -> list[Any]:
    """Runs a function under a vectorizer; gives its results with the examples along axis 0."""
    vectorizer = Vectorizer(size)
    recorder.push(vectorizer)
    try:
        results = function(vectorizer)
    finally:
        recorder.remove(vectorizer)
    return [_examples(r, size) for r in results]


def _examples(result: Any, size: int) -> Any:
    value = result._value if type(result) is Tensor else result
    if type(value) is Batch:
        return np.asarray(value.inner)
    return np.broadcast_to(value, (size, *np.shape(value)))


class Names(Recorder):
    """Notes the names of the operations that run."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def process(self, primitive: Any, inputs: Any, params: Any) -> Any:
        self.seen.add(primitive.name)
        return primitive.bind(*inputs, **params)


def names_of(function: Callable[[], Any]) -> set[str]:
    """The names of the operations that a function runs."""
    noted = Names()
    recorder.push(noted)
    try:
        function()
    finally:
        recorder.remove(noted)
    return noted.seen


def gradient_of(function: Function, *xs: Any) -> Any:
    """The gradients of a function's result with respect to its arguments, a tuple."""
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = function(*xs)
    return tape.gradient(y, xs)


def watched(function: Function, x: Any, **options: Any) -> tuple[tf.GradientTape, Any]:
    """A tape that watched a call of a function, and the result."""
    with tf.GradientTape(**options) as tape:
        tape.watch(x)
        y = function(x)
    return tape, y
