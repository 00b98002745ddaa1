"""The compiler that traces the running code, and what can't be part of its program.

Values are known only when the program runs, and functions with side effects stay outside of it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from gradtape._src.core.recorder import STACK, active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.graph_operations import whole_calls


def active_compiler() -> Any:
    """Returns the compiler that traces the running code, or None."""
    if active_tapes() is not None:
        return None
    return next((r for r in STACK.recorders if getattr(r, "compiles", False)), None)


CONCRETE = (np.ndarray, np.generic)
"""The classes of known values."""


def is_traced(x: Any) -> bool:
    """Whether the value of a tensor or variable is known only when the traced function runs."""
    if active_compiler() is None:
        return False
    if type(x) is not Tensor:
        return isinstance(x, Variable)
    value = x._value
    while hasattr(type(value), "inner"):  # a batch of examples
        value = value.inner._value if type(value.inner) is Tensor else value.inner
    return not isinstance(value, CONCRETE)


def can_grow() -> bool:
    """Whether the program that is being traced may have lengths that depend on values."""
    tracer = active_compiler()
    return tracer is not None and tracer.defers and not tracer.for_xla


def scope() -> object:
    """Returns the part of a graph that is being traced, or None outside of graphs."""
    tracer = active_compiler()
    return None if tracer is None else tracer.mark


class UsedInsideError(BaseException):
    """Raised if a traced function asks a tape around it for a gradient.

    The function is then traced once more, with the tape watching. It is not an `Exception`, so that
    no `except Exception` of the program catches it.

    Args:
      tape: The tape.
    """

    def __init__(self, tape: Any) -> None:
        super().__init__("a traced function asks a tape around it for a gradient")
        self.tape = tape


def check_used_inside(tape: Any) -> None:
    """Raises UsedInsideError if a tape is used in a traced function that it does not watch yet."""
    others = STACK.recorders
    if others and getattr(others[0], "follows_tapes", False) and tape not in others:
        raise UsedInsideError(tape)


def refuse_under_jit(operation: str) -> None:
    """Raises for a side effect that an XLA program would not repeat at each call.

    Args:
      operation: The name of the operation, for the message.

    Raises:
      UnimplementedError: A function is being compiled.
    """
    compiler = active_compiler()
    if compiler is not None:
        compiler.refuse(operation)


_F = TypeVar("_F", bound=Callable[..., Any])


def as_effect(
    name: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    result: Callable[..., Any] = lambda *_, **__: None,
    only_checks: bool = False,
) -> Any:
    """Adds a call with effects to the graph that is made; see `each_run` and `graph_operation`."""
    call = (name, function, args, kwargs, result, True)
    whole = whole_calls.get()
    return whole(*call, has_gradient=False, repeatable=True, only_checks=only_checks)


def each_run(
    name: str,
    specs: Callable[..., Any] = lambda *args, **kwargs: (),
    when: Callable[..., bool] = lambda *args, **kwargs: True,
    only_checks: bool = False,
) -> Callable[[_F], _F]:
    """Makes a graph repeat a function with side effects at each run.

    Args:
      name: TensorFlow's name of the operation.
      specs: `(*args, **kwargs) -> ((shape, dtype), ...)`, the shape and dtype of the function's
        result, which is at most one tensor.
      when: `(*args, **kwargs) -> bool`: whether the call must be delayed until the run; otherwise,
        the function is called while the graph is made.
      only_checks: Whether it only checks values, so that XLA programs omit it.

    Returns:
      A decorator.
    """

    def result(new: Any, *args: Any, **kwargs: Any) -> Any:
        return next((new(*spec) for spec in specs(*args, **kwargs)), None)

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            tracer = active_compiler()
            if tracer is None or not tracer.defers or not when(*args, **kwargs):
                return function(*args, **kwargs)

            return as_effect(name, function, args, kwargs, result, only_checks)

        return run  # type: ignore[return-value]

    return decorate
