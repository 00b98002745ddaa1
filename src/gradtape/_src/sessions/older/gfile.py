"""Files with TensorFlow 1's names: `tf.compat.v1.gfile`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.files import gfile


@export("compat.v1.gfile.Exists")
def exists(filename: Any) -> bool:
    """Returns whether a file or directory exists.

    Args:
      filename: A path.

    Returns:
      True if the path exists.
    """
    return gfile.exists(filename)


@export("compat.v1.gfile.IsDirectory")
def is_directory(dirname: Any) -> bool:
    """Returns whether a path is a directory.

    Args:
      dirname: A path.

    Returns:
      True for a directory.
    """
    return gfile.isdir(dirname)


@export("compat.v1.gfile.ListDirectory")
def list_directory(dirname: Any) -> list[str]:
    """Returns the names of a directory's entries.

    Args:
      dirname: A path.

    Returns:
      The names.
    """
    return gfile.listdir(dirname)


@export("compat.v1.gfile.Glob")
def glob(filename: Any) -> list[str]:
    """Returns the paths that match a pattern.

    Args:
      filename: A pattern, or a list of them.

    Returns:
      The paths.
    """
    return gfile.glob(filename)


@export("compat.v1.gfile.MkDir")
def make_directory(dirname: Any) -> None:
    """Makes a directory.

    Args:
      dirname: A path.
    """
    gfile.mkdir(dirname)


@export("compat.v1.gfile.MakeDirs")
def make_directories(dirname: Any) -> None:
    """Makes a directory and the ones above it.

    Args:
      dirname: A path.
    """
    gfile.makedirs(dirname)


@export("compat.v1.gfile.Remove")
def remove(filename: Any) -> None:
    """Deletes a file.

    Args:
      filename: A path.
    """
    gfile.remove(filename)


@export("compat.v1.gfile.DeleteRecursively")
def delete_recursively(dirname: Any) -> None:
    """Deletes a directory and all it contains.

    Args:
      dirname: A path.
    """
    gfile.rmtree(dirname)


@export("compat.v1.gfile.Rename")
def rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Renames a file or directory.

    Args:
      oldname: The old path.
      newname: The new path.
      overwrite: Whether a file of the new name may be replaced.
    """
    gfile.rename(oldname, newname, overwrite)


@export("compat.v1.gfile.Copy")
def copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Args:
      oldpath: The file.
      newpath: The path of the copy.
      overwrite: Whether an existing file may be replaced.
    """
    gfile.copy(oldpath, newpath, overwrite)


@export("compat.v1.gfile.Stat")
def stat(filename: Any) -> gfile.FileStatistics:
    """Returns the size and the time of change of a file.

    Args:
      filename: A path.

    Returns:
      The statistics.
    """
    return gfile.stat(filename)


@export("compat.v1.gfile.Walk")
def walk(top: Any, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walks through a directory and those below it.

    Args:
      top: The directory to begin with.
      in_order: Whether a directory comes before its subdirectories.

    Returns:
      Tuples of a directory, the directories in it and the files in it.
    """
    return gfile.walk(top, in_order)


@export("compat.v1.gfile.FastGFile")
class FastGFile(gfile.GFile[Any]):
    """A file, which is opened without locks, as `tf.io.gfile.GFile` does.

    Args:
      name: The path.
      mode: "r", "w", "a", and "b" after them for bytes.
    """
