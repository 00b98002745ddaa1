"""Files that are there whole or not at all, however a program ends."""

from __future__ import annotations

import os
import re
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_TEMPORARY = re.compile(r"\..*\.(?P<host>[^.]*)-(?P<pid>\d+)-[0-9a-f]{8}\.tmp")


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", socket.gethostname())


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` at the end, in one step.

    It lies beside it until then, hidden, and goes away if there is an exception.
    """
    target = Path(path)
    name = f".{target.name}.{_host()}-{os.getpid()}-{secrets.token_hex(4)}.tmp"
    temporary = target.with_name(name)
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync(target.parent)


def _sync(directory: Path) -> None:
    """Has the names in a directory written, where the system can."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def clear_temporary(directory: Path) -> None:
    """Removes what programs that were killed on this machine left half written."""
    for path in directory.glob(".*.tmp"):
        match = _TEMPORARY.fullmatch(path.name)
        if match and match["host"] == _host() and not _runs(int(match["pid"])):
            with suppress(OSError):
                path.unlink()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True
