"""Registries of kernels, which run nodes, by operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from gradtape._src.graph.ir.origins import Call, Origin
from gradtape._src.graphdef.attributes import Attributes
from gradtape._src.raw.op_definitions import OpDefinition

Kernel = Callable[[list[Any]], Sequence[Any]]
"""A function that runs a node: takes its inputs, and returns its outputs."""
M = TypeVar("M", bound=Callable[..., Kernel])


class Runnable(Protocol):
    """A function of a graph."""

    passed: dict[int, int]
    """The index of the input for each output that is an unchanged input."""
    gives: int
    """The number of outputs."""

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """Returns the outputs for these inputs."""
        ...


_MOST = 1 << 33  # the limit on the bytes of all constants


@dataclass
class Surroundings:
    """The resources and files that the nodes of an imported graph may use.

    Attributes:
      assets: The folder whose files may be read.
      allow_io: Whether other files may be read and written too.
      resources: The variables and tables that nodes create, by name.
    """

    assets: str | None = None
    allow_io: bool = False
    resources: dict[tuple[str, str], Any] = field(default_factory=dict)
    _held: int = 0

    def hold(self, constant: Any) -> None:
        """Counts the memory of a constant.

        Raises:
          ValueError: All constants together take too much memory.
        """
        self._held += constant._value.nbytes
        if self._held > _MOST:
            raise ValueError(f"its constants take more than {_MOST} bytes")


@dataclass
class Node:
    """A node that is to be run.

    Attributes:
      name: Its name.
      operation: The name of its operation.
      attributes: Its attributes.
      definition: The definition of its operation.
      function: Returns the function of a name.
      surroundings: The resources and files that it may use.
    """

    name: str
    operation: str
    attributes: Attributes
    definition: OpDefinition
    function: Callable[[str], Runnable]
    surroundings: Surroundings

    def called(self, attribute: str) -> Runnable:
        """Returns the function whose name is an attribute of the node."""
        return self.function(self.attributes.function(attribute))


class OfNode(Origin):
    """The origin of the operations that a node of a loaded function consists of.

    After the data of all origins, there are the node's name and operation, and the function's name.
    """

    __slots__ = ()
    __hash__ = object.__hash__

    @classmethod
    def of(cls, node: str, operation: str, function: str) -> OfNode:
        """Returns the origin for a node.

        Args:
          node: The node's name, with scopes.
          operation: The node's operation.
          function: The name of the function that contains the node.
        """
        scope, slash, name = node.rpartition("/")
        return cls((None, name, scope + slash, "", None, 0, None, node, operation, function))

    def within(self, call: Call) -> OfNode:
        """Returns the origin in a graph that calls the function, with the line of that call."""
        line = self[4:6] if call.line is None or self[4] is not None else call.line[4:6]
        return OfNode((*self[:4], *line, self.call_within(call), *self[7:]))

    @property
    def place(self) -> str:
        """The node, its operation and its function."""
        node, operation, function = self[7:]
        return f"the node {node!r} ({operation}) of the loaded function {function!r}"

    @property
    def note(self) -> str:
        """The text that is added to errors."""
        return f"in {self.place}"


@dataclass
class Step:
    """A node of a body.

    Attributes:
      kernel: The function that runs the node.
      inputs: The indices of the inputs.
      first: The index of the first output.
      name: The node's name.
      origin: The node, for errors and for operations of graphs.
    """

    kernel: Kernel
    inputs: tuple[int, ...]
    first: int
    name: str
    origin: OfNode


def needed(nodes: Mapping[str, Any], roots: Iterable[str], given: Iterable[str]) -> dict[str, Any]:
    """Returns the nodes that some tensors and operations depend on.

    Args:
      nodes: The messages of all nodes, by name.
      roots: The names of the tensors and operations.
      given: The names of tensors that are inputs, for which nothing is needed.
    """
    known = {tensor_of(x) for x in given}
    found: dict[str, Any] = {}
    stack = [*roots]
    while stack:
        reference = stack.pop()
        name = node_of(reference)
        if tensor_of(reference) in known or name in found or name not in nodes:
            continue
        found[name] = nodes[name]
        stack += nodes[name].input
    return {name: node for name, node in nodes.items() if name in found}


def node_of(reference: str) -> str:
    """Returns the name of the node to which a reference belongs."""
    return reference.lstrip("^").partition(":")[0]


def tensor_of(reference: str) -> str:
    """Returns a tensor's name without ":0", the index of the first output."""
    return reference.removesuffix(":0")


MAKERS: dict[str, Callable[[Node], Kernel]] = {}
"""The makers of kernels for operations that are not raw operations, by name."""


def maker(*operations: str) -> Callable[[M], M]:
    """Registers a function that makes the kernels of operations.

    Args:
      operations: The names of the operations.
    """

    def mark(made: M) -> M:
        for name in operations:
            if name in MAKERS:
                raise KeyError(f"two functions make the kernel of {name}")
            MAKERS[name] = made
        return made

    return mark


def kernel(*operations: str) -> Callable[[Kernel], Kernel]:
    """Registers a function as the kernel of operations, for any values of their attributes.

    Args:
      operations: The names of the operations.
    """

    def mark(run: Kernel) -> Kernel:
        maker(*operations)(lambda _: run)
        return run

    return mark
