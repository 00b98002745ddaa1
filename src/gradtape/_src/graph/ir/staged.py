"""Choices, loops and TensorArrays of functions that are traced, or compiled by XLA.

What runs them depends on who traces: a graph's tracer, or XLA's compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.autodiff.vectorize import Batch
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import staging

CONCRETE = (np.ndarray, np.generic)


def compiling() -> Any:
    """Who traces or compiles the function that runs just now; None where nobody does."""
    return staging()


def is_traced(x: Any) -> bool:
    """Whether a tensor's value is known only when the traced function runs."""
    if type(x) is not Tensor:
        return False
    value = x._value
    while type(value) is Batch:
        value = value.inner._value if type(value.inner) is Tensor else value.inner
    return not isinstance(value, CONCRETE) and staging() is not None


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """Stages both functions."""
    return staging().control_flow.cond(pred, true_fn, false_fn)


def while_loop(test: Any, body: Any, loop_vars: Any, most: int | None) -> Any:
    """Stages a loop."""
    return staging().control_flow.while_loop(test, body, loop_vars, most)


def fold(fn: Any, elems: Any, start: Any, reverse: bool, keep: bool) -> Any:
    """Stages a loop over rows."""
    return staging().control_flow.fold(fn, elems, start, reverse, keep)


def leave_out(operation: str) -> None:
    """Says that a check cannot be made while the function is traced."""
    staging().leave_out(operation)


def scope() -> Any:
    """What stands for the part of a graph that is being traced; None outside of graphs."""
    tracer = staging()
    return None if tracer is None else tracer.mark
