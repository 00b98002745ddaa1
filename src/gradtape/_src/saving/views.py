"""Views of object graphs: the graph of a program, and the graph in a checkpoint."""

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
    """The objects that can be reached from a root.

    Args:
      root: An object with parts.
    """

    def __init__(self, root: Trackable) -> None:
        self._root = root

    @property
    def root(self) -> Trackable:
        """The root object."""
        return self._root

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Returns the parts of an object by name.

        Args:
          obj: An object.
          save_type: The purpose, "checkpoint" or "savedmodel".
          **kwargs: Keyword arguments that are passed on to the object.

        Returns:
          A dictionary of the parts by name.
        """
        return parts_of(obj, save_type, **kwargs)

    def descendants(self) -> list[Any]:
        """Returns all objects in breadth-first order, without duplicates.

        Returns:
          A list, which begins with the root.
        """
        found, seen = [self._root], {id(self._root)}
        for owner in found:  # The list grows during the loop.
            for part in self.children(owner).values():
                if id(part) not in seen:
                    seen.add(id(part))
                    found.append(part)
        return found


@export("train.CheckpointView")
class CheckpointView:
    """The objects in a checkpoint, with their numbers.

    Args:
      save_path: The checkpoint's path.

    Raises:
      NotFoundError: The checkpoint does not exist.
      DataLossError: The checkpoint is damaged.
      ValueError: The checkpoint has no object graph.
    """

    def __init__(self, save_path: Any) -> None:
        reader = CheckpointReader(local(save_path))
        if not reader.has_tensor(GRAPH_KEY):
            raise ValueError(
                f"{save_path}: the checkpoint has no graph of objects; checkpoints of "
                "tf.train.Checkpoint have one"
            )
        self._nodes = reader.object_graph(parse)

    @property
    def root(self) -> int:
        """The number of the root object."""
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
        """Returns the numbers of all objects in breadth-first order.

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
        """Returns the objects of a program by the numbers of the matching checkpoint objects.

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
        """Returns the objects in both, only in the checkpoint, and only in the program.

        Args:
          obj: The root of the program's objects.

        Returns:
          A triple: the matched objects by number, the numbers of objects that are only in the
          checkpoint, and the objects that are only in the program.
        """
        found = self.match(obj)
        taken = {id(part) for part in found.values()}
        missing = [n for n in self.descendants() if n not in found]
        new = [part for part in TrackableView(obj).descendants() if id(part) not in taken]
        return found, missing, new


@export("train.experimental.PythonState")
class PythonState(Trackable, metaclass=abc.ABCMeta):
    """State of an object that is not a variable, saved in a checkpoint as a string."""

    @abc.abstractmethod
    def serialize(self) -> str | bytes:
        """Returns the state as a string.

        Returns:
          Text or bytes.
        """

    @abc.abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Restores the state from a result of `serialize`.

        Args:
          string_value: The bytes.
        """

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"py_state": self.serialize()}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        self.deserialize(restored_tensors["py_state"].numpy())
