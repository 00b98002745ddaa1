"""Gradients of operations on unknown lengths, which become nodes if their rules need values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.primitive import Plan, Primitive, record
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import dtype_of_value, shape_of
from gradtape._src.declare.unknown_sizes import (
    NeedsSize,
    atoms,
    evaluated,
    has_sizes,
    named_lengths,
    sizes_in,
)
from gradtape._src.graph.inference.deferred import Attempt
from gradtape._src.graph.ir.graph import CannotTrace
from gradtape._src.graph.nested.whole_calls import whole_call
from gradtape._src.graph.tracing.tracer import tracing
from gradtape._src.ops.array.row_sums import to_dense


def recorded(
    tapes: Sequence[Any],
    primitive: Primitive,
    inputs: Sequence[Tensor],
    outputs: Any,
    params: dict[str, Any],
) -> None:
    """Records an operation on values of unknown lengths on each tape that tracks an input."""
    # Other recorders only watch variables.
    recording = [tape for tape in tapes if isinstance(tape, GradientTape)]
    before = [len(tape.records) for tape in recording]
    record(tapes, primitive, inputs, outputs, params)
    if "of" in params:
        return
    for tape, count in zip(recording, before, strict=True):
        if len(tape.records) > count:
            plan, *rest = tape.records[-1]
            tape.records[-1] = _PlanInGraph(plan, inputs, outputs, params), *rest


class _PlanInGraph(Plan):
    """The plan of one operation of a graph; its vjp may become a node.

    Args:
      plan: The plan of the operation.
      inputs: Its inputs.
      outputs: Its output or outputs.
      params: Its parameters.
    """

    __slots__ = ("_inputs", "_outputs", "_params", "_plan")

    def __init__(
        self, plan: Plan, inputs: Sequence[Tensor], outputs: Any, params: dict[str, Any]
    ) -> None:
        jvp = None if plan.jvp is None else lambda *given: plan.jvp(*given)  # type: ignore[misc]
        super().__init__(
            plan.primitive, plan.keep, self._vjp, jvp, sparse=plan.sparse, always=plan.always
        )
        self._plan, self._params = plan, params
        self._inputs, self._outputs = list(inputs), outputs

    def _vjp(self, g: Any, ids: Sequence[int], saved: Sequence[Any], static: Any) -> Any:
        tracer = tracing()
        if tracer is None or tracer.for_xla:
            return self._plan.vjp(g, ids, saved, static)
        attempt = Attempt(tracer)
        tracer.decisions.begin_call()
        try:
            return self._plan.vjp(g, ids, saved, static)
        except (CannotTrace, NeedsSize, Exception) as error:
            if not attempt.may_be_deferred(error):
                raise
        finally:
            tracer.decisions.end_call()
        attempt.forget()
        return self._node(g, ids)

    def _node(self, g: Any, ids: Sequence[int]) -> Any:
        """Adds the node that computes the cotangents of the tracked inputs."""
        wanted = [k for k, i in enumerate(ids) if i]

        def like_inputs(new: Callable[..., Tensor], *_: Any) -> list[Tensor]:
            given = [self._inputs[k] for k in wanted]
            return [new(shape_of(x), dtype_of_value(x)) for x in given]

        name = f"{self.primitive.name}Grad"
        args = (to_dense(g) if type(g) is IndexedSlices else g, self._inputs, self._outputs)
        shapes = _shapes(self._inputs, self._outputs)
        known = {name for shape in shapes for name in named_lengths(shape, shape)}
        for size in sizes_in([*self._params.values()]):
            if not known.issuperset(atoms(size.code)):
                raise NeedsSize(f"the length {size.code} is not one of the inputs' or outputs'")
        run = _PullBack(self._plan, self._params, shapes, wanted)
        found = iter(whole_call(name, run, args, {}, like_inputs, False, True, True))
        return [next(found) if i else None for i in ids]


class _PullBack:
    """Computes the cotangents of some inputs of an operation when a graph runs.

    Args:
      plan: The plan of the operation.
      params: Its parameters, which may contain unknown lengths.
      shapes: The shapes of its inputs and outputs in the graph.
      wanted: The positions of the inputs.
    """

    def __init__(
        self, plan: Plan, params: dict[str, Any], shapes: Sequence[Any], wanted: Sequence[int]
    ) -> None:
        self._plan, self._params, self._shapes, self._wanted = plan, params, shapes, wanted

    def __call__(self, g: Any, inputs: Sequence[Tensor], outputs: Any) -> list[Tensor]:
        params = self._params
        if has_sizes([*params.values()]):
            actual: dict[str, Any] = {}
            for shape, own in zip(self._shapes, _shapes(inputs, outputs), strict=True):
                actual |= named_lengths(shape, own)
            params = {name: evaluated(value, actual) for name, value in params.items()}
        saved, static = self._plan.keep(inputs, outputs, params)
        ids = [int(k in self._wanted) for k in range(len(inputs))]
        found = dict(enumerate(self._plan.vjp(g, ids, saved, static)))
        return [_dense(found.get(k), inputs[k]) for k in self._wanted]


def _shapes(inputs: Sequence[Tensor], outputs: Any) -> list[tuple[int, ...]]:
    return [shape_of(x) for x in (*inputs, *(outputs if type(outputs) is tuple else (outputs,)))]


def _dense(g: Any, x: Tensor) -> Tensor:
    if g is None:
        return Tensor(np.zeros(shape_of(x), dtype_of_value(x))[()])
    found: Tensor = to_dense(g) if type(g) is IndexedSlices else g
    return found
