"""Files that are there whole or not at all, however a program ends."""

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
except ImportError:  # not on this system
    _locks = None

_TEMPORARY = re.compile(r"\..*\.(?P<host>[^.]*)-(?P<pid>\d+)-[0-9a-f]{8}\.tmp")


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", socket.gethostname())


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` at the end, in one step.

    It lies beside it until then, hidden, and goes away if there is an exception.

    Raises:
      OpError: The system does not let it be written: TensorFlow's error for the reason.
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
    """Waits until nobody else on this machine writes to a directory by this function.

    The system ends what a process that is killed holds. Where there are no such locks, nothing is
    waited for.
    """
    if _locks is None:
        yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            _locks.flock(descriptor, _locks.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sync(directory: Path) -> None:
    """Has the names in a directory written, if the system can."""
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
