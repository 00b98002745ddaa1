"""Ends without an error if the output's reader has ended: `gradtape doctor x.py | head`."""

import os
import select
import sys
from contextlib import suppress

from rich.console import Console

BROKEN_PIPE = 141  # the exit status that a shell reports for a program ended by SIGPIPE


class Printer(Console):
    """A console that lets `main` end the program; rich's own would exit with 1."""

    def on_broken_pipe(self) -> None:
        """Re-raises the BrokenPipeError that is being handled."""
        raise  # noqa: PLE0704 (rich calls this where it handles the error)


def flush() -> None:
    """Flushes the printed output; raises BrokenPipeError if there is no reader."""
    if sys.stdout is not None and not sys.stdout.closed:
        sys.stdout.flush()


def reader_has_gone() -> bool:
    """Returns whether standard output has no reader, so that a BrokenPipeError is harmless."""
    try:
        flush()
        waiting = select.poll()
        waiting.register(sys.stdout.fileno(), 0)
    except BrokenPipeError:
        return True
    except (AttributeError, OSError, ValueError):  # no poll, or no real file
        return False
    return any(event & select.POLLERR for _, event in waiting.poll(0))


def discard_output() -> None:
    """Discards all further output, so that Python's exit does not report a broken pipe."""
    with suppress(AttributeError, OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        flush()
