"""The object graph of a program: the children of each object by name.

A checkpoint contains this graph in addition to the tensors. Objects are identified by the path of
names from the root, not by the names of variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradtape._src.base.trackable import Trackable, parts_of
from gradtape._src.core.variable import Variable
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError, parsed
from gradtape._src.saving.bundle import GRAPH_KEY
from gradtape._src.text.lookup import LookupInterface

VALUE = "VARIABLE_VALUE"
_ATTRIBUTES = ".ATTRIBUTES/"
# The name of the attribute for an object's own value, as in TensorFlow.
_SHARED = {"table-keys": "table", "table-values": "table", "ITERATOR_POSITION": "ITERATOR"}


@dataclass
class Attribute:
    """A part of an object's state: its name, the variable's name, and the checkpoint key."""

    name: str
    full_name: str
    key: str


@dataclass
class Node:
    """An object in a checkpoint."""

    children: list[tuple[str, int]] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    slots: list[tuple[int, str, int]] = field(default_factory=list)
    saver: str = ""

    def message(self, full: bool) -> protos.TrackableObjectGraph.TrackableObject:
        """Returns the node as a message; `full` is whether it or a child has values."""
        made = protos.TrackableObjectGraph.TrackableObject(
            children=[{"node_id": n, "local_name": name} for name, n in self.children],
            attributes=[
                {"name": a.name, "full_name": a.full_name, "checkpoint_key": a.key}
                for a in self.attributes
            ],
            has_checkpoint_values={"value": full},
        )
        made.has_checkpoint_values.SetInParent()
        return made


def parse(data: bytes) -> list[Node]:
    """Returns the nodes of a graph.

    Raises:
      DecodeError: The bytes are not a graph.
    """
    nodes = [_node(message) for message in parsed(protos.TrackableObjectGraph, data).nodes]
    if not nodes:
        raise DecodeError("the graph of objects is empty")
    for node in nodes:
        numbers = [n for _, n in node.children] + [n for a, _, b in node.slots for n in (a, b)]
        if any(not 0 <= n < len(nodes) for n in numbers):
            raise DecodeError("the graph of objects refers to a missing node")
    return nodes


def _node(message: protos.TrackableObjectGraph.TrackableObject) -> Node:
    return Node(
        [(child.local_name, child.node_id) for child in message.children],
        [Attribute(a.name, a.full_name, a.checkpoint_key) for a in message.attributes],
        [
            (s.original_variable_node_id, s.slot_name, s.slot_variable_node_id)
            for s in message.slot_variables
        ],
        message.registered_saver.name,
    )


def variable_of(part: Any) -> Variable | None:
    """Returns the variable that an object is or, like a Keras variable, contains."""
    if isinstance(part, Variable):
        return part
    value = getattr(part, "_value", None) if isinstance(part, Trackable) else None
    return value if isinstance(value, Variable) else None


def is_unmade(part: Any) -> bool:
    """Returns whether an object is a Keras variable that has not been initialized yet."""
    return (
        isinstance(part, Trackable)
        and hasattr(part, "_deferred_initialize")
        and getattr(part, "_value", None) is None
    )


def has_own_state(part: Any) -> bool:
    """Returns whether an object serializes its own state."""
    if not isinstance(part, Trackable) or variable_of(part) is not None:
        return False
    return type(part)._serialize_to_tensors is not Trackable._serialize_to_tensors and not hasattr(
        part, "_deferred_initialize"
    )


def state_of(part: Any) -> dict[str, Any]:
    """Returns the raw values of an object's own state by name."""
    variable = variable_of(part)
    if variable is not None:
        return {VALUE: variable._value}
    return part._serialize_to_tensors() if has_own_state(part) else {}


def has_values(part: Any) -> bool:
    """Returns whether an object has values to save."""
    return variable_of(part) is not None or has_own_state(part)


def escaped(name: str) -> str:
    """Escapes slashes in a name, since they separate names in a key."""
    return name.replace(".", "..").replace("/", ".S")


