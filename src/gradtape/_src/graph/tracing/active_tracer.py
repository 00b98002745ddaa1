"""Conditionals, loops and TensorArrays of functions that are traced, or compiled by XLA.

The active tracer implements them: a graph's tracer, or XLA's compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np

from gradtape._src.autodiff.vectorize import Batch
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.graph.ir.state import is_assignment, is_read

R = TypeVar("R")
V = TypeVar("V")

CONCRETE = (np.ndarray, np.generic)


class ControlFlow(Protocol):
    """The functions that trace conditionals and loops."""

    def cond(self, pred: Tensor, true_fn: Callable[[], R], false_fn: Callable[[], R]) -> R:
        """Returns the result of one of two functions."""
        ...

    def while_loop(
        self, test: Any, body: Any, loop_vars: V, most: int | None, invariants: Any = None
    ) -> V:
        """Returns the loop variables after the last iteration."""
        ...

    def fold(self, fn: Any, elems: Any, start: V, reverse: bool, keep: bool) -> tuple[V, Any]:
        """Returns the final state of a loop over rows, or all its states."""
        ...


def compiling() -> object:
    """Returns the tracer or compiler of the running function; None in eager execution."""
    return active_compiler()


def is_traced(x: Any) -> bool:
    """Whether the value of a tensor or variable is known only when the traced function runs."""
    if type(x) is not Tensor:
        return isinstance(x, Variable) and active_compiler() is not None
    value = x._value
    while type(value) is Batch:
        value = value.inner._value if type(value.inner) is Tensor else value.inner
    return not isinstance(value, CONCRETE) and active_compiler() is not None


def cond(pred: Any, true_fn: Callable[[], R], false_fn: Callable[[], R]) -> R:
    """Traces both functions."""
    chosen: R = active_compiler().control_flow.cond(pred, true_fn, false_fn)
    return chosen


def while_loop(test: Any, body: Any, loop_vars: V, most: int | None, invariants: Any = None) -> V:
    """Traces a loop."""
    control_flow = active_compiler().control_flow
    last: V = control_flow.while_loop(test, body, loop_vars, most, invariants)
    return last


def fold(fn: Any, elems: Any, start: V, reverse: bool, keep: bool) -> tuple[V, Any]:
    """Traces a loop over rows."""
    found: tuple[V, Any] = active_compiler().control_flow.fold(fn, elems, start, reverse, keep)
    return found


def tested(test: Callable[[], R]) -> R:
    """Computes the condition of a loop before it is known whether the loop is traced.

    If it is, the condition is computed in the loop, and these operations have no effects.
    """
    tracer = active_compiler()
    nodes = tracer.nodes if isinstance(getattr(tracer, "nodes", None), list) else []
    mark = len(nodes)
    goes = test()
    if is_traced(goes) and tracer.open_graph is None:
        for node in nodes[mark:]:
            node.stateful &= is_read(node) or is_assignment(node)
    return goes


def size() -> int:
    """Returns the number of nodes that the tracer has; 0 for XLA, which unrolls loops itself."""
    tracer = active_compiler()
    return 0 if tracer is None or tracer.for_xla else len(tracer.nodes)


def unrolled(before: int, out: R) -> R:
    """Returns the result of an unrolled loop; in a graph of TensorFlow 1, after its assignments.

    Args:
      before: The number of operations before the loop.
      out: The result.
    """
    tracer = active_compiler()
    if getattr(tracer, "open_graph", None) is None:
        return out
    last: R = tracer.control_flow.after_effects(before, out)
    return last


def leave_out(operation: str) -> None:
    """Handles a check that cannot be made while the function is traced."""
    active_compiler().leave_out(operation)


def can_grow() -> bool:
    """Whether the program that is being traced may have lengths that depend on values."""
    tracer = active_compiler()
    return tracer is not None and tracer.defers and not tracer.for_xla


def scope() -> object:
    """Returns the part of a graph that is being traced, or None outside of graphs."""
    tracer = active_compiler()
    return None if tracer is None else tracer.mark
