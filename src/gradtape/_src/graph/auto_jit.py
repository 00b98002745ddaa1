"""Automatic compilation of functions by XLA: `config.optimizer.set_jit(True)`."""

from __future__ import annotations

from contextvars import ContextVar

from gradtape._src.graph.tracing.trace_errors import cannot_compile

attempting: ContextVar[bool] = ContextVar("attempting", default=False)
"""Whether a failed compilation is ignored, so that a compilation must not omit an operation."""


def leave_out(operation: str) -> None:
    """Warns that the compiled program omits an operation that has no results.

    Raises:
      UnimplementedError: The compilation is automatic, and the function works without it.
    """
    if attempting.get():
        raise cannot_compile(operation, "XLA leaves it out")
