"""Calls of public functions on placeholders, whose values are fed when a session runs."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from saving.saved_calls import Saved, equal, is_random, leaves, paths, working

import gradtape as tf

v1 = tf.compat.v1
DRAWS = ("nn.fractional_avg_pool", "nn.fractional_max_pool", "nn.nce_loss")
DRAWS = (*DRAWS, "nn.sampled_softmax_loss")


@cache
def calls() -> list[Saved]:
    """A call of each listed function whose results do not differ from call to call."""
    chosen = [path for path in paths() if not is_random(path) and path not in DRAWS]
    return [call for path in chosen if (call := working(path)) is not None]


def placeholder(x: Any, known: str) -> Any:
    """Returns a placeholder for values like an array.

    Args:
      x: A dense, ragged or sparse tensor.
      known: The part of the shape that is known: "shape" for all of it, "rank", or "nothing".
    """
    spec = tf.type_spec_from_value(x)
    shape = {"shape": spec.shape, "rank": [None] * len(spec.shape), "nothing": None}[known]
    if isinstance(spec, tf.TensorSpec):
        return v1.placeholder(spec.dtype, shape)
    if isinstance(spec, tf.SparseTensorSpec):
        return v1.sparse_placeholder(spec.dtype, shape)
    inner = spec.shape[spec.ragged_rank + 1 :]
    return v1.ragged.placeholder(spec.dtype, spec.ragged_rank, inner.as_list())


def fed(x: Any) -> Any:
    """Returns the value of a tensor in the form in which a session takes it."""
    if isinstance(x, tf.Tensor):
        return x.numpy()
    parts = [y.numpy() for y in tf.nest.flatten(x, expand_composites=True)]
    if isinstance(x, tf.SparseTensor):
        return v1.SparseTensorValue(*parts)
    value, *splits = parts
    for each in reversed(splits):
        value = v1.ragged.RaggedTensorValue(value, each)
    return value


def tensors(value: Any) -> list[Any]:
    """Returns the tensors in a result."""
    flat = tf.nest.flatten(value, expand_composites=True)
    return [x for x in flat if isinstance(x, tf.Tensor)]


def floats(values: Any) -> list[Any]:
    return [x for x in values if isinstance(x, tf.Tensor) and x.dtype.is_floating]


class Expected:
    """The results of a call on values: tensors, and the gradients of their sum."""

    def __init__(self, call: Saved, values: list[Any]) -> None:
        self.feeds = [*map(fed, values)]
        sources = floats(values)
        with tf.GradientTape() as tape:
            tape.watch(sources)
            self.tensors = tensors(call.call(*values))
        try:
            slopes = tape.gradient(floats(self.tensors), sources) if floats(self.tensors) else []
        except (LookupError, tf.errors.OpError):
            slopes = []
        pairs = zip(slopes, sources, strict=False)
        self.slopes = [
            np.zeros(x.shape, x.dtype.as_numpy_dtype)
            if g is None
            else leaves(tf.convert_to_tensor(g))[0]
            for g, x in pairs
        ]
        self.depends = [g is not None for g in slopes]  # nothing without gradients

    def difference(self, found: Any, slopes: Any) -> str | None:
        """Returns how values and gradients, which may be None, differ from these; or None."""
        if not equal([*map(np.asarray, found)], leaves(self.tensors)):
            return f"has the values {found}, not {self.tensors}"
        for g, right, depends in zip(slopes, self.slopes, self.depends, strict=True):
            if not depends if g is None else equal([g], [right]):
                continue
            return f"has the gradients {slopes}, not {self.slopes}"
        return None


def fault(call: Saved, known: str) -> str | None:
    """Returns how a call on placeholders differs from the same call on values, or None.

    Values and gradients are compared; the graph that is made for the first values runs with
    others, too.
    """
    examples = [values for seed in (0, 11) if call.results(*(values := call.values(seed)))]
    expected = [Expected(call, values) for values in examples]
    with tf.Graph().as_default(), v1.Session() as session:
        places = [placeholder(x, known) for x in examples[0]]
        try:
            outputs = tensors(call.call(*places))
            ends = floats(outputs) if expected[0].depends else []
            slopes = tf.gradients(ends, floats(places)) if ends else []
        except (tf.errors.UnimplementedError, ValueError, TypeError) as error:
            return f"{type(error).__name__}: {error}"
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        for example in expected:
            if not _fit(outputs, example.tensors):
                return f"declares {outputs}, not {example.tensors}"
            feeds = dict(zip(places, example.feeds, strict=True))
            asked = [tf.convert_to_tensor(g) for g in slopes if g is not None]
            try:
                found, known_slopes = session.run([outputs, asked], feeds)
            except tf.errors.OpError as error:
                return f"{type(error).__name__} in a run: {error}"
            following = iter(known_slopes)
            wrong = example.difference(
                found, [None if g is None else next(following) for g in slopes]
            )
            if wrong is not None:
                return wrong
    return None


def _fit(outputs: list[Any], right: list[Any]) -> bool:
    """Whether tensors of a graph have the dtypes, and may have the shapes, of values."""
    return len(outputs) == len(right) and all(
        x.dtype == y.dtype and x.shape.is_compatible_with(y.shape)
        for x, y in zip(outputs, right, strict=True)
    )
