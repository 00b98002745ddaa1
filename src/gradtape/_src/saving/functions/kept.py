"""The original form of functions of loaded models, so that they can be saved again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gradtape._src.messages import protos

GRADIENT = "_gradient_op_type"
"""The attribute of nodes that have a custom gradient."""


@dataclass(frozen=True)
class CapturedTensor:
    """A tensor in a function that the function's gradient uses.

    Attributes:
      name: The tensor's name in the function.
    function: The name of the function.
    """

    name: str
    function: str


@dataclass(frozen=True)
class Source:
    """The functions of a loaded model.

    Attributes:
      definitions: The definitions of the functions by name.
      described: The inputs, outputs and captures of the functions by name.
      gradients: The names of the functions that compute custom gradients, by the name that the
        nodes refer to.
      value: A function that returns a captured value, given the number of the object.
    """

    definitions: dict[str, protos.FunctionDef]
    described: Any
    gradients: dict[str, str]
    value: Callable[[int], Any]

    def needed(self, names: list[str]) -> list[str]:
        """Returns the names of functions and of all functions that they call, callers first."""
        found = dict.fromkeys(names)
        queue = list(found)
        for name in queue:  # The list grows during the loop.
            for called in self._called(self.definitions[name]):
                if called not in found and called in self.definitions:
                    found[called] = None
                    queue.append(called)
        return queue

    def gradients_of(self, names: list[str]) -> dict[str, str]:
        """Returns the custom gradients of the nodes of functions."""
        said = {
            node.attr[GRADIENT].s.decode()
            for name in names
            for node in self.definitions[name].node_def
            if GRADIENT in node.attr
        }
        return {key: self.gradients[key] for key in sorted(said & self.gradients.keys())}

    def _called(self, definition: protos.FunctionDef) -> Iterator[str]:
        for node in definition.node_def:
            if node.op in self.definitions:
                yield node.op
            for attribute in node.attr.values():
                yield from [function.name for function in functions_in(attribute)]
            if GRADIENT in node.attr:
                gradient = self.gradients.get(node.attr[GRADIENT].s.decode())
                if gradient is not None:
                    yield gradient


def functions_in(attribute: protos.AttrValue) -> list[protos.NameAttrList]:
    """Returns the names of the functions in a node's attribute."""
    kind = attribute.WhichOneof("value")
    if kind == "func":
        return [attribute.func]
    return list(attribute.list.func) if kind == "list" else []


@dataclass(frozen=True)
class Kept:
    """A function of a loaded model as it was saved.

    Attributes:
      source: The functions of the model.
      message: The saved object, a `SavedFunction` or a `SavedBareConcreteFunction`.
    """

    source: Source
    message: Any

    @property
    def names(self) -> list[str]:
        """The names of the concrete functions."""
        if isinstance(self.message, protos.SavedFunction):
            return list(self.message.concrete_functions)
        return [self.message.concrete_function_name]
