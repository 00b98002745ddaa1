"""`tf.compat.v1.gfile`: files with TensorFlow 1's names."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.older.gfile import FastGFile as FastGFile
from gradtape._src.sessions.older.gfile import copy as _Copy
from gradtape._src.sessions.older.gfile import delete_recursively as _DeleteRecursively
from gradtape._src.sessions.older.gfile import exists as _Exists
from gradtape._src.sessions.older.gfile import glob as _Glob
from gradtape._src.sessions.older.gfile import is_directory as _IsDirectory
from gradtape._src.sessions.older.gfile import list_directory as _ListDirectory
from gradtape._src.sessions.older.gfile import make_directories as _MakeDirs
from gradtape._src.sessions.older.gfile import make_directory as _MkDir
from gradtape._src.sessions.older.gfile import remove as _Remove
from gradtape._src.sessions.older.gfile import rename as _Rename
from gradtape._src.sessions.older.gfile import stat as _Stat
from gradtape._src.sessions.older.gfile import walk as _Walk

Copy = _Copy
DeleteRecursively = _DeleteRecursively
Exists = _Exists
Glob = _Glob
IsDirectory = _IsDirectory
ListDirectory = _ListDirectory
MakeDirs = _MakeDirs
MkDir = _MkDir
Remove = _Remove
Rename = _Rename
Stat = _Stat
Walk = _Walk


def __getattr__(name: str) -> _Any:
    return _shared("gfile", name)


def __dir__() -> list[str]:
    return _listed("gfile", globals())
