"""A fast exit of a `with` statement over a tape, since each training step opens a tape."""

from __future__ import annotations

from typing import Any
from weakref import ref

from gradtape._src.base.scope_stacks import RecordingExit
from gradtape._src.core.recorder import _tapes, active_tapes

_referent = ref.__call__
_set, _reset = _tapes.set, _tapes.reset


class TapeExit(RecordingExit):
    """The exit of a `with` statement over a tape; makes no calls if the tape is innermost."""

    __slots__ = ()

    def __call__(self, kind: Any = None, value: Any = None, traceback: Any = None) -> None:
        tape: Any = _referent(self)
        tapes = active_tapes()
        if tapes and tapes[-1] is tape:
            token = tape._token
            if token is not None and len(tapes) == 1:
                try:
                    _reset(token)  # takes half as long as setting it
                except (ValueError, RuntimeError):  # entered before, or elsewhere
                    _set(())
            else:
                _set(tapes[:-1])
            tape._recording, tape._token = False, None
        elif tape._recording:
            tape._stop()
