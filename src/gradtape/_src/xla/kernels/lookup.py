"""Finds what XLA computes for an operation; this module needs JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np

from gradtape._src.core.primitive import Primitive
from gradtape._src.xla.kernels import (
    elementwise,
    special,
)

Kernel = Callable[..., Any]
KERNELS: dict[str, Kernel] = {
    **elementwise.KERNELS,
    **special.KERNELS,
    "PreventGradient": lambda x: x,
    "CollectiveReduceV2": lambda x, *, group: group.sum_of_each(x),
}
STRUCTURED = frozenset({"If", "While", "Scan"})
"""Operations made of functions: they stage those, and exist in compiled programs alone."""


@cache
def kernel_of(primitive: Primitive) -> Kernel | None:
    """The function that stages an operation into a program, or None where XLA can't compile it."""
    name, kernel = primitive.name, primitive.kernel
    if name in STRUCTURED:
        return kernel
    if primitive.xla is not None:
        return primitive.xla
    if name in KERNELS:
        return KERNELS[name]
    kernel = getattr(kernel, "ufunc", kernel)  # of one that threads share
    if type(kernel) is np.ufunc:
        return getattr(jnp, kernel.__name__, None)
    return kernel if getattr(kernel, "__module__", "") == "_operator" else None
