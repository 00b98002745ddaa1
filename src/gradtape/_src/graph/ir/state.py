"""Operations of graphs that read and assign variables, or have other effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from gradtape._src.base.device_values import state_lock
from gradtape._src.core.primitive import Primitive, bind
from gradtape._src.core.variable import Variable
from gradtape._src.graph.ir.graph import Node


def _read(*, variable: Variable) -> Any:
    return variable._read()._value


def _assign(value: Any, *, variable: Variable) -> Any:
    variable._replace(value)
    return ()


read_p = bind(Primitive("ReadVariableOp", _read, tracked=0))
assign_p = bind(Primitive("AssignVariableOp", _assign, tracked=0))


class Effect(Primitive):
    """A call of a Python function with effects.

    Args:
      name: TensorFlow's name of the operation.
      kernel: Calls the function.
      changes_variables: Whether it may assign variables.
      only_checks: Whether it only checks values, so that programs of XLA leave it out.
      called: Of the operation's inputs: the function's name and what it is called with.
    """

    def __init__(
        self,
        name: str,
        kernel: Callable[..., Any],
        changes_variables: bool,
        only_checks: bool,
        called: Callable[[Sequence[Any]], tuple[str, Any]],
    ) -> None:
        super().__init__(name, kernel, tracked=0)
        self.called = called
        self.changes_variables, self.only_checks = changes_variables, only_checks
        bind(self)


UNDO: ContextVar[list[Callable[[], None]] | None] = ContextVar("undo", default=None)
"""What takes back the effects of the graph that runs; None where they last."""


def noted(undo: Callable[[], None]) -> None:
    """Notes what takes an effect back that has just happened."""
    journal = UNDO.get()
    if journal is not None:
        journal.append(undo)


def lasts(node: Node, repeated: bool = False) -> bool:
    """Whether a node has an effect that can't be taken back, and must not happen twice.

    What is printed may be printed again.

    Args:
      node: The node.
      repeated: Whether it is in a loop: what it takes back is not kept in memory for all turns.
    """
    if is_read(node) or is_assignment(node):
        return False
    of = node.params.get("of")
    if of is None:
        return isinstance(node.primitive, Effect) and node.primitive.changes_variables
    if not hasattr(of, "graphs"):
        return repeated or not of.undone
    rows = getattr(of, "rows", None)
    if rows is not None and rows.lasting:
        return True
    repeated |= getattr(of, "repeats", False)
    return any(lasts(n, repeated) for graph in of.graphs for n in graph.nodes if n.stateful)


class Change(Primitive):
    """A change of a variable's elements.

    Args:
      name: TensorFlow's name of the operation.
      edit: Is called with the array to change, and values and parameters.
    """

    def __init__(self, name: str, edit: Callable[..., None]) -> None:
        super().__init__(name, self._run, tracked=0)
        self._edit = edit
        bind(self)

    def _run(self, *values: Any, variable: Variable, **params: Any) -> tuple[()]:
        with state_lock:
            variable._change(lambda array: self._edit(array, *values, **params))
        return ()


def is_read(node: Node) -> bool:
    """Whether a node reads a variable."""
    return node.primitive is read_p.primitive


def is_assignment(node: Node) -> bool:
    """Whether a node assigns a variable."""
    return node.primitive is assign_p.primitive
