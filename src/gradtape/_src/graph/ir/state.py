"""Operations of graphs that read and assign variables, or have other effects."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from gradtape._src.base.device_values import state_lock
from gradtape._src.core.primitive import Primitive, bind
from gradtape._src.core.variable import Variable
from gradtape._src.declare.general import general
from gradtape._src.graph.ir.graph import Node


def _read(*, variable: Variable) -> Any:
    return variable._read()._value


def _assign(value: Any, *, variable: Variable) -> Any:
    variable._replace(value)
    return ()


read_p = bind(Primitive("ReadVariableOp", _read, tracked=0))
assign_p = bind(Primitive("AssignVariableOp", _assign, tracked=0))


section_p = bind(Primitive("MutexLock", tuple, tracked=0))
"""Makes the run of a whole graph exclude other critical sections, wherever it stands in it."""


def _assigned(value: Any, variable: Any) -> Any:
    return value


read_assigned_p = general(
    "ReadAssigned",
    _assigned,
    {"variable": lambda g: g},
    jvps={"variable": lambda t: t},
    batching="leading",
    xla=_assigned,
)
"""Reads a variable that was assigned in the same conditional or loop.

There, variables are values. The gradient is that of the variable, not of the assigned value.
"""


UNDO: ContextVar[list[Callable[[], None]] | None] = ContextVar("undo", default=None)
"""The functions that reverse the effects of the running graph; None if effects are final."""


def noted(undo: Callable[[], None]) -> None:
    """Records a function that reverses an effect that has just happened."""
    journal = UNDO.get()
    if journal is not None:
        journal.append(undo)


def lasts(node: Node, repeated: bool = False) -> bool:
    """Whether a node has an effect that can't be reversed, and must not happen twice.

    Printing may be repeated.

    Args:
      node: The node.
      repeated: Whether it is in a loop, whose iterations can't all be reversed.
    """
    of = node.params.get("of")
    if of is None or getattr(of, "repeatable", False):
        return False
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
      edit: A function that is called with the array to change, and values and parameters.
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


def is_section(node: Node) -> bool:
    """Whether a node tells that the graph contains a critical section."""
    return node.primitive is section_p.primitive
