"""Conditionals and loops as functions, which run as Python code in eager execution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import is_composite
from gradtape._src.base.dtypes import bool_, int32
from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import integer, invalid
from gradtape._src.declare.eager_only import active_compiler, can_grow, each_run, is_traced
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.declare.registered import Operation
from gradtape._src.ops.elementwise.comparison import equal
from gradtape._src.ops.elementwise.identities import identity
from gradtape._src.ops.types.tensor_array import TensorArray

R = TypeVar("R")


class ControlFlow(Protocol):
    """The functions that trace conditionals and loops, for the graph that is made."""

    def cond(self, pred: Tensor, true_fn: Callable[[], R], false_fn: Callable[[], R]) -> R:
        """Returns the result of one of two functions."""

    def while_loop(
        self, test: Any, body: Any, loop_vars: R, most: int | None, invariants: Any = None
    ) -> R:
        """Returns the loop variables after the last iteration."""

    def fold(self, fn: Any, elems: Any, start: R, reverse: bool, keep: bool) -> tuple[R, Any]:
        """Returns the final state of a loop over rows, and all its states."""


def in_graph() -> ControlFlow:
    """Returns the functions of the active tracer for conditionals and loops."""
    found: ControlFlow = active_compiler().control_flow
    return found


SHORT = 16
"""The number of iterations from which a loop over tensors is traced as a loop; shorter loops are
unrolled."""


def least_turns() -> int:
    """Returns the number of iterations from which a loop over known tensors is traced as a loop.

    The active tracer sets it by an attribute of that name: a compiler whose loops lack derivatives
    or changing shapes has short loops unrolled.
    """
    least: int = getattr(active_compiler(), "least_turns", SHORT)
    return least


MOST_UNROLLED = 20_000
"""The number of operations from which a loop with known conditions is no longer unrolled.

An unrolled loop runs faster, but tracing it takes a time and memory that grow with its length.
"""


def tested(test: Callable[[], R]) -> R:
    """Computes a loop's condition before it is known whether the loop is traced.

    If it is, the condition is computed in the loop, and these operations have no effects.
    """
    tracer = active_compiler()
    before = len(tracer.nodes) if tracer is not None and tracer.defers else 0
    goes = test()
    if is_traced(goes) and tracer.defers and tracer.open_graph is None:
        tracer.drop_effects(before)
    return goes


def graph_size() -> int:
    """Returns the number of operations in the graph that is being traced, or 0.

    It is 0 also for XLA, which finds loops in equal operations.
    """
    return len(active_compiler().nodes) if can_grow() else 0


def is_unrolled_enough(size: int) -> bool:
    """Whether the rest of a loop should be traced, given the graph's size before the loop."""
    return graph_size() > size + MOST_UNROLLED


def is_compiled() -> bool:
    """Whether the running code is being compiled."""
    return active_compiler() is not None


def _traces_both(pred: Any) -> bool:
    """Whether all branches of a conditional are traced; for XLA, a known value chooses one."""
    return can_grow() or is_traced(pred)


@export("cond")
def cond(
    pred: Any,
    true_fn: Callable[[], R] | None = None,
    false_fn: Callable[[], R] | None = None,
    name: str | None = None,
) -> R:
    """Calls one of two functions.

    Args:
      pred: A scalar. While a function is traced, both branches are, even if it is a constant.
      true_fn: A function without arguments, which is called if `pred` is true.
      false_fn: A function without arguments, which is called if `pred` is false.
      name: Accepted for compatibility.

    Returns:
      The result of the function that is called.

    Raises:
      TypeError: `true_fn` or `false_fn` can't be called, or `pred` is a Python bool in a function
        that is traced.

    >>> x = tf.constant(3.0)
    >>> tf.cond(x > 0, lambda: x * 2, lambda: -x).numpy()
    np.float32(6.0)
    """
    if true_fn is None or false_fn is None:
        missing = "true_fn" if true_fn is None else "false_fn"
        raise TypeError(f"cond(): '{missing}' argument required")
    for what, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"'{what}' must be callable.")
    if pred is None:
        raise ValueError("pred must be a scalar, not None.")
    if type(pred) is bool and is_compiled():
        raise TypeError("pred must not be a Python bool (use Python's `if`)")
    if _traces_both(pred):
        return in_graph().cond(convert_to_tensor(pred), true_fn, false_fn)
    return true_fn() if bool(pred) else false_fn()


