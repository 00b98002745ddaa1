"""Tracebacks that show the user's lines."""

from __future__ import annotations

from types import TracebackType

from gradtape._src.autograph.features import OPERATORS


def shortened(trace: TracebackType | None) -> TracebackType | None:
    """Returns a traceback without the entries between two lines of converted functions.

    The frames of AutoGraph and of compiled control flow are removed; those after the last line of a
    converted function are kept.
    """
    parts = []
    while trace is not None:
        parts.append(trace)
        trace = trace.tb_next
    users = [OPERATORS in part.tb_frame.f_code.co_freevars for part in parts]
    last = max((i for i, own in enumerate(users) if own), default=-1)
    kept = [
        part
        for i, (part, own) in enumerate(zip(parts, users, strict=True))
        if own or (i > last and not _is_of_autograph(part))
    ]
    following: TracebackType | None = None
    for part in reversed(kept):
        if part.tb_next is not following:
            part = TracebackType(following, part.tb_frame, part.tb_lasti, part.tb_lineno)  # noqa: PLW2901
        following = part
    return following


def _is_of_autograph(part: TracebackType) -> bool:
    return str(part.tb_frame.f_globals.get("__name__")).startswith(f"{__package__}.")
