"""Operations of graphs that read and assign variables, or have other effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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


def is_read(node: Node) -> bool:
    """Whether a node reads a variable."""
    return node.primitive is read_p.primitive


def is_assignment(node: Node) -> bool:
    """Whether a node assigns a variable."""
    return node.primitive is assign_p.primitive
