"""The file `checkpoint` of a directory, which lists checkpoints, and access to tensors by name."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.files.atomic_write import replacing
from gradtape._src.files.paths import is_directory, is_file, local, printable
from gradtape._src.saving.bundle import CheckpointReader

_log = logging.getLogger("tensorflow")
_LINE = re.compile(r'\s*(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([-+.\w]+))\s*')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)")
_NAMED = {"n": b"\n", "r": b"\r", "t": b"\t"}
FILE = "checkpoint"


@dataclass
class CheckpointState:
    """The content of the file `checkpoint`.

    Attributes:
      model_checkpoint_path: The last checkpoint.
      all_model_checkpoint_paths: All remaining checkpoints, the oldest first.
      all_model_checkpoint_timestamps: The times when they were written, in seconds since 1970.
      last_preserved_timestamp: The time when the last permanently kept checkpoint was written.
    """

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0

    def __str__(self) -> str:
        lines = [f"model_checkpoint_path: {_quoted(self.model_checkpoint_path)}"]
        lines += [
            f"all_model_checkpoint_paths: {_quoted(p)}" for p in self.all_model_checkpoint_paths
        ]
        lines += [
            f"all_model_checkpoint_timestamps: {t!r}" for t in self.all_model_checkpoint_timestamps
        ]
        if self.last_preserved_timestamp:
            lines.append(f"last_preserved_timestamp: {self.last_preserved_timestamp!r}")
        return "\n".join(lines) + "\n"


_FIELDS = frozenset(each.name for each in fields(CheckpointState))


def _quoted(text: str) -> str:
    out = []
    for byte in os.fsencode(text):
        char = chr(byte)
        if char in '"\\':
            out.append("\\" + char)
        else:
            out.append(char if 32 <= byte < 127 else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def _unquoted(text: str) -> str:
    def byte(match: re.Match[bytes]) -> bytes:
        escape = match[1].decode("latin-1")
        if escape[0] in "01234567":
            return bytes([int(escape, 8) & 0xFF])
        return _NAMED.get(escape, match[1])

    pattern = re.compile(_ESCAPE.pattern.encode(), re.DOTALL)
    return os.fsdecode(pattern.sub(byte, os.fsencode(text)))


def _parsed(text: str) -> CheckpointState:
    state = CheckpointState()
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"{line!r} is not a line of the form 'name: value'")
        name, quoted, plain = match.groups()
        if name not in _FIELDS:
            raise ValueError(f"{name!r} is not a name of this file")
        kind = str if name.endswith(("path", "paths")) else float
        if (kind is str) != (quoted is not None):
            raise ValueError(
                f"{name} should be a {'string in quotes' if kind is str else 'number'}"
            )
        value = _unquoted(quoted) if quoted is not None else float(plain)
        known = getattr(state, name)
        if isinstance(known, list):
            known.append(value)
        else:
            setattr(state, name, value)
    return state


@export("train.get_checkpoint_state")
def get_checkpoint_state(
    checkpoint_dir: Any, latest_filename: str | None = None
) -> CheckpointState | None:
    """Reads the file `checkpoint` of a directory, and makes its paths absolute.

    Args:
      checkpoint_dir: The directory.
      latest_filename: The name of the file. Defaults to "checkpoint".

    Returns:
      A state, or None if the file does not exist or is damaged; damage is logged.
    """
    directory = local(checkpoint_dir)
    file = Path(directory) / (latest_filename or FILE)
    try:
        state = _parsed(file.read_text(encoding="utf-8", errors="surrogateescape"))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except (OSError, ValueError) as error:
        _log.warning("%s: %s. Checkpoint ignored", printable(file), printable(error))
        return None
    if not state.model_checkpoint_path:
        _log.warning("%s: no checkpoint is named. Checkpoint ignored", printable(file))
        return None
    state.model_checkpoint_path = str(Path(directory) / state.model_checkpoint_path)
    state.all_model_checkpoint_paths = [
        str(Path(directory) / path) for path in state.all_model_checkpoint_paths
    ]
    return state


def update_state(
    directory: Path,
    last: str,
    paths: Sequence[str],
    timestamps: Sequence[float] = (),
    preserved: float = 0.0,
    file_name: str | None = None,
) -> None:
    """Writes the file `checkpoint`, or a file of another name, with paths relative to it."""

    def relative(path: str) -> str:
        return Path(path).name if Path(path).parent == directory else str(Path(path).absolute())

    kept = [relative(path) for path in paths]
    state = CheckpointState(relative(last), kept, list(timestamps), preserved)
    with replacing(str(directory / (file_name or FILE))) as file:
        file.write(os.fsencode(str(state)))


@export("__internal__.train.update_checkpoint_state")
def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: list[str] | None = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the file `checkpoint` of a directory.

    Args:
      save_dir: The directory.
      model_checkpoint_path: The last checkpoint.
      all_model_checkpoint_paths: All remaining checkpoints, the oldest first. The last checkpoint
        is appended if it is not the last of them.
      latest_filename: The name of the file. Defaults to "checkpoint".
      save_relative_paths: Whether to write absolute paths as paths relative to the directory.
      all_model_checkpoint_timestamps: The times when they were written, in seconds since 1970.
      last_preserved_timestamp: The time when the last permanently kept checkpoint was written.

    Raises:
      ValueError: There is not a time for each checkpoint.
      RuntimeError: The last checkpoint has the path of the file.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.__internal__.train.update_checkpoint_state(folder, f"{folder}/model-1")
    >>> tf.train.latest_checkpoint(folder) is None  # there is no such checkpoint
    True
    >>> tf.train.get_checkpoint_state(folder).model_checkpoint_path == f"{folder}/model-1"
    True
    """
    last, paths = model_checkpoint_path, list(all_model_checkpoint_paths or [])
    if save_relative_paths:
        last, paths = _relative(last, save_dir, True), [_relative(p, save_dir, True) for p in paths]
    state = generate_checkpoint_state_proto(
        save_dir, last, paths, all_model_checkpoint_timestamps, last_preserved_timestamp
    )
    file = f"{save_dir.rstrip('/')}/{latest_filename or FILE}"
    if file == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  "
            f"Please use a different save path."
        )
    with replacing(local(file)) as written:
        written.write(os.fsencode(str(state)))


