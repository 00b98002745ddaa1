"""Finds the XLA kernel of an operation; this module needs JAX."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np

from gradtape._src.core.primitive import Primitive
from gradtape._src.declare.traits import traits_of
from gradtape._src.graph.tracing.trace_errors import cannot_compile

Kernel = Callable[..., Any]

attempting: ContextVar[bool] = ContextVar("attempting", default=False)
"""Whether a failed compilation is ignored, so that a compilation must not omit an operation."""


def leave_out(operation: str) -> None:
    """Warns that the compiled program omits an operation that has no results.

    Raises:
      UnimplementedError: The compilation is automatic, and the function works without it.
    """
    if attempting.get():
        raise cannot_compile(operation, "XLA leaves it out")


class _Unchecked:
    """The kernel of a checking operation, which returns its input without the check.

    Args:
      name: The operation's name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, x: Any, **_params: Any) -> Any:
        leave_out(self._name)
        return x


@cache
def kernel_of(primitive: Primitive) -> Kernel | None:
    """Returns the function that adds an operation to a program, or None if XLA lacks it."""
    kernel = primitive.kernel
    if primitive.xla is not None:
        return primitive.xla
    if traits_of(primitive).only_checks:
        return _Unchecked(primitive.name)
    kernel = getattr(kernel, "ufunc", kernel)  # the operation uses a stack that threads share
    if type(kernel) is np.ufunc:
        return getattr(jnp, kernel.__name__, None)
    return kernel if getattr(kernel, "__module__", "") == "_operator" else None
