"""Loops: `while`, and `for` over tensors, ranges of tensors and everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gradtape._src.autograph.branches import condition
from gradtape._src.autograph.python_functions import Count
from gradtape._src.autograph.symbolic import (
    is_source,
    is_symbolic,
)
from gradtape._src.autograph.traced_loop import TracedLoop
from gradtape._src.base import nest
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.ops.array.creation import range as count_up
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.array.tensor_shapes import shape as shape_tensor
from gradtape._src.ops.control.control_flow import cond as tf_cond
from gradtape._src.ops.control.control_flow import (
    graph_size,
    in_graph,
    is_unrolled_enough,
    least_turns,
    tested,
)
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.types.ragged_tensor import RaggedTensor

_LIMITATIONS = (
    "See https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/"
    "reference/limitations.md#consistency-of-control-flow-types for more info."
)


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Any,
    set_state: Any,
    symbol_names: Sequence[str],
    opts: Mapping[str, Any],
) -> None:
    """Runs a block as long as a condition holds; traces it once if the condition is symbolic.

    Args:
      test: Computes the condition.
      body: The block.
      get_state: Returns the variables that the loop changes.
      set_state: Sets these variables.
      symbol_names: Their names.
      opts: The options that `set_loop_options` sets.
    """
    goes = tested(test)
    on_tensor = isinstance(goes, Tensor)
    traced = on_tensor and active_compiler() is not None and (bool(opts) or least_turns() < 2)
    size = graph_size()
    while not (is_symbolic(goes) or traced):
        if not goes:
            return
        body()
        goes = tested(test)
        traced = on_tensor and is_unrolled_enough(size)
        if not on_tensor and is_symbolic(goes):
            raise NotImplementedError(
                "The condition of while loop started as non-Tensor, then changed to Tensor. This "
                "may happen either because variables changed type, or when a break or return "
                "statement inside the loop depends on a Tensor condition. In both cases, changing "
                f"to a TF loop should remove the error.\n{_LIMITATIONS}",
            )
    loop = TracedLoop(get_state, set_state, symbol_names, opts, test, body)
    if loop.lacks_values():
        loop.define(condition(goes, "while loop"), lambda test, body: body())
    loop.run(
        [convert_to_tensor(0)],
        lambda own, test, body: condition(test(), "while loop"),
        lambda own, test, body: (body(), [own[0] + 1])[1],
    )


class ForLoop(NamedTuple):
    """The parts of a `for` statement; `extra_test` returns whether the loop continues."""

    extra_test: Callable[[], Any] | None
    body: Callable[[Any], None]
    get_state: Any
    set_state: Any
    names: Sequence[str]
    opts: Mapping[str, Any]

    def traced(self) -> TracedLoop:
        """Returns the loop in the form that is traced."""
        blocks = [self.body, *([] if self.extra_test is None else [self.extra_test])]
        return TracedLoop(self.get_state, self.set_state, self.names, self.opts, *blocks)


def for_stmt(
    iter_: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Any,
    set_state: Any,
    symbol_names: Sequence[str],
    opts: Mapping[str, Any],
) -> None:
    """Runs a block for each element; traces it once if the iterable is a tensor.

    Args:
      iter_: The iterable.
      extra_test: Returns whether to continue; false after a `break` or `return`.
      body: The block, a function of an element.
      get_state: Returns the variables that the loop changes.
      set_state: Sets these variables.
      symbol_names: Their names.
      opts: The options that `set_loop_options` sets.
    """
    loop = ForLoop(extra_test, body, get_state, set_state, symbol_names, opts)
    if isinstance(iter_, Count):
        _over_count(loop, iter_)
    elif type(iter_) is Tensor and active_compiler() is not None:
        _over_rows(loop, iter_)
    elif isinstance(iter_, RaggedTensor) and _is_loop_of_graph(iter_):
        _over_ragged(loop, iter_)
    elif is_source(iter_):
        _over_data_set(loop, iter_)
    else:
        _over_python(loop, iter_)


def _over_python(loop: ForLoop, elements: Iterable[Any]) -> None:
    if loop.extra_test is None:
        for element in elements:
            loop.body(element)
        return
    if not loop.extra_test():
        return
    for element in elements:
        loop.body(element)
        goes = loop.extra_test()
        if is_symbolic(goes):
            raise NotImplementedError(
                "break and return statements which depend on a TF condition are not supported in "
                f"Python for loops. Did you intend to make it a TF loop?\n{_LIMITATIONS}",
            )
        if not goes:
            return


def _over_data_set(loop: ForLoop, data_set: Any) -> None:
    """Traces a loop over a dataset or an iterator."""
    traced = loop.traced()
    traced.check_values()
    goes = None if loop.extra_test is None else lambda _, extra_test: extra_test()
    traced.over_elements(data_set, goes, lambda element, body, *_: body(element))


def _over_count(loop: ForLoop, count: Count) -> None:
    """Traces a loop over numbers whose bounds are symbolic."""
    delta, limit = count.delta, count.limit

    def within(i: Tensor) -> object:
        if is_symbolic(delta):
            return where(delta > 0, i < limit, i > limit)
        return i < limit if bool(delta > 0) else i > limit

    _run_traced(loop, count.start, within, lambda i: i, delta)


def _itself(row: Tensor) -> object:
    return row


def _over_rows(loop: ForLoop, x: Tensor, element: Callable[[Tensor], Any] = _itself) -> None:
    """Traces a loop over the rows of a tensor, or over the elements that are made of these."""
    if x.shape.rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {x.shape}")
    size = None if x.shape.rank is None else x.shape[0]
    simple = not set(loop.opts) - {"iterate_names"}
    if simple and size is not None and size < least_turns():
        first = _some_rows(loop, x, size, element)
        if first is None:
            return
    else:
        first = 0
    fold = in_graph().fold
    if simple and loop.extra_test is None and size is not None:
        _folded(loop, x, fold, element)
        return
    limit = shape_tensor(x)[0] if size is None else convert_to_tensor(size)
    start = convert_to_tensor(first)
    one = convert_to_tensor(1)
    most = None if size is None else size - first
    _run_traced(loop, start, lambda i: i < limit, lambda i: element(gather(x, i)), one, most)


def _is_loop_of_graph(x: RaggedTensor) -> bool:
    """Whether a loop over the rows of a ragged tensor is traced; XLA has no rows of open length."""
    tracer = active_compiler()
    parts = nest.flatten(x, expand_composites=True)
    return tracer is not None and not tracer.for_xla and any(map(is_symbolic, parts))


def _over_ragged(loop: ForLoop, x: RaggedTensor) -> None:
    """Traces a loop over the rows of a ragged tensor, whose lengths are unknown."""
    splits, values = x.row_splits, x.values
    if type(values) is Tensor:
        bounds = stack([splits[:-1], splits[1:]], 1)
        _over_rows(loop, bounds, lambda row: values[row[0] : row[1]])
    else:
        _over_rows(loop, count_up(x.nrows()), lambda i: gather(x, i))


def _some_rows(loop: ForLoop, x: Tensor, size: int, element: Callable[[Tensor], Any]) -> int | None:
    """Traces iterations one by one; returns the first one left if going on depends on a tensor."""
    if loop.extra_test is not None and not loop.extra_test():
        return None
    for i in range(size):
        loop.body(element(x[i]))
        if loop.extra_test is not None:
            goes = loop.extra_test()
            if is_symbolic(goes):
                return i + 1
            if not goes:
                return None
    return None


def _folded(loop: ForLoop, x: Tensor, fold: Any, element: Callable[[Tensor], Any]) -> None:
    traced = loop.traced()
    traced.check_returns()
    if traced.lacks_values(lambda: element(x[0])):
        loop.body(element(x[0]))  # traced separately, the first iteration shows what it assigns
        x, traced = x[1:], loop.traced()
    traced.fold(fold, x, lambda row, body: body(element(row)))


def _run_traced(
    loop: ForLoop,
    start: Tensor,
    within: Callable[[Tensor], Any],
    element: Callable[[Tensor], Any],
    delta: Tensor,
    most: int | None = None,
) -> None:
    """Traces a loop over a number that begins at `start` and continues while `within` holds.

    Args:
      loop: Its parts.
      start: The first number.
      within: Whether there is an iteration for a number.
      element: The element that the body gets for a number.
      delta: The number that is added after each iteration.
      most: The maximum number of iterations, if it is known; the loop then has a derivative.
    """

    def goes(own: Sequence[Tensor], body: Any, extra_test: Any = None) -> object:
        inside = within(own[0])
        if extra_test is None:
            return inside
        if not is_symbolic(inside):
            return extra_test() if bool(inside) else False
        return tf_cond(inside, extra_test, lambda: False)

    def turn(own: Sequence[Tensor], body: Any, extra_test: Any = None) -> list[Tensor]:
        body(element(own[0]))
        return [own[0] + delta]

    traced = loop.traced()
    traced.check_returns()
    if traced.lacks_values(lambda: element(start)):
        test: Any = goes([start], loop.body, loop.extra_test)
        if is_symbolic(test):
            traced.define(test, lambda body, *_: body(element(start)))
        elif not test:
            return
        else:  # a separate trace of the first iteration shows which variables it assigns
            loop.body(element(start))
            start, traced = start + delta, loop.traced()
            most = None if most is None else most - 1
    traced.run([start], goes, turn, most)
