"""Registries of kernels, which run nodes, by operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

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
