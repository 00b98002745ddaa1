"""Operations of graphs that read and assign variables, or have other effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.device_values import state_lock
from gradtape._src.core.primitive import Primitive, bind
from gradtape._src.core.recorder import replaced
from gradtape._src.core.tensor import Tensor
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


class Effect(Primitive):
    """A call of a Python function with effects.

    Args:
      name: TensorFlow's name of the operation.
      kernel: A function of the operation's inputs, which calls the Python function.
      only_checks: Whether it only checks values, so that XLA programs omit it.
      called: A function of the operation's inputs that returns the Python function's name and
        arguments.
    """

    def __init__(
        self,
        name: str,
        kernel: Callable[..., Any],
        only_checks: bool,
        called: Callable[[Sequence[Any]], tuple[str, Any]],
    ) -> None:
        super().__init__(name, kernel, tracked=0)
        self.called, self.only_checks = called, only_checks
        bind(self)


def effect_of(
    name: str, function: Callable[..., Any], given: Any, only_checks: bool
) -> tuple[Effect, list[Tensor]]:
    """Returns the call of a function as an operation, and its inputs; see `Tracer.effect`."""
    flat = nest.flatten(given, expand_composites=True)
    flat = [x._read() if isinstance(x, Variable) else x for x in flat]
    places = [i for i, x in enumerate(flat) if type(x) is Tensor]
    template = [None if type(x) is Tensor else x for x in flat]

    def called(values: Sequence[Any]) -> tuple[str, Any]:
        filled = list(template)
        for i, value in zip(places, values, strict=True):
            filled[i] = value
        structure = nest.pack_sequence_as(given, filled, expand_composites=True)
        return function.__name__, structure

    def kernel(*values: Any) -> Any:
        _, structure = called([*map(Tensor, values)])
        with replaced(()):
            outs = function(*structure)
        return tuple([Tensor(y)._value if type(y) is not Tensor else y._value for y in outs])

    return Effect(name, kernel, only_checks, called), [flat[i] for i in places]


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
    if of is None:
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
