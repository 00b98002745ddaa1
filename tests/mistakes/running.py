"""Runs a program that makes a mistake, and tells what was raised and where."""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import traceback
from typing import Any, NamedTuple

import numpy as np

_LIBRARY = f"{os.sep}gradtape{os.sep}"
_CHANGING = re.compile(r"0x[0-9a-f]+")
_FOLDERS = re.compile(r'(?<=File ")[^"]*/(?=[^/"]*")')


def plain(message: str) -> str:
    """Returns a message on one line, without addresses and the folders of a machine."""
    return _FOLDERS.sub("", _CHANGING.sub("0x", " ".join(message.split())))


class Raised(NamedTuple):
    """The error of a program.

    Attributes:
      kind: The name of the exception's class; "" if none was raised.
      message: Its text, on one line.
      frames: The frames of gradtape's below the program's first line.
      lines: The lines of the program among the frames.
    """

    kind: str
    message: str
    frames: int
    lines: tuple[str, ...]


def run(name: str, program: str, tf: Any) -> Raised:
    """Runs a program.

    Args:
      name: Its name, for tracebacks.
      program: Its text.
      tf: The library.
    """
    file = f"mistakes/{name}.py"
    linecache.cache[file] = len(program), None, program.splitlines(keepends=True), file
    scope = {"tf": tf, "np": np, "__name__": "__main__"}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(program, file, "exec"), scope)
    except Exception as error:  # noqa: BLE001 (which is what is asked for)
        frames = traceback.extract_tb(error.__traceback__)[1:]
        ours = [f for f in frames if _LIBRARY in f.filename]
        lines = tuple([f.line or "" for f in frames if f.filename == file])
        return Raised(type(error).__name__, plain(str(error)), len(ours), lines)
    return Raised("", "", 0, ())
