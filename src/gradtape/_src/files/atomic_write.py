"""Files that are written completely or not at all, however a program ends."""

from __future__ import annotations

import os
import re
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from gradtape._src.files.paths import translated

_locks: Any
try:
    import fcntl as _locks
except ImportError:  # The module exists only on Unix.
    _locks = None

_TEMPORARY = re.compile(r"\..*\.(?P<host>[^.]*)-(?P<pid>\d+)-[0-9a-f]{8}\.tmp")


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", socket.gethostname())


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Opens a file for writing that replaces `path` at the end of the block, in one step.

    Until then it is a hidden file in the same directory, which is removed after an exception.

    Raises:
      OpError: The system does not allow the file to be written.
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
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise translated(error, path) from None
        raise
    _sync(target.parent)


@contextmanager
def alone(directory: Path) -> Iterator[None]:
    """Locks a directory against other writers on this machine that use this function.

    The system releases the lock of a process that is killed. Without support for such locks,
    the function does not wait.
    """
    if _locks is None:
        yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):  # The file system has no locks.
            _locks.flock(descriptor, _locks.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sync(directory: Path) -> None:
    """Writes the entries of a directory to disk, if the system supports it."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def clear_temporary(directory: Path) -> None:
    """Removes the incomplete files of programs that were killed on this machine."""
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
