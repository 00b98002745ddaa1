"""Plain functions that XLA compiles of its own accord: `config.optimizer.set_jit(True)`."""

from __future__ import annotations

from contextvars import ContextVar

from gradtape._src.graph.ir.trace_errors import cannot_compile

AGAIN = 3
"""The call with arguments of one kind from which compiling pays."""
MANY = 64
"""The most kinds of calls for which a function is compiled without being asked."""

attempting: ContextVar[bool] = ContextVar("attempting", default=False)
"""Whether a compilation may fail silently, and so must not leave anything out."""


def leave_out(operation: str) -> None:
    """Says that a program does without an operation that has no result.

    Raises:
      UnimplementedError: Nobody asked for the compilation, and the function works as it is.
    """
    if attempting.get():
        raise cannot_compile(operation, "XLA leaves it out")
