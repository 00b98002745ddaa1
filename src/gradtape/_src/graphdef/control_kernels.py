"""Conditionals, loops and calls of functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.dtypes import bool_ as bool_dtype
from gradtape._src.base.dtypes import int32, string
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.graphdef.list_kernels import Stack, TensorList
from gradtape._src.graphdef.nodes import Kernel, Node, Runnable, kernel, maker
from gradtape._src.ops.control.control_flow import cond, switch_case
from gradtape._src.ops.control.control_flow import loop as unbound_loop
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import not_equal
from gradtape._src.ops.types.tensor_array import TensorArray


def truth(x: Any) -> Tensor:
    """Returns a condition as a bool scalar: numbers are true unless zero, strings unless empty."""
    flag: Tensor = convert_to_tensor(x)
    if flag.dtype is bool_dtype:
        return flag
    found: Tensor = not_equal(flag, b"" if flag.dtype is string else 0)
    return found


def _opened(value: Any) -> Any:
    """Converts a value to the form in which conditionals and loops carry it."""
    if isinstance(value, Stack):
        return (value.array, value.count)
    return value.array if isinstance(value, TensorList) else value


def _closed(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return Stack(*value)
    return TensorList(value) if isinstance(value, TensorArray) else value


def _results(body: Runnable, values: Sequence[Any]) -> list[Any]:
    return [_opened(x) for x in body.run(values)]


@maker("If", "StatelessIf")
def _if(node: Node) -> Kernel:
    yes, no = node.called("then_branch"), node.called("else_branch")

    def run(values: list[Any]) -> list[Any]:
        flag, *given = values
        out = cond(truth(flag), lambda: _results(yes, given), lambda: _results(no, given))
        return [_closed(x) for x in out]

    return run


def choice(yes: Runnable, no: Runnable, values: Sequence[Any]) -> list[Any]:
    """Returns the results of one of two functions, and the index of its branch.

    Args:
      yes: Called if the condition holds, branch 1.
      no: Called if it does not, branch 0.
      values: The condition, and the inputs of both functions.
    """
    flag, *given = values
    out = cond(truth(flag), lambda: _results(yes, given), lambda: _results(no, given))
    return [*map(_closed, out), cast(truth(flag), int32)]


@maker("Case", "StatelessCase")
def _case(node: Node) -> Kernel:
    branches = [node.function(name) for name in node.attributes["branches"]]

    def run(values: list[Any]) -> list[Any]:
        index, *given = values
        last = branches[-1]
        functions = [lambda body=body: _results(body, given) for body in branches]
        out = switch_case(index, functions, default=lambda: _results(last, given))
        return [_closed(x) for x in out]

    return run


@maker("While", "StatelessWhile")
def _while(node: Node) -> Kernel:
    test, body = node.called("cond"), node.called("body")
    return lambda values: loop(test, body, values)


def loop(test: Runnable, body: Runnable, values: Sequence[Any]) -> list[Any]:
    """Runs a loop.

    Args:
      test: Returns whether to run another iteration.
      body: Returns the values after an iteration.
      values: The initial values. Values that the body returns unchanged are constants of the loop.

    Returns:
      The final values.
    """
    steady = {i for i in range(len(values)) if i >= body.gives or body.passed.get(i) == i}
    carried = [i for i in range(len(values)) if i not in steady]

    def filled(current: Sequence[Any]) -> list[Any]:
        whole = list(values)
        for i, x in zip(carried, current, strict=False):
            whole[i] = _closed(x)
        return whole

    def goes(*current: Any) -> Tensor:
        return truth(test.run(filled(current))[0])

    def turned(*current: Any) -> list[Any]:
        after = body.run(filled(current))
        return [_opened(after[i]) for i in carried] or [current[0]]

    first = [_opened(values[i]) for i in carried]
    last = unbound_loop(goes, turned, first or [convert_to_tensor(0)])
    return filled(last)


@maker("PartitionedCall", "StatefulPartitionedCall")
def _call(node: Node) -> Kernel:
    body = node.called("f")
    return lambda values: body.run(values)


@kernel("NoOp", "ControlTrigger", "DisableCopyOnRead")
def _nothing(values: list[Any]) -> list[Any]:
    return []


# Optionals, in which a branch keeps values for its gradient.


class KeptValues:
    """An optional: the values that a branch keeps for its gradient, or an iterator's element.

    Args:
      values: The values; None for an empty optional.
    """

    def __init__(self, values: Sequence[Any] | None) -> None:
        self.values = None if values is None else tuple(values)


@kernel("OptionalFromValue")
def _kept(values: list[Any]) -> list[Any]:
    return [KeptValues(values)]


@kernel("OptionalNone")
def _nothing_kept(_: list[Any]) -> list[Any]:
    return [KeptValues(None)]


@kernel("OptionalHasValue")
def _has_value(values: list[Any]) -> list[Any]:
    return [convert_to_tensor(values[0].values is not None)]


@kernel("OptionalGetValue")
def _kept_values(values: list[Any]) -> list[Any]:
    if values[0].values is None:
        raise InvalidArgumentError(None, None, "The given optional does not have a value.")
    return list(values[0].values)
