"""Automatic compilation of functions by XLA: `config.optimizer.set_jit(True)`."""

from __future__ import annotations

from contextvars import ContextVar

from gradtape._src.graph.ir.trace_errors import cannot_compile

AGAIN = 3
"""The number of the call with arguments of one kind at which a function is compiled."""
MANY = 64
"""The maximum number of kinds of calls for which a function is compiled automatically."""

attempting: ContextVar[bool] = ContextVar("attempting", default=False)
"""Whether a compilation may fail silently, and therefore must not omit an operation."""


def leave_out(operation: str) -> None:
    """Warns that a program omits an operation without results.

    Raises:
      UnimplementedError: The compilation is automatic, and the function works without it.
    """
    if attempting.get():
        raise cannot_compile(operation, "XLA leaves it out")