def _relative(path: str, directory: str, given_as: bool) -> str:
    """Returns a path relative to a directory if it is given as an absolute one, or as another."""
    return os.path.relpath(path, directory) if Path(path).is_absolute() is given_as else path


@export("compat.v1.train.generate_checkpoint_state_proto")
def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: list[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """Returns the content of a file `checkpoint`, without writing it.

    Args:
      save_dir: The directory. If it is a relative path, so are the paths of the result: they begin
        in the directory.
      model_checkpoint_path: The last checkpoint.
      all_model_checkpoint_paths: All remaining checkpoints, the oldest first. The last checkpoint
        is appended if it is not the last of them.
      all_model_checkpoint_timestamps: The times when they were written, in seconds since 1970.
      last_preserved_timestamp: The time when the last permanently kept checkpoint was written.

    Returns:
      The content, as `tf.train.get_checkpoint_state` reads it.

    Raises:
      ValueError: There is not a time for each checkpoint.

    >>> v1 = tf.compat.v1
    >>> state = v1.train.generate_checkpoint_state_proto("models", "models/m-2", ["models/m-1"])
    >>> state.all_model_checkpoint_paths
    ['m-1', 'm-2']
    """
    last, paths = model_checkpoint_path, list(all_model_checkpoint_paths or [])
    times = list(all_model_checkpoint_timestamps or [])
    if not paths or paths[-1] != last:
        _log.info("%s is not in all_model_checkpoint_paths. Manually adding it.", last)
        paths.append(last)
    if times and len(times) != len(paths):
        raise ValueError(
            f"Checkpoint timestamps, if provided, must match checkpoint paths (got paths {paths} "
            f"and timestamps {times})"
        )
    if not Path(save_dir).is_absolute():  # the paths begin with it
        last, *paths = [_relative(path, save_dir, False) for path in (last, *paths)]
    return CheckpointState(last, paths, times, last_preserved_timestamp or 0.0)


@export("compat.v1.train.update_checkpoint_state")
def update_absolute_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: list[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the file `checkpoint` of a directory, with absolute paths as they are.

    Args:
      save_dir: The directory.
      model_checkpoint_path: The last checkpoint.
      all_model_checkpoint_paths: All remaining checkpoints, the oldest first. The last checkpoint
        is appended if it is not the last of them.
      latest_filename: The name of the file. Defaults to "checkpoint".
      all_model_checkpoint_timestamps: The times when they were written, in seconds since 1970.
      last_preserved_timestamp: The time when the last permanently kept checkpoint was written.

    Raises:
      ValueError: There is not a time for each checkpoint.
      RuntimeError: The last checkpoint has the path of the file.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.compat.v1.train.update_checkpoint_state(folder, "/models/m-1")
    >>> print(tf.io.read_file(f"{folder}/checkpoint").numpy().decode(), end="")
    model_checkpoint_path: "/models/m-1"
    all_model_checkpoint_paths: "/models/m-1"
    """
    update_checkpoint_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        False,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


@export("train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """Returns the path of the last checkpoint in a directory.

    Args:
      checkpoint_dir: The directory.
      latest_filename: The name of the file that holds the path. Defaults to "checkpoint".

    Returns:
      The path, without the suffixes of the checkpoint's files, or None if there is no checkpoint.

    >>> import tempfile
    >>> print(tf.train.latest_checkpoint(tempfile.mkdtemp()))
    None
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if is_file(state.model_checkpoint_path + ".index"):
        return state.model_checkpoint_path
    missing = printable(state.model_checkpoint_path)
    _log.error("Couldn't match files for checkpoint %s", missing)
    return None


@export("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Opens a checkpoint for reading tensors by their names.

    Args:
      ckpt_dir_or_file: The path of a checkpoint, or of a directory, whose last checkpoint is
        opened.

    Returns:
      A reader: `get_tensor(name)` returns a value, `get_variable_to_shape_map()` the names and
      shapes.

    Raises:
      ValueError: The directory has no checkpoint.
      NotFoundError: The checkpoint does not exist.
      DataLossError: The checkpoint is damaged.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable(2.0)).write(tempfile.mkdtemp() + "/saved")
    >>> float(tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE"))
    2.0
    """
    path = local(ckpt_dir_or_file)
    if not is_directory(path):
        return CheckpointReader(path)
    latest = latest_checkpoint(path)
    if latest is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return CheckpointReader(latest)


@export("train.load_variable")
def load_variable(ckpt_dir_or_file: Any, name: str) -> np.ndarray[Any, Any] | np.generic | bytes:
    """Returns the value of one tensor of a checkpoint, as an array.

    Args:
      ckpt_dir_or_file: The path of a checkpoint, or of a directory with checkpoints.
      name: The name of the tensor, as `list_variables` returns it. A ":0" at the end is ignored.

    Returns:
      An array, or a NumPy scalar for a tensor of rank 0.

    Raises:
      NotFoundError: There is no checkpoint or no tensor of that name.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


@export("train.list_variables")
def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Returns the names and shapes of all tensors of a checkpoint.

    Args:
      ckpt_dir_or_file: The path of a checkpoint, or of a directory with checkpoints.

    Returns:
      A list of pairs of a name and a shape, which is a list.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
