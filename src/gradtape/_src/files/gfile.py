"""`tf.io.gfile`: files and directories."""

from __future__ import annotations

import glob as _glob
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import IO, Any, AnyStr, Generic, Literal, NamedTuple, Self, TypeAlias, overload

from gradtape._src.base.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
)
from gradtape._src.base.export import export
from gradtape._src.declare.eager_only import refuse_under_jit
from gradtape._src.files.paths import as_tensorflow, local

BytesMode: TypeAlias = Literal["rb", "wb", "ab", "r+b", "w+b", "a+b", "rb+", "wb+", "ab+"]

_PIECE = 1 << 20  # bytes
_MODES = ("r", "w", "a", "r+", "w+", "a+")


class FileStatistics(NamedTuple):
    """The properties of a file: its length in bytes, its modification time, and its kind."""

    length: int
    mtime_nsec: int
    is_directory: bool


@export("io.gfile.GFile")
class GFile(Generic[AnyStr]):
    """A file.

    Args:
      name: The path.
      mode: "r", "w", "a", "r+", "w+" or "a+", with a "b" for bytes.

    Raises:
      InvalidArgumentError: The mode is unknown.
    """

    @overload
    def __init__(self: GFile[bytes], name: str | PathLike[str], mode: BytesMode) -> None: ...
    @overload
    def __init__(self: GFile[str], name: str | PathLike[str], mode: str = "r") -> None: ...
    def __init__(self, name: str | PathLike[str], mode: str = "r") -> None:
        self._name = name
        self._mode = mode
        if mode.replace("b", "") not in _MODES:
            raise InvalidArgumentError(
                None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'"
            )
        self._file: IO[Any] | None = None

    @property
    def name(self) -> str | PathLike[str]:
        """The path that was passed to the constructor."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode that was passed to the constructor."""
        return self._mode

    def _opened(self, access: str = "") -> IO[Any]:
        """Opens the file on first use."""
        modes = {"r": "r", "w": "wa"}.get(access, self._mode)
        if self._mode.replace("b", "").rstrip("+") not in modes and "+" not in self._mode:
            way = "reading" if access == "r" else "writing"
            raise PermissionDeniedError(None, None, f"File isn't open for {way}")
        if self._file is None:
            path = local(self._name)
            with as_tensorflow(path):
                self._file = open(path, self._mode.replace("b", "") + "b")  # noqa: SIM115
        assert self._file is not None
        return self._file

    def _shown(self, data: bytes) -> AnyStr:
        shown: Any = data if "b" in self._mode else data.decode()
        text: AnyStr = shown
        return text

    def read(self, n: int = -1) -> AnyStr:
        """Reads the next `n` bytes, or all remaining ones; as text unless the mode has a "b".

        Args:
          n: The number of bytes; all if negative.

        Returns:
          Text, or bytes.
        """
        with as_tensorflow(str(self._name)):
            file = self._opened("r")
            data = file.read() if n < 0 else b"".join(_pieces(file, n))
            return self._shown(data)

    def readline(self) -> AnyStr:
        """Reads the next line with its line break; returns an empty text at the end of the file.

        Returns:
          Text, or bytes.
        """
        with as_tensorflow(str(self._name)):
            return self._shown(self._opened("r").readline())

    def readlines(self) -> list[AnyStr]:
        """Reads all remaining lines.

        Returns:
          A list of text, or bytes.
        """
        return list(self)

    def write(self, file_content: Any) -> None:
        """Writes text or bytes.

        Args:
          file_content: Text or bytes.
        """
        refuse_under_jit("GFile.write")
        data = file_content.encode() if isinstance(file_content, str) else file_content
        with as_tensorflow(str(self._name)):
            self._opened("w").write(data)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Moves the position in the file.

        Args:
          offset: The distance in bytes.
          whence: The reference: 0 for the start, 1 for the current position, 2 for the end.
          position: The older name of `offset`, from the start.
        """
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        place: Any = position if offset is None else offset
        file = self._opened("r")
        with as_tensorflow(str(self._name)):
            try:
                file.seek(place, whence)
            except (OverflowError, ValueError) as error:
                raise InvalidArgumentError(
                    None, None, f"{self._name}; can't seek to {place} from {whence}: {error}"
                ) from None

    def tell(self) -> int:
        """Returns the position in the file.

        Returns:
          The number of bytes before the position.
        """
        with as_tensorflow(str(self._name)):
            return self._opened().tell()

    def size(self) -> int:
        """Returns the number of bytes in the file.

        Returns:
          The number of bytes.
        """
        if self._file is not None and self._mode.replace("b", "") != "r":
            self._file.flush()
        return stat(self._name).length

    def flush(self) -> None:
        """Flushes the written data to the file."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
        elif "w" in self._mode:  # creates an empty file if nothing was written
            self._opened().close()
        self._file = None

    def seekable(self) -> bool:
        """Returns True, since files can be read from any position.

        Returns:
          True.
        """
        return True

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()


