"""Ending quietly if nobody reads the output any more, as in `gradtape doctor x.py | head`."""

import os
import select
import sys
from contextlib import suppress

from rich.console import Console

BROKEN_PIPE = 141  # what a shell says of a program that SIGPIPE has ended


class Printer(Console):
    """A console that leaves the end of a program to `main`; rich's own would exit with 1."""

    def on_broken_pipe(self) -> None:
        """Raises the BrokenPipeError that is being handled again."""
        raise  # noqa: PLE0704 (rich calls this where it handles the error)


def flush() -> None:
    """Gives what was printed to the reader; raises BrokenPipeError if there is no reader."""
    if sys.stdout is not None and not sys.stdout.closed:
        sys.stdout.flush()


def reader_has_gone() -> bool:
    """Returns whether nobody reads standard output, so that a BrokenPipeError is harmless."""
    try:
        flush()
        waiting = select.poll()
        waiting.register(sys.stdout.fileno(), 0)
    except BrokenPipeError:
        return True
    except (AttributeError, OSError, ValueError):  # no such call on Windows, or no real file
        return False
    return any(event & select.POLLERR for _, event in waiting.poll(0))


def discard_output() -> None:
    """Lets all that is still printed go nowhere, so that Python's exit does not complain of it."""
    with suppress(AttributeError, OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        flush()