class View:
    """The objects that can be reached from a root, in breadth-first order.

    Args:
      root: An object.
      attached: Additional children of the root.
      save_type: The purpose, "checkpoint" or "savedmodel".
      without: Classes whose instances are ignored.

    Attributes:
      objects: The list of the objects.
    """

    def __init__(
        self,
        root: Any,
        attached: dict[str, Any] | None = None,
        save_type: str = "checkpoint",
        without: tuple[type, ...] = (),
    ) -> None:
        self.objects = [root]
        self.ids = {id(root): 0}
        self.paths: list[tuple[str, ...]] = [()]
        self.children: list[list[tuple[str, int]]] = []
        self._kept = []  # Keeps temporary containers alive while their ids are in use.
        for number, owner in enumerate(self.objects):  # The loop extends the list.
            parts = parts_of(owner, save_type) | (attached or {} if number == 0 else {})
            self._kept.append(parts)
            found = []
            for name, part in parts.items():
                if isinstance(part, without):
                    continue
                if save_type == "savedmodel":  # A function may use the variable itself.
                    part = part if (inner := variable_of(part)) is None else inner  # noqa: PLW2901
                if id(part) not in self.ids:
                    self.ids[id(part)] = len(self.objects)
                    self.objects.append(part)
                    self.paths.append((*self.paths[number], name))
                found.append((name, self.ids[id(part)]))
            self.children.append(found)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.objects)

    def variables(self) -> dict[str, Variable]:
        """Returns the variables by their keys in a checkpoint."""
        found: dict[str, Variable] = {}
        for number, part in enumerate(self.objects):
            variable = variable_of(part)
            if variable is not None:
                found[self._prefix(number) + VALUE] = variable
        return found

    def tables(self) -> dict[str, Any]:
        """Returns the mutable tables by the prefixes of their checkpoint keys."""
        return {
            self._prefix(number) + "table": part
            for number, part in enumerate(self.objects)
            if has_own_state(part) and isinstance(part, LookupInterface)
        }

    def _prefix(self, number: int) -> str:
        """Returns the prefix of an object's checkpoint keys."""
        return "".join(escaped(name) + "/" for name in self.paths[number]) + _ATTRIBUTES

    def full(self) -> list[bool]:
        """Returns for each object whether it or a descendant has values."""
        above: list[list[int]] = [[] for _ in self.objects]
        for owner, parts in enumerate(self.children):
            for _, part in parts:
                above[part].append(owner)
        waiting = [n for n, part in enumerate(self.objects) if has_values(part)]
        full = [False] * len(self.objects)
        while waiting:
            n = waiting.pop()
            if not full[n]:
                full[n] = True
                waiting += above[n]
        return full

    def serialize(self) -> dict[str, Any]:
        """Returns the raw values of all objects by key, including the serialized graph."""
        tensors: dict[str, Any] = {}
        graph = protos.TrackableObjectGraph()
        for number, (part, full) in enumerate(zip(self.objects, self.full(), strict=True)):
            node = Node(children=self.children[number])
            prefix = self._prefix(number)
            variable = variable_of(part)
            for name, value in state_of(part).items():
                name = f"table{name}" if name.startswith("-") else name  # noqa: PLW2901
                tensors[prefix + name] = raw(value)
                attribute = _SHARED.get(name, name)
                if attribute not in [a.name for a in node.attributes]:
                    full_name = variable._shared_name if variable is not None else ""
                    node.attributes.append(Attribute(attribute, full_name, prefix + attribute))
            graph.nodes.append(node.message(full))
        tensors[GRAPH_KEY] = graph.SerializeToString()
        return tensors


def raw(value: Any) -> np.ndarray[Any, Any] | np.generic | str | bytes:
    """Returns the raw value of a tensor, or of a value that can be converted to one."""
    value = value() if callable(value) else value
    if isinstance(value, (str, bytes)):
        return value
    return value._value if hasattr(value, "_value") else np.asarray(value)
