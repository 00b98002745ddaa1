"""What acts outside of tensors, and so can't be part of a compiled program."""

from __future__ import annotations

from typing import Any

from gradtape._src.core.recorder import STACK, active_tapes


def staging() -> Any:
    """What compiles the code that runs just now; None where nothing does."""
    if active_tapes() is not None:
        return None
    return next((r for r in STACK.recorders if getattr(r, "stages", False)), None)


def outside(operation: str) -> None:
    """Says that something happens that a program of XLA's would not do again at every call.

    Args:
      operation: What it is, for the message.

    Raises:
      UnimplementedError: A function is being compiled.
    """
    compiler = staging()
    if compiler is not None:
        compiler.refuse(operation)
