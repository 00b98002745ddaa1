"""Conditionals, loops and calls of functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.dtypes import as_dtype, int32, string
from gradtape._src.base.dtypes import bool_ as bool_dtype
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import scope
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import zeros
from gradtape._src.declare.unknown_sizes import UnknownRank
from gradtape._src.graphdef.array_kernels import Flow, Stack, zero_gradient
from gradtape._src.graphdef.nodes import Kernel, Node, Runnable, kernel, maker
from gradtape._src.ops.control.control_flow import cond, switch_case
from gradtape._src.ops.control.control_flow import loop as unbound_loop
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import not_equal
from gradtape._src.ops.elementwise.logical import logical_not
from gradtape._src.ops.raw.list_values import TensorList
from gradtape._src.ops.raw.tensor_lists import empty_list
from gradtape._src.ops.raw.variant_handles import handle_of, held_by
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
    kept = optional_in(value)
    if kept is not None and scope() is not None:
        return (kept.has_value, *map(_opened, kept.values or ()))
    return value.array if isinstance(value, Flow) else value


def _closed(value: Any, like: Any) -> Any:
    """Converts a carried value back; `like` is a value of the same kind."""
    kept = optional_in(like)
    if kept is not None and isinstance(value, (tuple, list)):
        has_value, *parts = value
        values = None if kept.values is None else list(map(_closed, parts, kept.values))
        return handle_of(KeptValues(values, has_value))
    if isinstance(value, (tuple, list)):
        return Stack(*value)
    if isinstance(value, TensorArray):
        return Flow(value, like.of if isinstance(like, Flow) else None)
    return value


class _IsGradient(Exception):  # noqa: N818 (a control flow, not an error)
    """Raised if a value turns out to be the gradient of an array, and not a number.

    Args:
      place: The index of the value.
      of: The array.
    """

    def __init__(self, place: int, of: TensorArray) -> None:
        self.place, self.of = place, of


class _OnceMore(Exception):  # noqa: N818 (a control flow, not an error)
    """Raised if a result of one branch shows of which kind it is in a branch before."""


def _of_gradient(value: Any) -> TensorArray | None:
    """Returns the array whose gradient a value in a graph is, or None."""
    return value.of if isinstance(value, Flow) and scope() is not None else None


class _Branches:
    """Runs the branches of a conditional, with results that are alike in graphs.

    A result that is the gradient of an array in one branch is so in all branches, and an optional
    has blank values in the branches in which it is empty.

    Args:
      given: The inputs of all branches.
    """

    def __init__(self, given: Sequence[Any]) -> None:
        self._given = given
        self._gradients: dict[int, TensorArray] = {}
        self._values: dict[int, Sequence[Any] | None] = {}  # those of optionals, None if unknown
        self._like: list[Any] = []

    def run(self, body: Runnable) -> list[Any]:
        """Returns the results of a branch, in the form in which conditionals carry them."""
        self._like = [self._alike(i, x) for i, x in enumerate(body.run(self._given))]
        return list(map(_opened, self._like))

    def closed(self, results: Sequence[Any]) -> list[Any]:
        """Returns the results of the conditional, in the form that nodes take."""
        return list(map(_closed, results, self._like))

    def _alike(self, i: int, x: Any) -> Any:
        of = _of_gradient(x)
        if of is None and i in self._gradients:
            return zero_gradient(self._gradients[i])
        if of is not None and i not in self._gradients:
            self._gradients[i] = of
            raise _OnceMore
        kept = optional_in(x)
        return x if kept is None or scope() is None else handle_of(self._filled(i, kept))

    def _filled(self, i: int, x: KeptValues) -> KeptValues:
        known = self._values.setdefault(i, x.values)
        if x.values is None:
            return KeptValues(None if known is None else list(map(_blank, known)), x.has_value)
        if known is None:
            self._values[i] = x.values
            raise _OnceMore
        return x


def _chosen(branches: Sequence[Runnable], given: Sequence[Any], choose: Any) -> list[Any]:
    """Returns the results of one of several functions.

    Args:
      branches: The functions.
      given: Their inputs.
      choose: Runs one of the functions without inputs in the given list.
    """
    made = _Branches(given)
    while True:
        try:
            out = choose([lambda body=body: made.run(body) for body in branches])
        except _OnceMore:
            continue
        return made.closed(out)


def _blank(value: Any) -> Any:
    """Returns a value of the kind and dtype of another, with its lengths as far as known."""
    kept = optional_in(value)
    if kept is not None:
        parts = list(map(_blank, kept.values or ()))
        return handle_of(KeptValues(parts, convert_to_tensor(False)))
    held = held_by(value)
    if held and isinstance(held[0], TensorList):
        return empty_list(-1, -1, held[0].array.dtype)
    x = convert_to_tensor(value)
    shape = shape_of(x)
    lengths = () if type(shape) is UnknownRank else [n if type(n) is int else 0 for n in shape]
    return Tensor(zeros(tuple(lengths), x._value.dtype))


@maker("If", "StatelessIf")
def _if(node: Node) -> Kernel:
    yes, no = node.called("then_branch"), node.called("else_branch")
    return lambda values: choice(yes, no, values)[:-1]


def choice(yes: Runnable, no: Runnable, values: Sequence[Any]) -> list[Any]:
    """Returns the results of one of two functions, and the index of its branch.

    Args:
      yes: Called if the condition holds, branch 1.
      no: Called if it does not, branch 0.
      values: The condition, and the inputs of both functions.
    """
    flag, *given = values
    holds = truth(flag)
    return [
        *_chosen([yes, no], given, lambda functions: cond(holds, *functions)),
        cast(holds, int32),
    ]


def choice_of_one(
    body: Runnable, side: int, values: Sequence[Any], dtypes: Sequence[str]
) -> list[Any]:
    """Returns the results of a function that runs in one branch; blank values in the other one.

    Args:
      body: The function.
      side: 1 if it runs if the condition holds, 0 if it runs if the condition does not hold.
      values: The condition, and the inputs of the function.
      dtypes: The names of the dtypes of its results.
    """
    flag, *given = values
    made: list[Any] = []

    def run() -> list[Any]:
        made[:] = body.run(given)
        return [*made, True]

    def skip() -> list[Any]:
        blank = map(_blank, made) if made else [zeros((), as_dtype(d).np_dtype) for d in dtypes]
        return [*blank, False]

    holds = truth(flag)
    found: list[Any] = list(cond(holds if side else logical_not(holds), run, skip))
    return found[:-1]


@maker("Case", "StatelessCase")
def _case(node: Node) -> Kernel:
    branches = [node.function(name) for name in node.attributes["branches"]]

    def run(values: list[Any]) -> list[Any]:
        index, *given = values
        return _chosen(branches, given, lambda fs: switch_case(index, fs))

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
    start = list(values)
    while True:
        try:
            return _looped(test, body, start)
        except _IsGradient as found:
            start[found.place] = zero_gradient(found.of)


def _looped(test: Runnable, body: Runnable, values: Sequence[Any]) -> list[Any]:
    steady = {i for i in range(len(values)) if i >= body.gives or body.passed.get(i) == i}
    carried = [i for i in range(len(values)) if i not in steady]

    def filled(current: Sequence[Any]) -> list[Any]:
        whole = list(values)
        for i, x in zip(carried, current, strict=False):
            whole[i] = _closed(x, values[i])
        return whole

    def goes(*current: Any) -> Tensor:
        return truth(test.run(filled(current))[0])

    def turned(*current: Any) -> list[Any]:
        after = body.run(filled(current))
        for i in carried:
            of = _of_gradient(after[i])
            if of is not None and not isinstance(values[i], Flow):
                raise _IsGradient(i, of)
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
      has_value: Whether it is not empty, a bool tensor. If it is only known when a graph runs, an
        empty optional has values, too, which are not used.
    """

    def __init__(self, values: Sequence[Any] | None, has_value: Tensor | None = None) -> None:
        self.values = None if values is None else tuple(values)
        self.has_value: Tensor = (
            convert_to_tensor(values is not None) if has_value is None else has_value
        )

    def contents(self) -> list[Any]:
        """Returns the tensors of which the optional consists."""
        return [self.has_value, *(self.values or ())]


def optional_in(x: Any) -> KeptValues | None:
    """Returns an optional, which a scalar of dtype `variant` may hold; None for other values."""
    held = held_by(x) or [x]
    return held[0] if isinstance(held[0], KeptValues) else None


@kernel("OptionalFromValue")
def _kept(values: list[Any]) -> list[Any]:
    return [handle_of(KeptValues(values))]


@kernel("OptionalNone")
def _nothing_kept(_: list[Any]) -> list[Any]:
    return [handle_of(KeptValues(None))]


def _optional(x: Any) -> KeptValues:
    found = optional_in(x)
    if found is None:
        raise InvalidArgumentError(None, None, "The given value is not an optional.")
    return found


@kernel("OptionalHasValue")
def _has_value(values: list[Any]) -> list[Any]:
    return [_optional(values[0]).has_value]


@kernel("OptionalGetValue")
def _kept_values(values: list[Any]) -> list[Any]:
    found = _optional(values[0]).values
    if found is None:
        raise InvalidArgumentError(None, None, "The given optional does not have a value.")
    return list(found)
