"""Conditionals and loops of graphs that can be extended; their assignments happen when they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from gradtape._src.base import nest
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.graph.ir.graph import CannotTrace, Symbol
from gradtape._src.graph.nested.loop_values import Parts, settled
from gradtape._src.graph.tracing import tracer as tracers
from gradtape._src.ops.elementwise.identities import identity_p
from gradtape._src.ops.raw.variant_handles import held_by
from gradtape._src.ops.types.tensor_array import TensorArray
from gradtape._src.sessions.handles import CHANGES

if TYPE_CHECKING:
    from gradtape._src.sessions.open_tracer import OpenTracer


R = TypeVar("R")
V = TypeVar("V")


def with_its_variables(body: Callable[..., R]) -> Callable[..., R]:
    """Returns a loop's body that gets the variables it made before if it is called again.

    Args:
      body: The function, which is called for each step of a short loop, and several times if a loop
        is traced.
    """
    graph: Any = open_graph()
    if graph is None:
        return body
    made: frozenset[str] = frozenset()

    def step(*args: Any) -> R:
        nonlocal made
        before, count = graph.made_before, len(graph.variables_of_handles)
        graph.made_before = before | made
        try:
            return body(*args)
        finally:
            graph.made_before = before
            made |= {v._key for v in list(graph.variables_of_handles.values())[count:]}

    return step


class OpenControlFlow:
    """Adds conditionals and loops as operations to a graph.

    Args:
      tracer: The tracer that makes the graph.
    """

    def __init__(self, tracer: OpenTracer) -> None:
        self._tracer = tracer

    def cond(self, pred: Tensor, true_fn: Callable[[], R], false_fn: Callable[[], R]) -> R:
        """Adds a conditional; operations in its result become one operation."""
        plain = tracers.control_flow.get()
        branches = [_without_operations(fn) for fn in (true_fn, false_fn)]
        chosen: R = self._ordered(lambda: plain.cond(pred, *branches))
        return chosen

    def while_loop(
        self, test: Any, body: Any, loop_vars: V, most: int | None, invariants: Any = None
    ) -> V:
        """Returns the final loop variables."""
        plain, step = tracers.control_flow.get(), with_its_variables(body)
        last: V = self._ordered(lambda: plain.while_loop(test, step, loop_vars, most, invariants))
        return last

    def fold(self, fn: Any, elems: Any, start: V, reverse: bool, keep: bool) -> tuple[V, Any]:
        """Returns the final state of a loop over rows, or all its states."""
        plain, step = tracers.control_flow.get(), with_its_variables(fn)
        out: tuple[V, Any] = self._ordered(lambda: plain.fold(step, elems, start, reverse, keep))
        return out

    def _ordered(self, make: Callable[[], Any]) -> Any:
        """Returns the result of a conditional or loop after its assignments."""
        before = len(self._tracer.nodes)
        with self._explained():
            out = make()
        return self.after_effects(before, out)

    def after_effects(self, before: int, out: R) -> R:
        """Returns results after the assignments among the operations from a given number on."""
        tracer = self._tracer
        new = tracer.nodes[before:]
        changes = [node for node in new if node.primitive in CHANGES]
        if out is None or not nest.flatten(out):
            acting = changes or [node for node in new if node.stateful]
            done: R = tracer.open_graph.operation_of(tracer.group(acting, None))
            return done
        if not changes:
            return out
        with tracer.after(changes):
            return passed_on(out)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except CannotTrace as error:
            raise self._tracer.needs_value(str(error)) from error


def passed_on(structure: R) -> R:
    """Returns tensors and arrays again, as results of operations that are added now."""
    made: R = nest.map_structure(_leaf_again, structure)
    return made


def _leaf_again(x: Any) -> Any:
    if isinstance(x, TensorArray) or held_by(x) is not None:
        parts = Parts(settled(x))
        return parts.packed(list(map(_again, parts.varying(parts.like))))
    return nest.map_structure(_again, x, expand_composites=True)


def _again(x: Any) -> Any:
    return identity_p(x) if type(x) is Tensor and type(x._value) is Symbol else x


def _without_operations(fn: Callable[[], Any]) -> Callable[[], Any]:
    """Returns a branch without operations in its result; they run in the branch anyway."""

    def branch() -> Any:
        out = fn()
        kept = [x for x in nest.flatten(out) if not hasattr(x, "control_inputs")]
        return out if len(kept) == len(nest.flatten(out)) else None

    return branch
