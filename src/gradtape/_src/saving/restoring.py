"""Restores the values of objects from a checkpoint."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import InvalidArgumentError, NotFoundError
from gradtape._src.base.shapes import TensorShape
from gradtape._src.base.trackable import Expecting, parts_of
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import replaced
from gradtape._src.saving.bundle import CheckpointReader
from gradtape._src.saving.object_graph import (
    VALUE,
    Node,
    View,
    has_own_state,
    has_values,
    is_unmade,
    parse,
    state_of,
    variable_of,
)

_log = logging.getLogger("tensorflow")
_Parts = dict[int, Any]  # objects by node number


class Restoration:
    """A checkpoint, and the objects of the program that match its nodes.

    Args:
      reader: The checkpoint.
      root: The object that matches the first node.
      attached: Additional children of the root.

    Raises:
      DataLossError: The checkpoint is damaged.
      ValueError: The shape of a variable differs from its shape in the checkpoint.
      InvalidArgumentError: The dtype of a variable differs from its dtype in the checkpoint. After
        an error, no value has changed.
    """

    quiet = True  # Do not warn of values that were not restored.

    def __init__(
        self, reader: CheckpointReader, root: Any, attached: dict[str, Any] | None = None
    ) -> None:
        self.reader = reader
        self.nodes = reader.object_graph(parse)
        self.objects: _Parts = {}
        self._restored: set[int] = set()  # the nodes whose values were restored
        self._bind(0, root, attached or {})
        self.quiet = False

    def arrived(self, node: int, part: Any) -> None:
        """Restores the values of an object that was added later, and of its descendants."""
        self._bind(node, part, {})

    def _bind(self, first: int, root: Any, attached: dict[str, Any]) -> None:
        found: _Parts = {}
        late: list[tuple[Any, str, int]] = []
        queue = [(first, root)]
        for number, part in queue:  # The list grows during the loop.
            known = self.objects.get(number, found.get(number))
            if known is not None:
                if known is not part:
                    _log.warning(
                        "Inconsistent references when loading the checkpoint into this object "
                        "graph. For example, %s and %s are one object in the checkpoint.",
                        known,
                        part,
                    )
                continue
            found[number] = part
            parts = parts_of(part) | (attached if number == 0 else {})
            for name, child in self.nodes[number].children:
                if name in parts:
                    queue.append((child, parts[name]))
                else:
                    late.append((part, name, child))
        with replaced(()):  # The running function, if any, must not undo this assignment.
            self._assign(self._read(found))
        self.objects.update(found)
        for owner, name, number in late:
            if isinstance(owner, Expecting) and number not in self.objects:
                owner._defer(name, self, number)

    def _read(self, found: _Parts) -> list[tuple[Any, dict[str, Any]]]:
        """Returns the values for objects, after checking all shapes and dtypes."""
        plan = []
        for number, part in found.items():
            keys = self._keys(self.nodes[number], part)
            if keys and not has_own_state(part):
                variable = variable_of(part)
                check(self.reader, part if variable is None else variable, keys[VALUE])
            if keys:
                plan.append((part, keys))
                self._restored.add(number)
        self.reader.check_total([key for _, keys in plan for key in keys.values()])
        with self.reader.files_open():
            return [
                (part, {name: self.reader.read(key) for name, key in keys.items()})
                for part, keys in plan
            ]

    def _keys(self, node: Node, part: Any) -> dict[str, str]:
        """Returns the checkpoint keys of an object's state by attribute name."""
        if variable_of(part) is not None or is_unmade(part):
            return {a.name: a.key for a in node.attributes if a.name == VALUE}
        if not has_own_state(part):
            return {}
        found: dict[str, str] = {}
        for attribute in node.attributes:
            start = attribute.key.removesuffix(attribute.name)
            keys = [k for k in self.reader.get_variable_to_shape_map() if k.startswith(start)]
            if not keys:
                raise NotFoundError(None, None, f"Key {attribute.key} not found in checkpoint")
            found |= {_own_name(key.removeprefix(start)): key for key in keys}
        return found

    @staticmethod
    def _assign(values: list[tuple[Any, dict[str, Any]]]) -> None:
        """Assigns values.

        Objects that deserialize their own state come first, since they can fail.
        """
        done = []
        try:
            for part, tensors in values:
                if has_own_state(part):
                    done.append((part, state_of(part)))
                    part._restore_from_tensors(_State(tensors))
        except BaseException:
            for part, before in done[:-1]:
                part._restore_from_tensors({n: convert_to_tensor(v) for n, v in before.items()})
            raise
        for part, tensors in values:
            variable = variable_of(part)
            if variable is not None:
                variable._replace(stored(tensors[VALUE]))
            elif is_unmade(part):
                part._initializer = _first_value(tensors[VALUE])

    def paths(self) -> list[str]:
        """Returns the path to each node from the root, for messages."""
        paths: dict[int, str] = {0: "(root)"}
        queue = [0]
        for number in queue:
            for name, child in self.nodes[number].children:
                if child not in paths:
                    paths[child] = f"{paths[number]}.{name}"
                    queue.append(child)
        return [paths.get(n, f"node {n}") for n in range(len(self.nodes))]

    def unresolved(self) -> list[int]:
        """Returns the nodes whose values were not assigned to an object."""
        return [
            number
            for number, node in enumerate(self.nodes)
            if node.attributes and not self._taken(number)
        ]

    def _taken(self, number: int) -> bool:
        return number in self._restored and has_values(self.objects.get(number))

    def unmatched(self, view: View) -> list[Any]:
        """Returns the objects with values that are missing in the checkpoint."""
        taken = {id(part) for n, part in self.objects.items() if n in self._restored}
        return [part for part in view if has_values(part) and id(part) not in taken]

    def __del__(self) -> None:
        if self.quiet or not (left := self.unresolved()):
            return
        _log.warning(
            "Detecting that an object or model or tf.train.Checkpoint is being deleted with "
            "unrestored values. See the following logs for the specific values in question. To "
            "silence these warnings, use `status.expect_partial()`."
        )
        paths = self.paths()
        for number in left:
            _log.warning(
                "Value in checkpoint could not be found in the restored object: %s", paths[number]
            )


