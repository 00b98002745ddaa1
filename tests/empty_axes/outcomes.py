"""The outcomes of a call, stage by stage, as plain values that JSON can hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

DIGITS = 7
TINY = 1e-30  # smaller numbers are what was in memory before
UNSET = "memory that was never written"
RELATIVE, ABSOLUTE = 1e-5, 1e-6


def outcome(
    tf: Any, call: Callable[..., Any], inputs: Sequence[Any], stages: Sequence[str]
) -> dict[str, Any]:
    """By stage what a call gives, as in `plain`, or in its place the exception that it raises.

    Args:
      tf: gradtape or TensorFlow.
      call: The operation.
      inputs: Arrays.
      stages: "vectorized" alone, or "values", "first", "second", and "jacobian". What follows
        an exception is left out.
    """
    found: dict[str, Any] = {}
    stage = stages[0]
    xs = [tf.constant(x) for x in inputs]
    try:
        if stage == "vectorized":
            found[stage] = plain(tf, tf.vectorized_map(lambda row: call(*row), xs))
            return found
        with tf.GradientTape(persistent=True) as outer, tf.GradientTape(persistent=True) as tape:
            tape.watch(xs)
            outer.watch(xs)
            results = tf.nest.flatten(call(*xs))
            found[stage] = plain(tf, results)
            ys = [y for y in results if differentiable(tf, y)]
            with tape.stop_recording():
                stage = "first"
                first = tape.gradient(ys, xs)
        found[stage] = plain(tf, first)
        if "second" in stages:
            stage = "second"
            kept = [tf.convert_to_tensor(g) for g in first if g is not None]
            found[stage] = plain(tf, outer.gradient(kept, xs))
        if "jacobian" in stages and ys:
            stage = "jacobian"
            found[stage] = plain(tf, tape.jacobian(ys[0], xs))
    except Exception as error:  # noqa: BLE001  (an outcome like any other)
        found[stage] = error
    return found


def differentiable(tf: Any, y: Any) -> bool:
    """Whether a result can have a gradient."""
    dtype = tf.as_dtype(y.dtype) if hasattr(y, "dtype") else tf.bool
    return bool(dtype.is_floating or dtype.is_complex)


def plain(tf: Any, results: Any) -> list[Any]:
    """Each tensor as [dtype, shape] and, unless empty, its values: one where all are equal."""
    return [_plain(tf, y) for y in tf.nest.flatten(results)]


def _plain(tf: Any, y: Any) -> Any:
    if y is None:
        return None
    if not hasattr(y, "dtype"):
        return type(y).__name__
    array = np.asarray(tf.convert_to_tensor(y))
    facts = [array.dtype.name, list(array.shape)]
    if not array.size or array.dtype.kind in "OSU":
        return facts
    numbers = array.reshape(-1)
    if array.dtype.kind == "c":
        numbers = np.stack([numbers.real, numbers.imag], 1).reshape(-1)
    values = [float(f"{v:.{DIGITS}g}") for v in numbers.astype(float).tolist()]
    same = array.dtype.kind != "c" and np.array_equal(values, values[:1] * len(values), True)
    return [*facts, values[0] if same else values]


def answer(found: dict[str, Any]) -> dict[str, Any]:
    """Returns the outcome with exceptions replaced by their names, for a file."""
    return {stage: _answer(what) for stage, what in found.items()}


def _answer(what: Any) -> Any:
    if isinstance(what, Exception):
        return type(what).__name__
    values = [np.ravel(result[2]) for result in what if result and len(result) > 2]
    numbers = np.abs(np.concatenate([*values, [0.0]]))
    return UNSET if np.any((numbers > 0) & (numbers < TINY)) else what


def equal(mine: Any, want: Any) -> bool:
    """Whether two results of `plain` are equal, values nearly."""
    if not (isinstance(mine, list) and isinstance(want, list)):
        return bool(mine == want)
    if len(mine) != len(want):
        return False
    return all(_equal(a, b) for a, b in zip(mine, want, strict=True))


def _equal(a: Any, b: Any) -> bool:
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    if a[:2] != b[:2] or len(a) != len(b):
        return False
    scale = ABSOLUTE * max(1.0, np.abs(np.nan_to_num(b[2:], posinf=0, neginf=0)).max(initial=0))
    return np.allclose(a[2:], b[2:], RELATIVE, scale, equal_nan=True)
