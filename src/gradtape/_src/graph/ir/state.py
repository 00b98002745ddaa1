"""Operations of graphs that read and assign variables."""

from __future__ import annotations

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


def is_read(node: Node) -> bool:
    """Whether a node reads a variable."""
    return node.primitive is read_p.primitive


def is_assignment(node: Node) -> bool:
    """Whether a node assigns a variable."""
    return node.primitive is assign_p.primitive