@export("case")
def case(
    pred_fn_pairs: Sequence[tuple[Any, Callable[[], R]]] | Mapping[Any, Callable[[], R]],
    default: Callable[[], R] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> R:
    """Calls the function of the first predicate that is true.

    Args:
      pred_fn_pairs: Pairs of a scalar bool tensor and a function without arguments.
      default: A function without arguments, which is called if no predicate is true.
      exclusive: Accepted for compatibility.
      strict: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The result of the function that is called.

    Raises:
      TypeError: A predicate is not a tensor, or a function can't be called.
      InvalidArgumentError: No predicate is true and there is no `default`.
    """
    pairs = _checked_pairs(pred_fn_pairs)
    for i, (pred, function) in enumerate(pairs):
        if _traces_both(pred):
            if pred.dtype is not bool_:
                raise TypeError(f"pred must be a bool tensor, got dtype {pred.dtype.name}")
            if default is None:
                _check_that_one_holds([pred for pred, _ in pairs[i:]])
            traced: R = _traced_case(pairs[i:], default)
            return traced
        if bool(pred):
            chosen: R = function()
            return chosen
    if default is None:
        raise _none_holds()
    return default()


def _checked_pairs(pred_fn_pairs: Any) -> Sequence[tuple[Any, Callable[[], Any]]]:
    pairs: Any = (
        list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, Mapping) else pred_fn_pairs
    )
    if not isinstance(pairs, (list, tuple)) or not all(_is_pair(pair) for pair in pairs):
        raise TypeError(
            f"case: 'pred_fn_pairs' must be a sequence of (predicate, function), got {pairs!r}"
        )
    if not pairs:
        raise ValueError(
            "not enough values to unpack (expected 2, got 0): `pred_fn_pairs` is empty"
        )
    for pred, function in pairs:
        if not isinstance(pred, TensorLike):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if not callable(function):
            raise TypeError(f"fn for pred {pred} must be callable.")
    checked: Sequence[tuple[Any, Callable[[], Any]]] = pairs
    return checked


def _none_holds() -> InvalidArgumentError | ValueError:
    return invalid(
        "Expected '[False]' to be true. Summarized data: Input error: None of conditions evaluated "
        "as True (give `default`)",
        About.VALUES,
    )


@each_run("Assert", only_checks=True)
def _check_that_one_holds(preds: Sequence[Any]) -> None:
    if not any(map(bool, preds)):
        raise _none_holds()


@export("switch_case")
def switch_case(
    branch_index: Any,
    branch_fns: Sequence[Callable[[], R]]
    | Sequence[tuple[int, Callable[[], R]]]
    | Mapping[int, Callable[[], R]],
    default: Callable[[], R] | None = None,
    name: str = "switch_case",
) -> R:
    """Calls the function with a given index.

    Args:
      branch_index: The index, a tensor. While a function is traced, it is int32, and all branches
        are traced, even if the index is a constant.
      branch_fns: Functions without arguments: a sequence of them or of (index, function) pairs, or
        a mapping.
      default: A function without arguments, which is called if there is no function of that index.
        Defaults to the last function.
      name: Accepted for compatibility.

    Returns:
      The result of the function that is called.

    Raises:
      TypeError: A function can't be called, an index is not an integer, or `branch_index` is not a
        tensor or has another dtype than int32 while a function is traced.
      ValueError: There are no functions, or their indices are not 0, 1, 2 and so on.
      InvalidArgumentError: `branch_index` is not a scalar.

    >>> tf.switch_case(tf.constant(1), [lambda: "zero", lambda: "one"])
    'one'
    """
    branches: dict[int, Callable[[], R]] = _branches(branch_fns)
    if default is not None and not callable(default):
        raise TypeError(f"switch_case: `default` must be callable, got {default!r}")
    if not isinstance(branch_index, TensorLike):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if default is None:
        default = branches.pop(len(branches) - 1)
    index = convert_to_tensor(branch_index)
    if index._value.ndim:
        raise invalid(
            f"switch_case: `branch_index` must be a scalar, got shape {index.shape} [Op:Case]",
            About.VALUES,
        )
    if _traces_both(index):
        found = _traced_switch(index, branches, default)
        if index.dtype is not int32:  # known only to the operation, which comes after its branches
            raise TypeError(
                f"Input 'branch_index' of 'Case' Op has type {index.dtype.name} that does not "
                "match expected type of int32."
            )
        return found
    return branches.get(integer(index, "switch_case", "branch_index"), default)()


