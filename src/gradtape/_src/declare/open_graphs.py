"""Graphs of TensorFlow 1, which stay open: whether one is made, and its variables."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from gradtape._src.core.operators import VariableMethods, register_method
from gradtape._src.core.recorder import STACK, active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable

if TYPE_CHECKING:
    from gradtape._src.declare.registered import Operation


class OpenGraph(Protocol):
    """A graph of TensorFlow 1.

    Attributes:
      tracer: What makes it.
    """

    tracer: Any

    def constant(self, x: Tensor, name: str | None = None) -> Tensor:
        """Returns a tensor as a constant of the graph."""
        ...

    def group(self, inputs: Sequence[Any], name: str) -> Operation:
        """Returns an operation that does nothing, after others."""
        ...

    def control_dependencies(self, control_inputs: Any) -> AbstractContextManager[None]:
        """Returns a block whose operations run after others."""
        ...

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Appends a value to a collection."""
        ...

    def id_of_stopped(self, x: Any) -> int:
        """By what a tensor that counts as a constant is told apart."""
        ...

    def derivatives(
        self, ys: Sequence[Any], xs: Sequence[Any], given: Any, stopped: set[int], choice: Any
    ) -> list[Any]:
        """Returns the gradients of the sum of `ys`."""
        ...


def open_graph() -> OpenGraph | None:
    """The graph of TensorFlow 1 that operations become a part of just now; None outside of all."""
    if active_tapes() is not None:
        return None
    recorders = STACK.recorders
    return recorders[0].open_graph if recorders else None


def new_variable(cls: Any, *_: Any, **__: Any) -> object:
    """Returns `Variable.__new__`: in a graph that stays open, one of its variables."""
    if cls is Variable and (recorders := STACK.recorders) and recorders[0].variable_type:
        cls = recorders[0].variable_type
    return object.__new__(cls)


register_method(VariableMethods, "__new__", new_variable)