class NamedRestoration:
    """A checkpoint without a graph of objects, whose values are found by variables' names.

    Args:
      reader: The checkpoint.
      root: The object whose variables get values, and those that are added to it later.
      attached: More parts of the root.

    Attributes:
      restored: The ids of the objects whose values were restored.

    Raises:
      DataLossError: The checkpoint is damaged.
      ValueError: The shape of a variable differs from its shape in the checkpoint.
      InvalidArgumentError: The dtype of a variable differs from its dtype in the checkpoint. After
        an error, no value has changed.
    """

    def __init__(
        self, reader: CheckpointReader, root: Any, attached: dict[str, Any] | None = None
    ) -> None:
        self._reader = reader
        self._seen: dict[int, Any] = {}  # keeps the objects alive, so that no id is used again
        self.restored: set[int] = set()
        self._bind(View(root, attached))

    def arrived(self, node: int, part: Any) -> None:
        """Restores the values of a part that was added later, and of its own parts, by name."""
        self._bind(View(part))

    def _bind(self, view: View) -> None:
        parts = [part for part in view if id(part) not in self._seen]
        found = []
        for part in parts:
            variable = variable_of(part)
            if variable is not None and self._reader.has_tensor(variable._shared_name):
                check(self._reader, variable, variable._shared_name)
                found.append((part, variable))
        values = [self._reader.read(variable._shared_name) for _, variable in found]
        with replaced(()):
            for (_, variable), value in zip(found, values, strict=True):
                variable._replace(stored(value))
        self.restored.update(id(part) for part, _ in found)
        for part in parts:
            self._seen[id(part)] = part
            if isinstance(part, Expecting):
                part._defer_any(self)


class _State(dict[str, Any]):
    """The tensors of an object's state; a missing one raises a specific error."""

    def __init__(self, values: dict[str, Any]) -> None:
        super().__init__({name: convert_to_tensor(value) for name, value in values.items()})

    def __missing__(self, name: str) -> Any:
        raise NotFoundError(
            None, None, f"Key {name} not found in checkpoint: it has {sorted(self)} of this object"
        )


def stored(value: Any) -> np.ndarray[Any, Any] | np.generic:
    """Converts an array to the form in which variables store it."""
    held: np.ndarray[Any, Any] = value if value.dtype == object else value[()]
    return held


def _own_name(name: str) -> str:
    """Returns the name that an object uses for a tensor, such as "-keys" for a table."""
    return name.removeprefix("table") if name.startswith("table-") else name


def _first_value(value: Any) -> Callable[..., Any]:
    """Returns an initializer that returns a saved value."""
    return lambda shape, dtype=None: convert_to_tensor(value, dtype)


def check(reader: CheckpointReader, variable: Any, key: str) -> None:
    """Checks that a tensor of a checkpoint can be assigned to a variable.

    Raises:
      NotFoundError: The checkpoint has no such tensor.
      ValueError: The shape of the tensor differs from the variable's shape.
      InvalidArgumentError: The dtype of the tensor differs from the variable's dtype.
    """
    entry = reader.entry(key)
    if entry is None:
        raise NotFoundError(None, None, f"Key {key} not found in checkpoint")
    if entry.dtype is not as_dtype(variable.dtype):
        raise InvalidArgumentError(
            None,
            None,
            f"tensor_name = {key}; expected dtype {as_dtype(variable.dtype).name} does not equal "
            f"original dtype {entry.dtype.name}: make the variable of that dtype",
        )
    if not TensorShape(variable.shape).is_compatible_with(entry.shape):
        raise ValueError(
            f"Received incompatible tensor with shape {entry.shape} when attempting to restore "
            f"variable with shape {variable.shape} and name {variable.name}."
        )