def _traced_case(
    pairs: Sequence[tuple[Any, Callable[[], R]]], default: Callable[[], R] | None
) -> R:
    pred, function = pairs[0]
    rest = pairs[1:]
    if not rest and default is None:  # XLA omits the check that a predicate is true.
        return function()
    others = (lambda: case(rest, default)) if rest or default is None else default
    return in_graph().cond(convert_to_tensor(pred), function, others)


def _traced_switch(
    index: Tensor,
    branches: Mapping[int, Callable[[], R]],
    default: Callable[[], R],
    first: int = 0,
) -> R:
    if first == len(branches):
        return default()
    return in_graph().cond(
        equal(index, first),
        branches[first],
        lambda: _traced_switch(index, branches, default, first + 1),
    )


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, (list, tuple)) and len(pair) == 2


def _branches(branch_fns: Any) -> dict[int, Callable[[], Any]]:
    """Returns the functions of `switch_case` by their indices."""
    if not branch_fns:
        raise ValueError("switch_case: `branch_fns` must hold at least one function")
    if callable(branch_fns):
        raise TypeError("switch_case: `branch_fns` must be a sequence or mapping of functions")
    pairs = list(branch_fns.items()) if isinstance(branch_fns, Mapping) else list(branch_fns)
    if callable(pairs[0]):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not _is_pair(pair):
            raise TypeError(
                "switch_case: `branch_fns` must hold only functions, or only pairs (index, "
                f"function), got {pair!r}"
            )
        if not isinstance(pair[0], (int, np.integer)):
            raise TypeError(f"switch_case: an index must be a Python integer, got {pair[0]!r}")
        if not callable(pair[1]):
            raise TypeError(f"fn for index {pair[0]} must be callable.")
    indices = sorted(int(i) for i, _ in pairs)
    if indices != list(range(len(indices))):
        raise ValueError(
            f"switch_case: the indices must be unique and run from 0 to {len(indices) - 1}, got "
            f"{indices}"
        )
    return {int(i): function for i, function in pairs}


@export("while_loop")
def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Calls `body` as long as `cond` is true.

    Args:
      cond: A function that takes the loop variables and returns a scalar bool.
      body: A function that takes the loop variables and returns their next values in the same
        structure.
      loop_vars: The initial values, a list or tuple of (nested structures of) tensors.
      shape_invariants: The shapes of the variables in all iterations, needed in a `tf.function` if
        an iteration changes a shape.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      maximum_iterations: The maximum number of iterations.
      name: Accepted for compatibility.

    Returns:
      The final values of the loop variables.

    Raises:
      TypeError: `cond` or `body` can't be called, or `body` does not return a sequence.
      ValueError: There are no loop variables, or the structure that `body` returns differs from
        `loop_vars`.

    >>> i, total = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), (0, 0))
    >>> total.numpy()
    np.int32(6)
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if isinstance(loop_vars, TensorLike) or not loop_vars:
        raise ValueError("'loop_vars' must be provided. (Give a list or tuple of initial values)")
    if is_traced(maximum_iterations):
        return _at_most(cond, body, loop_vars, maximum_iterations)
    most = None if maximum_iterations is None else integer(maximum_iterations, "while_loop")
    keeping = _keeping_shapes if shape_invariants is None else _as_it_is
    return loop(cond, body, loop_vars, most, shape_invariants, keeping)


def _as_it_is(body: Any) -> Any:
    return body


