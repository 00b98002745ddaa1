"""Functions of loaded models as they were saved, so that they can be saved again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gradtape._src.messages import protos

GRADIENT = "_gradient_op_type"
"""The attribute of nodes that have a gradient of the user's."""


@dataclass(frozen=True)
class CapturedTensor:
    """A tensor of a function, which its gradient uses.

    Attributes:
      name: Its name there.
      function: The name of the function.
    """

    name: str
    function: str


@dataclass(frozen=True)
class Source:
    """The functions of a loaded model.

    Attributes:
      definitions: By name.
      described: Their inputs, outputs and captures, by name.
      gradients: The names of the functions that compute gradients of the user's, by what nodes
        say that have them.
      value: Returns what a function captures, by the number of the object.
    """

    definitions: dict[str, protos.FunctionDef]
    described: Any
    gradients: dict[str, str]
    value: Callable[[int], Any]

    def needed(self, names: list[str]) -> list[str]:
        """The names of functions and of all that they call, each after what calls it."""
        found = dict.fromkeys(names)
        queue = list(found)
        for name in queue:  # which grows meanwhile
            for called in self._called(self.definitions[name]):
                if called not in found and called in self.definitions:
                    found[called] = None
                    queue.append(called)
        return queue

    def gradients_of(self, names: list[str]) -> dict[str, str]:
        """Those of the user's gradients that nodes of functions have."""
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
    """Returns what an attribute says of functions."""
    kind = attribute.WhichOneof("value")
    if kind == "func":
        return [attribute.func]
    return list(attribute.list.func) if kind == "list" else []


@dataclass(frozen=True)
class Kept:
    """A function of a loaded model as it was saved.

    Attributes:
      source: The functions of the model.
      message: The object: a `SavedFunction` or a `SavedBareConcreteFunction`.
    """

    source: Source
    message: Any

    @property
    def names(self) -> list[str]:
        """The names of the functions for each kind of call."""
        if isinstance(self.message, protos.SavedFunction):
            return list(self.message.concrete_functions)
        return [self.message.concrete_function_name]
