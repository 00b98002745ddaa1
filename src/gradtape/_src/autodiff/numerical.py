"""Checks gradients: Jacobians by automatic differentiation and by finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.autodiff import jacobian as _jacobian
from gradtape._src.autodiff.arguments import leaf
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base.export import export
from gradtape._src.base.optional_dtypes import BFLOAT16
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.structural import count

Array = np.ndarray[Any, Any]

_CHECKED = {np.float16, np.float32, np.float64, np.complex64, np.complex128, *BFLOAT16}


@export("test.compute_gradient")
def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Computes the Jacobians of a function by automatic differentiation and by central differences.

    Args:
      f: A function that takes `len(x)` tensors and returns one tensor.
      x: A list or tuple of values, the point at which to differentiate.
      delta: The step of the central differences; 1 / 1024 by default.

    Returns:
      A pair of tuples with a NumPy array for each argument, of shape (elements of the result,
      elements of the argument). Its dtype is the argument's; for a complex argument it is real,
      and a complex number counts as two elements, its real and imaginary part.

    Raises:
      ValueError: `x` is neither a list nor a tuple.
      AssertionError: An argument is neither floating nor complex.

    >>> by_rule, by_difference = tf.test.compute_gradient(tf.square, [np.array([1.0, 3.0])])
    >>> by_rule[0].tolist()
    [[2.0, 0.0], [0.0, 6.0]]
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            f"`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), "
            f"not a {type(x)}"
        )
    values = [np.array(convert_to_tensor(v)) for v in x]
    for i, v in enumerate(values):
        if v.dtype.type not in _CHECKED:
            raise AssertionError(
                f"Cannot compute gradient for unsupported type {v.dtype} of argument {i}: give a "
                "floating or complex one"
            )
    step = 1.0 / 1024 if delta is None else delta
    by_difference = tuple(_by_difference(f, values, i, step) for i in range(len(values)))
    return _by_rule(f, values), by_difference


def _by_rule(f: Callable[..., Any], values: Sequence[Array]) -> tuple[Array, ...]:
    xs = [convert_to_tensor(v) for v in values]
    with GradientTape(True, watch_accessed_variables=False) as tape:
        tape.watch(xs)
        y = _result(f, xs)
    n, dtype = count(y.shape), y._value.dtype
    if dtype.kind == "c":  # the gradients of real and imaginary parts
        seeds = np.zeros((2 * n, n), dtype)
        seeds[np.arange(n) * 2, np.arange(n)] = 1
        seeds[np.arange(n) * 2 + 1, np.arange(n)] = 1j
    else:
        seeds = np.eye(n, dtype=dtype)
    rows = len(seeds)
    seeds = seeds.reshape(rows, *y.shape)
    found = _jacobian.backward(tape._records(xs), y, seeds, xs) if rows else [None] * len(xs)
    arrays = []
    for g, v in zip(found, values, strict=True):
        raw = np.zeros((rows, *v.shape), v.dtype) if g is None else np.asarray(_raw(g))
        arrays.append(_as_real(raw.reshape(rows, v.size)))
    return tuple(arrays)


def _by_difference(f: Callable[..., Any], values: Sequence[Array], i: int, step: float) -> Array:
    def at(k: int, moved: float) -> Array:
        given = [v.copy() for v in values]
        flat = given[i].reshape(-1)
        parts = _as_real(flat)
        parts[k] += parts.dtype.type(moved)
        y = _result(f, [convert_to_tensor(v) for v in given])
        return _as_real(np.asarray(y.numpy()).reshape(-1))

    size = _as_real(values[i].reshape(-1)).size
    columns = [(at(k, step) - at(k, -step)) / (2 * step) for k in range(size)]
    dtype = _as_real(values[i].reshape(-1)).dtype
    if not columns:
        rows = _as_real(np.asarray(_result(f, list(map(convert_to_tensor, values)))).reshape(-1))
        return np.zeros((rows.size, 0), dtype)
    return np.stack(columns, axis=1).astype(dtype)


def _result(f: Callable[..., Any], xs: Sequence[Any]) -> Any:
    y = f(*xs)
    if leaf(y) is None:
        raise AttributeError(
            f"{type(y).__name__!r} object has no attribute 'shape': compute_gradient needs a "
            "function that returns one tensor"
        )
    return convert_to_tensor(y)


def _as_real(x: Array) -> Array:
    """Returns a view of complex numbers as pairs of real ones along the last axis."""
    return x.view(x.real.dtype) if x.dtype.kind == "c" else x


def _raw(x: Any) -> Any:
    return x._value if type(x) is Tensor else x
