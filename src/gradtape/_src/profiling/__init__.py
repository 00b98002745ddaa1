"""The profiler, which measures where time is spent; it is loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradtape._src.autodiff.tape_tools import profiler

if TYPE_CHECKING:
    from gradtape._src.profiling.recording import Recording


class _OnFirstUse:
    """Loads the profiler on first use."""

    def of_tape(self, tape: Any) -> Recording:
        from gradtape._src.profiling.recording import Recording

        return Recording(tape)

    def start(self) -> Recording:
        from gradtape._src.profiling.recording import Recording

        return Recording()


profiler.provide(_OnFirstUse())
