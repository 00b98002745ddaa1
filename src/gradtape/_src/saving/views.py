"""Looking at graphs of objects: those of a program and those in a checkpoint."""

from __future__ import annotations

import abc
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.base.trackable import Trackable, parts_of
from gradtape._src.files.paths import local
from gradtape._src.saving.bundle import GRAPH_KEY, CheckpointReader
from gradtape._src.saving.object_graph import parse


@export("train.TrackableView")
class TrackableView:
    """The objects below a root.

    Args:
      root: An object with parts.
    """

    def __init__(self, root: Trackable) -> None:
        self._root = root

    @property
    def root(self) -> Trackable:
        """The object where the graph begins."""
        return self._root

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Returns the parts of an object by name.

        Args:
          obj: An object.
          save_type: For what: "checkpoint" or "savedmodel".
          **kwargs: Passed on to the object.

        Returns:
          A dictionary of the parts by name.
        """
        return parts_of(obj, save_type, **kwargs)

    def descendants(self) -> list[Any]:
        """Returns all objects, nearest first, each once.

        Returns:
          A list, which begins with the root.
        """
        found, seen = [self._root], {id(self._root)}
        for owner in found:  # which grows meanwhile
            for part in self.children(owner).values():
                if id(part) not in seen:
                    seen.add(id(part))
                    found.append(part)
        return found


@export("train.CheckpointView")
class CheckpointView:
    """The objects in a checkpoint, by number.

    Args:
      save_path: The checkpoint's path.

    Raises:
      NotFoundError: The checkpoint does not exist.
      DataLossError: The checkpoint is damaged.
      ValueError: The checkpoint has no graph of objects.
    """

    def __init__(self, save_path: Any) -> None:
        reader = CheckpointReader(local(save_path))
        if not reader.has_tensor(GRAPH_KEY):
            raise ValueError(
                f"{save_path}: the checkpoint holds no graph of objects, as those of "
                "tf.train.Checkpoint do"
            )
        self._nodes = reader.object_graph(parse)

    @property
    def root(self) -> int:
        """The number of the object where the graph begins."""
        return 0

    def children(self, node_id: int) -> dict[str, int]:
        """Returns the numbers of an object's parts by name.

        Args:
          node_id: The number of the object.

        Returns:
          A dictionary from names to the numbers of its parts.
        """
        return dict(self._nodes[node_id].children)

    def descendants(self) -> list[int]:
        """Returns the numbers of all objects, nearest first.

        Returns:
          A list of numbers, which begins with 0, the root.
        """
        found = {0: None}
        queue = [0]
        for number in queue:
            for _, child in self._nodes[number].children:
                if child not in found:
                    found[child] = None
                    queue.append(child)
        return list(found)

    def match(self, obj: Any) -> dict[int, Any]:
        """Returns the objects of a program by the number of those that they are in the checkpoint.

        Args:
          obj: The root of the program's objects.

        Returns:
          A dictionary from numbers of objects of the checkpoint to objects of the program.

        Raises:
          ValueError: `obj` has no parts.
        """
        if not isinstance(obj, Trackable):
            raise ValueError(f"Expected a Checkpoint or another Trackable, got {obj!r}")
        found = {0: obj}
        queue = [0]
        for number in queue:
            parts = parts_of(found[number])
            for name, child in self._nodes[number].children:
                if name in parts and child not in found:
                    found[child] = parts[name]
                    queue.append(child)
        return found

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """Returns the parts in both, in the checkpoint alone, and in the program alone.

        Args:
          obj: The root of the program's objects.

        Returns:
          A triple: the objects of both by number, the numbers of those of the checkpoint alone, and
          the objects of the program alone.
        """
        found = self.match(obj)
        taken = {id(part) for part in found.values()}
        missing = [n for n in self.descendants() if n not in found]
        new = [part for part in TrackableView(obj).descendants() if id(part) not in taken]
        return found, missing, new


@export("train.experimental.PythonState")
class PythonState(Trackable, metaclass=abc.ABCMeta):
    """Other state than variables for a checkpoint: a string that a class makes and takes."""

    @abc.abstractmethod
    def serialize(self) -> str | bytes:
        """Returns the state as a string.

        Returns:
          Text or bytes.
        """

    @abc.abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Takes what `serialize` gave.

        Args:
          string_value: The bytes.
        """

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"py_state": self.serialize()}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        self.deserialize(restored_tensors["py_state"].numpy())
