"""Helpers for the XLA kernels in declarations; they load JAX on their first run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.compute.jax_modules import jax, jnp, lax
from gradtape._src.compute.raw_value import RawValue

Kernel = Callable[..., Any]


def in_float32(kernel: Kernel) -> Kernel:
    """Returns a kernel that computes 16-bit floats as float32."""

    @functools.wraps(kernel)
    def run(*xs: Any, **params: Any) -> Any:
        dtype = xs[0].dtype
        if dtype.itemsize == 2 and dtype.kind not in "iu":
            out = kernel(*[x.astype(np.float32) for x in xs], **params)
            narrow: Any = jax.tree_util.tree_map(lambda o: o.astype(dtype), out)
            return narrow
        return kernel(*xs, **params)

    return run


def number(value: float, x: Any) -> RawValue:
    """Returns a constant of a value's dtype."""
    constant: RawValue = x.dtype.type(value)
    return constant


class HostKernel:
    """An XLA kernel that calls NumPy or SciPy while the program runs, for functions that XLA lacks.

    Args:
      kernel: The operation's kernel; its result has the shape and dtype of its one argument.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def __call__(self, x: Any) -> Any:
        spec = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(self._run, spec, x, vmap_method="expand_dims")

    def _run(self, x: Any) -> Any:
        return np.asarray(self._kernel(np.asarray(x)))


def pad_xla(x: Any, value: Any, *, before: Sequence[int], after: Sequence[int]) -> RawValue:
    """Returns `x` with a value before and after the elements along each axis."""
    edges = [(b, a, 0) for b, a in zip(before, after, strict=True)]
    out: RawValue = lax.pad(x, jnp.asarray(value, x.dtype), edges)
    return out


def dropped(indices: Any, count: int) -> RawValue:
    """Moves negative indices, which are to be ignored, beyond the end."""
    out: RawValue = jnp.where(indices < 0, count, indices)
    return out