def loop(
    cond: Any,
    body: Any,
    loop_vars: R,
    most: int | None = None,
    invariants: Any = None,
    traced_body: Callable[[Any], Any] = _as_it_is,
) -> R:
    """Runs or traces a loop whose variables may change their shapes.

    Args:
      cond: The condition, a function of the variables.
      body: The body, a function of the variables.
      loop_vars: The initial values of the variables.
      most: The maximum number of iterations, or None.
      invariants: The shape invariants that the caller passed.
      traced_body: A function that converts `body` to the body of a traced loop.

    Returns:
      The final values of the loop variables.
    """
    first: Any = loop_vars
    state: Any = loop_vars
    turn, size = 0, graph_size()
    while most is None or turn < most:
        goes = tested(partial(cond, *state))
        if is_traced(goes) or is_unrolled_enough(size):
            rest = None if most is None else most - turn
            traced: R = in_graph().while_loop(cond, traced_body(body), state, rest, invariants)
            return traced
        if not bool(goes):
            break
        state = body(*state)
        nest.assert_same_structure(list(first), list(state))
        turn += 1
    last: R = nest.map_structure(_value, state)
    tracer = active_compiler()
    if turn and tracer is not None and tracer.open_graph is not None:
        last = tracer.control_flow.after_effects(size, last)
    if active_tapes() is None:  # as for the result of a loop in a graph
        last = nest.pack_sequence_as(first, nest.flatten(last))
    return last


def _keeping_shapes(body: Any) -> Any:
    """Returns a loop's body that raises ValueError if it changes a shape."""

    def step(*state: Any) -> Any:
        out = body(*state)
        after = out if isinstance(out, (list, tuple)) else (out,)
        for x, y in zip(nest.flatten(state), nest.flatten(list(after)), strict=False):
            if type(x) is Tensor and type(y) is Tensor and not _covers(x.shape, y.shape):
                raise ValueError(
                    f"a variable of tf.while_loop has shape {x.shape} before an iteration and "
                    f"{y.shape} "
                    "after it. To allow the shape to vary across iterations, use the "
                    "`shape_invariants` argument, with None for the lengths that change"
                )
        return out

    return step


def _covers(wider: Any, shape: Any) -> bool:
    """Whether every tensor of a shape also has another, less specific shape."""
    if wider.rank is None or wider.rank != shape.rank:
        return wider.rank is None
    return all(n in (None, m) for n, m in zip(wider, shape, strict=True))


def _at_most(cond: Any, body: Any, loop_vars: Any, most: Tensor) -> Any:
    """Returns a loop with a symbolic number of iterations."""

    def goes(turn: Any, *state: Any) -> Any:
        return in_graph().cond(turn < most, lambda: cond(*state), lambda: False)

    def step(turn: Any, *state: Any) -> Any:
        out = body(*state)
        return (turn + 1, *(out if isinstance(out, (list, tuple)) else (out,)))

    start = convert_to_tensor(0, most.dtype)
    return type(loop_vars)(while_loop(goes, step, (start, *loop_vars))[1:])


def _value(x: Any) -> Any:
    made_of_others = isinstance(x, TensorArray) or is_composite(type(x))
    return x if made_of_others or x is None else convert_to_tensor(x)


# Functions for the order of operations in TensorFlow's graphs.


@export("group")
def group(*inputs: Any, **kwargs: Any) -> Operation | None:
    """Groups operations of a graph into one; does nothing in eager execution.

    Args:
      *inputs: Operations or tensors.
      **kwargs: `name`, the name of the new operation.

    Returns:
      An operation, which runs after `inputs`; None in eager execution.

    >>> print(tf.group(tf.constant(1.0)))
    None
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    graph = _graph()
    return None if graph is None else graph.group(inputs, name or "group_deps")


@export("no_op")
def no_op(name: str | None = None) -> Operation | None:
    """Makes an operation that does nothing in a graph.

    Args:
      name: The name of the operation.

    Returns:
      An operation; None in eager execution.
    """
    graph = _graph()
    return None if graph is None else graph.group([], name or "NoOp")


def _graph() -> Any:
    """Returns the graph that is being made; None in eager execution."""
    graph = open_graph()
    return getattr(active_compiler(), "view", None) if graph is None else graph


@export("tuple")
def tuple_(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """Returns tensors that a graph computes together.

    Args:
      tensors: Tensors, or None.
      control_inputs: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      In a graph, a list with a tensor for each of them; None stays None. Outside of graphs, the
      argument `tensors` itself.
    """
    if (graph := open_graph()) is None:
        same: list[Any] = tensors
        return same
    with graph.control_dependencies(
        [graph.group([*tensors, *(control_inputs or [])], "tuple/group_deps")]
    ):
        return [None if x is None else identity(x) for x in tensors]
