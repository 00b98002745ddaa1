"""Finds what XLA computes for an operation; this module needs JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gradtape._compile import (
    kernels_elementwise,
    kernels_further,
    kernels_linalg,
    kernels_rounding,
    kernels_shaping,
)
from gradtape._core.primitive import Primitive

Kernel = Callable[..., Any]
KERNELS: dict[str, Kernel] = {
    **kernels_elementwise.KERNELS,
    **kernels_shaping.KERNELS,
    **kernels_linalg.KERNELS,
    **kernels_further.KERNELS,
    **kernels_rounding.KERNELS,
    "PreventGradient": lambda x: x,
    "CollectiveReduceV2": lambda x, *, group: group.sum_of_each(x),
}
STRUCTURED = frozenset({"If", "While", "Scan"})
"""Operations made of functions: they stage those, and exist in compiled programs alone."""
FROM_NUMPY = frozenset(kernels_elementwise.FROM_SCIPY)
"""Operations that XLA lacks: the compiled program calls their NumPy kernel."""


@cache
def kernel_of(primitive: Primitive) -> Kernel | None:
    """The function that stages an operation into a program, or None where XLA can't compile it."""
    name, kernel = primitive.name, primitive.kernel
    if name in STRUCTURED:
        return kernel
    if name in KERNELS:
        return KERNELS[name]
    if name in FROM_NUMPY:
        return _called_back(kernel)
    kernel = getattr(kernel, "ufunc", kernel)  # of one that threads share
    if type(kernel) is np.ufunc:
        return getattr(jnp, kernel.__name__, None)
    return kernel if getattr(kernel, "__module__", "") == "_operator" else None


def _called_back(kernel: Kernel) -> Kernel:
    """An elementwise kernel that the program calls while it runs."""

    def host(*xs: Any) -> Any:
        return np.asarray(kernel(*[np.asarray(x)[()] for x in xs]))

    def run(*xs: Any) -> Any:
        shape = np.broadcast_shapes(*[x.shape for x in xs])
        return jax.pure_callback(host, jax.ShapeDtypeStruct(shape, xs[0].dtype), *xs)

    return run