def _pieces(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yields the bytes of a file in pieces, so that memory use follows the actual size."""
    while size > 0 and (data := file.read(min(size, _PIECE))):
        size -= len(data)
        yield data


@export("io.gfile.exists")
def exists(path: Any) -> bool:
    """Returns whether a path exists.

    Args:
      path: The path.

    Returns:
      True for a file and for a directory.
    """
    return os.path.exists(local(path))


@export("io.gfile.isdir")
def isdir(path: Any) -> bool:
    """Returns whether a path is an existing directory.

    Args:
      path: The path.

    Returns:
      True for a directory; False also if the path does not exist.
    """
    return os.path.isdir(local(path))


@export("io.gfile.listdir")
def listdir(path: Any) -> list[str]:
    """Lists the names in a directory; raises NotFoundError if it does not exist.

    Args:
      path: The directory.

    Returns:
      A list of names, without the directory.
    """
    if not isdir(path):
        raise NotFoundError(None, None, f"Could not find directory {local(path)}")
    with as_tensorflow(local(path)):
        return os.listdir(local(path))


@export("io.gfile.glob")
def glob(pattern: Any) -> list[str]:
    """Returns the files that match a pattern or one of several patterns.

    Args:
      pattern: A pattern with `*`, `?` and `[...]`, or a list of them.

    Returns:
      A list of paths.
    """
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return [
        name for each in patterns for name in sorted(_glob.glob(local(each), include_hidden=True))
    ]


@export("io.gfile.mkdir")
def mkdir(path: Any) -> None:
    """Makes a directory if it does not exist; raises NotFoundError if its parent does not exist.

    Args:
      path: The directory.
    """
    if isdir(path):
        return
    with as_tensorflow(local(path)):
        os.mkdir(local(path))


@export("io.gfile.makedirs")
def makedirs(path: Any) -> None:
    """Makes a directory and its parents, if they do not exist.

    Args:
      path: The directory.
    """
    with as_tensorflow(local(path)):
        try:
            os.makedirs(local(path), exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            name = error.filename
            parent = os.path.dirname(name) if isinstance(error, NotADirectoryError) else name
            raise FailedPreconditionError(None, None, f"{parent} is not a directory") from None


@export("io.gfile.remove")
def remove(path: Any) -> None:
    """Removes a file.

    Args:
      path: The file.
    """
    with as_tensorflow(local(path)):
        os.remove(local(path))


@export("io.gfile.rmtree")
def rmtree(path: Any) -> None:
    """Removes a directory with its contents.

    Args:
      path: The directory.
    """
    name = local(path)
    if not exists(name):
        raise NotFoundError(None, None, f"{name} not found")
    with as_tensorflow(name):
        shutil.rmtree(name) if isdir(name) else os.remove(name)


def _free(target: str, overwrite: bool) -> None:
    if not overwrite and os.path.exists(target):
        raise AlreadyExistsError(None, None, f"file already exists: {target} (see `overwrite`)")


@export("io.gfile.rename")
def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Renames a file; raises AlreadyExistsError if `dst` exists and `overwrite` is False.

    Args:
      src: The current path.
      dst: The new path.
      overwrite: Whether an existing file may be replaced.
    """
    _free(local(dst), overwrite)
    with as_tensorflow(local(src)):
        os.replace(local(src), local(dst))


@export("io.gfile.copy")
def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file; raises AlreadyExistsError if `dst` exists and `overwrite` is False.

    Args:
      src: The file.
      dst: The path of the copy.
      overwrite: Whether an existing file may be replaced.
    """
    _free(local(dst), overwrite)
    with as_tensorflow(local(src)):
        shutil.copyfile(local(src), local(dst))


@export("io.gfile.stat")
def stat(path: Any) -> FileStatistics:
    """Returns the properties of a file.

    Args:
      path: The path.

    Returns:
      A `FileStatistics`.
    """
    with as_tensorflow(local(path)):
        found = os.stat(local(path))
    return FileStatistics(found.st_size, found.st_mtime_ns, isdir(path))


@export("io.gfile.walk")
def walk(
    top: Any, topdown: bool = True, onerror: Callable[[OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walks over all directories below one, like `os.walk`.

    Args:
      top: The directory to begin with.
      topdown: Whether a directory comes before its subdirectories.
      onerror: A function that is called with the error if a directory can't be read. The directory
        is then skipped.

    Returns:
      An iterator over triples: a directory, the directories in it and the files in it.
    """
    return _walked(local(top), topdown, onerror)


def _walked(
    here: str, topdown: bool, onerror: Callable[[OpError], Any] | None
) -> Iterator[tuple[str, list[str], list[str]]]:
    try:
        names = listdir(here)
    except OpError as error:
        if onerror is not None:
            onerror(error)
        return
    inside = [name for name in names if isdir(os.path.join(here, name))]
    found = here, inside, [name for name in names if name not in set(inside)]
    if topdown:
        yield found
    for name in inside:
        yield from _walked(os.path.join(here, name), topdown, onerror)
    if not topdown:
        yield found


@export("io.gfile.join")
def join(path: AnyStr | PathLike[AnyStr], *paths: AnyStr | PathLike[AnyStr]) -> AnyStr:
    """Joins the parts of a path.

    Args:
      path: The first part.
      *paths: The other parts.

    Returns:
      The path.
    """
    return os.path.join(path, *paths)


@export("io.gfile.get_registered_schemes")
def get_registered_schemes() -> Sequence[str]:
    """Returns the supported kinds of file systems.

    Returns:
      A list of names.
    """
    return ["file", ""]
