"""Converts paths, and errors of the file system to TensorFlow's."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from gradtape._src.base import errors
from gradtape._src.core.tensor import TensorLike

_ERRORS = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.ENFILE: errors.ResourceExhaustedError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
    errno.EINVAL: errors.InvalidArgumentError,
}


def local(path: Any) -> str:
    """Returns a path given as text, bytes, a scalar tensor or a path object.

    Raises:
      UnimplementedError: `path` names a file elsewhere, as in "gs://bucket/file".
    """
    if isinstance(path, TensorLike):
        path = path.numpy()  # type: ignore[attr-defined]
    text = os.fsdecode(path)
    scheme, found, rest = text.partition("://")
    if not found or not scheme.isalnum():
        return text
    if scheme == "file":
        return rest
    raise errors.UnimplementedError(
        None, None, f"File system scheme '{scheme}' not implemented (file: '{text}')"
    )


def printable(text: object) -> str:
    """Returns a file's name for a log; bytes that are not UTF-8 are escaped."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")


def translated(error: OSError, path: str, suffix: str = "") -> errors.OpError:
    """Returns TensorFlow's error for an error of the file system."""
    kind = _ERRORS.get(error.errno or 0, errors.UnknownError)
    return kind(None, None, f"{path}; {error.strerror or error}{suffix}")


@contextmanager
def as_tensorflow(path: str, suffix: str = "") -> Iterator[None]:
    """Translates errors of the operating system to TensorFlow's within the context."""
    try:
        yield
    except OSError as error:
        raise translated(error, path, suffix) from None
    except ValueError as error:
        if "\0" not in path and not isinstance(error, UnicodeEncodeError):
            raise
        raise errors.NotFoundError(
            None, None, f"{path!r}; no file can have this name ({error}){suffix}"
        ) from None


def is_file(path: str | Path) -> bool:
    """Returns whether a file of that name exists; False for names that are not valid."""
    with suppress(OSError, ValueError):
        return Path(path).is_file()
    return False


def is_directory(path: str | Path) -> bool:
    """Returns whether a directory of that name exists; False for names that are not valid."""
    with suppress(OSError, ValueError):
        return Path(path).is_dir()
    return False


def opened(path: str) -> BinaryIO:
    """Opens a file for reading; raises TensorFlow's error if it cannot be read."""
    with as_tensorflow(path):
        return Path(path).open("rb")
