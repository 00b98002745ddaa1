"""The choice of the default session."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradtape._src.sessions.session import BaseSession


class _Sessions(threading.local):
    def __init__(self) -> None:
        self.stack: list[Any] = []


SESSIONS = _Sessions()


def default_session() -> BaseSession | None:
    """Returns the session of the innermost `with` block of this thread, or None."""
    return SESSIONS.stack[-1] if SESSIONS.stack else None
