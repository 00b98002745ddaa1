"""What acts outside of tensors, and so can't be part of a compiled program."""

from __future__ import annotations

from gradtape._core.recorder import STACK, active_tapes


def outside(operation: str) -> None:
    """Says that something happens that a program of XLA's would not do again at every call.

    Args:
      operation: What it is, for the message.

    Raises:
      UnimplementedError: A function is being compiled.
    """
    if active_tapes() is None:
        for recorder in STACK.recorders:
            if getattr(recorder, "stages", False):
                recorder.refuse(operation)
