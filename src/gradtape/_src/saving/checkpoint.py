"""`tf.train.Checkpoint`: saves and restores the values of objects."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base.errors import NotFoundError
from gradtape._src.base.export import export
from gradtape._src.base.trackable import AutoTrackable, NoDependency, Trackable, is_trackable
from gradtape._src.core.variable import Variable
from gradtape._src.files.paths import is_file, local
from gradtape._src.saving.bundle import GRAPH_KEY, CheckpointReader, write_bundle
from gradtape._src.saving.object_graph import View
from gradtape._src.saving.restoring import NamedRestoration, Restoration
from gradtape._src.saving.state import update_state
from gradtape._src.saving.status import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    NameBasedSaverStatus,
)

Status = CheckpointLoadStatus | InitializationOnlyStatus | NameBasedSaverStatus
_COUNTER = "save_counter"


@export("train.CheckpointOptions")
@dataclass
class CheckpointOptions:
    """The options for reading and writing checkpoints, all accepted for compatibility.

    gradtape writes synchronously and to local files, so the options have no effect.
    """

    experimental_io_device: str | None = None
    experimental_enable_async_checkpoint: bool = False
    experimental_write_callbacks: Any = None
    enable_async: bool = False
    experimental_skip_slot_variables: bool = False
    experimental_sharding_callback: Any = None


@export("train.Checkpoint")
class Checkpoint(AutoTrackable):
    """Saves and restores objects with variables: modules, layers, optimizers, lists of them.

    Values are identified by the path of attribute names from this object to them, not by the names
    of variables. The files have TensorFlow's format: gradtape and TensorFlow read each other's
    checkpoints.

    Args:
      root: An object whose parts become the parts of the checkpoint, instead of or in addition to
        keyword arguments.
      **kwargs: Objects by name, which become attributes.

    Raises:
      ValueError: An argument is not an object that can be saved.

    >>> import tempfile
    >>> x = Variable([1.0, 2.0])
    >>> path = Checkpoint(x=x).write(tempfile.mkdtemp() + "/x")
    >>> y = Variable([0.0, 0.0])
    >>> status = Checkpoint(x=y).read(path).assert_consumed()
    >>> y.numpy()
    array([1., 2.], dtype=float32)
    """

    _root: Any
    _attached: dict[str, Any]

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        super().__init__()
        self._attached = NoDependency({})  # type: ignore[assignment]  # what is in it is set
        self._root = NoDependency(root)
        if root is not None:
            if not isinstance(root, Trackable):
                raise _not_trackable("root", root)
            self._attached["root"] = root
        for name, part in sorted(kwargs.items()):
            setattr(self, name, part)
            if not is_trackable(part):
                raise _not_trackable(name, part)
            if root is not None:
                self._attach(name, getattr(self, name))

    def _attach(self, name: str, part: Any) -> None:
        present = self._root._trackable_children().get(name)
        if present is not None and present is not part:
            raise ValueError(
                f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already "
                "exists."
            )
        self._attached[name] = part

    def _view(self) -> View:
        return View(self if self._root is None else self._root, self._attached)

    @property
    def save_counter(self) -> Variable:
        """A variable that counts the calls of `save`; it numbers the checkpoints."""
        return self._made_counter()

    def _counter(self) -> Variable | None:
        parts = self._trackable_children() if self._root is None else self._attached
        return parts.get(_COUNTER)

    def _made_counter(self) -> Variable:
        counter = self._counter()
        if counter is None:
            counter = Variable(0, dtype=np.int64, trainable=False, name=_COUNTER)
            if self._root is None:
                self._track_trackable(counter, _COUNTER)
            else:
                self._attached[_COUNTER] = counter
        return counter

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Writes the values without a number, so that `latest_checkpoint` does not find them.

        Args:
          file_prefix: The path of the files, without their suffixes.
          options: Accepted for compatibility.

        Returns:
          The path, for `read`.

        Raises:
          OpError: The files can't be written.
          ValueError: A dictionary has an object under a key that is not a string.
        """
        path = local(file_prefix)
        write_bundle(path, self._view().serialize())
        return path

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Writes the values as checkpoint number n, to `file_prefix-n`.

        Args:
          file_prefix: The path of the files, without number and suffixes.
          options: Accepted for compatibility.

        Returns:
          The path, for `restore`.

        Raises:
          OpError: The files can't be written; the number is then free again.
          ValueError: A dictionary has an object under a key that is not a string.
        """
        counter = self.save_counter
        before = counter._value
        counter.assign_add(1)
        path = f"{local(file_prefix)}-{counter.numpy()}"
        try:
            self.write(path)
        except BaseException:
            counter._replace(before)
            raise
        update_state(Path(path).parent, path, [path])
        return path

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> Status:
        """Restores the values of all objects from a checkpoint of `write`.

        Everything is checked before anything changes. Values of objects that don't exist yet are
        restored when the objects are assigned to their attributes.

        Args:
          save_path: The result of `write` or `save`, or the directory of a saved model.
          options: Accepted for compatibility.

        Returns:
          An object with assertions about what was restored, such as `assert_consumed()`.

        Raises:
          NotFoundError: There is no such checkpoint.
          DataLossError: The checkpoint is damaged.
          ValueError: The shape of a variable differs from its shape in the checkpoint.
          InvalidArgumentError: The dtype of a variable differs from its dtype in the checkpoint.
        """
        path = local(save_path)
        if is_file(Path(path) / "saved_model.pb"):
            path = str(Path(path) / "variables" / "variables")
        reader = CheckpointReader(path)
        root = self if self._root is None else self._root
        if not reader.has_tensor(GRAPH_KEY):
            named = NamedRestoration(reader, root, self._attached)
            counter = self._counter()
            return NameBasedSaverStatus(named, self._view, [] if counter is None else [counter])
        return CheckpointLoadStatus(Restoration(reader, root, self._attached), self._view)

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> Status:
        """Restores the values of all objects from a checkpoint of `save`; see `read`.

        Args:
          save_path: The result of `save`; None has no effect.
          options: Accepted for compatibility.

        Returns:
          An object with assertions about what was restored, such as `assert_consumed()`.

        Raises:
          NotFoundError: There is no such checkpoint. Other errors are those of `read`.
        """
        if save_path is None:
            return InitializationOnlyStatus()
        self._made_counter()  # The checkpoint includes the save counter.
        try:
            return self.read(save_path)
        except NotFoundError as error:
            if "matching files" not in error.message:
                raise
            raise NotFoundError(
                None,
                None,
                f"Error when restoring from checkpoint or SavedModel at {local(save_path)}: "
                f"{error.message}\nPlease double-check that the path is correct. You may be "
                "missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1').",
            ) from None


def _not_trackable(name: str, part: Any) -> ValueError:
    return ValueError(
        f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from "
        f"`Trackable`), got {part}. Pass a module, a layer, an optimizer, a variable, or a list or "
        "dictionary of them."
    )
